/* Saved agents and checkpoints with bytes changed and checksums mended: refused with a message, or loaded, and the
 * agent acts (one in four, as decisions take longer than loading). The first byte of an input chooses the agent, or a
 * checkpoint; the rest are changes (fuzz_edits.h).
 *
 * runs: 300 */
#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz/fuzz_edits.h"
#include "fuzz/fuzz_memory_file.h"
#include "fuzz/fuzz_mend_sections.h"
#include "sixer/agents.h"
#include "sixer/train.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Agents with small memories, after some steps of learning. */
static const struct {
  const char *name, *options;
} kinds[] = {{"sarsa", "features=ram"},
             {"brute", ""},
             {"full-tree", "frames=20,memory=1"},
             {"uct", "frames=20,memory=1"},
             {"iw1", "frames=20,memory=1"},
             {"rollout-iw1", "frames=20,memory=1"},
             {"dqn", "trunk=quick,hidden=16,size=24,memory=100,start=8,batch=4"}};
enum { KINDS = sizeof kinds / sizeof *kinds, STEPS = 12 };

typedef struct subject {
  sixer_agent *agent;
  sixer_env *env;
  void *bytes;
  size_t size;
} subject;

static sixer_rom *rom;
static subject subjects[KINDS];
static uint8_t *checkpoint;
static size_t checkpoint_size;

static void make(subject *s, const char *name, const char *options) {
  sixer_config config = sixer_config_default();
  sixer_error error;
  if (sixer_agent_create(name, options, 1, &s->agent, &error)) {
    fprintf(stderr, "%s\n", error.message);
    abort();
  }
  sixer_agent_prepare(s->agent, &config);
  if (sixer_env_create(rom, &config, &s->env, &error)) abort();
  for (int i = 0; i < STEPS; i++) {
    sixer_result result;
    int action = 0;
    if (sixer_agent_act(s->agent, s->env, sixer_rom_minimal_actions(rom), &action, &error)) abort();
    sixer_env_step(s->env, action, &result);
    if (sixer_agent_learns(s->agent)) sixer_agent_learn(s->agent, s->env, &result, &error);
  }
  if (sixer_agent_save(s->agent, &s->bytes, &s->size, &error)) abort();
}

/* A checkpoint of a short training run. */
static void make_checkpoint(void) {
  char folder[] = "/tmp/sixer-fuzz-XXXXXX", path[100], name[120];
  sixer_train_settings settings = sixer_train_settings_default();
  sixer_train *train = NULL;
  sixer_protocol *protocol = NULL;
  sixer_error error;
  if (!mkdtemp(folder) || sixer_protocol_open("machado2018", &protocol, &error)) abort();
  snprintf(path, sizeof path, "%s/run", folder);
  settings.rom = rom;
  settings.agent = "sarsa";
  settings.options = "features=ram";
  settings.protocol = protocol;
  settings.seed = 1;
  settings.frames = 100000;
  settings.path = path;
  if (sixer_train_create(&settings, &train, &error) || sixer_train_run(train, 20, &error) ||
      sixer_train_save(train, &error)) {
    fprintf(stderr, "%s\n", error.message);
    abort();
  }
  sixer_train_destroy(train);
  snprintf(name, sizeof name, "%s.checkpoint", path);
  FILE *file = fopen(name, "rb");
  checkpoint = malloc(1 << 22);
  checkpoint_size = file ? fread(checkpoint, 1, 1 << 22, file) : 0;
  if (!checkpoint_size) abort();
  fclose(file);
  sixer_protocol_close(protocol);
  DIR *entries = opendir(folder);
  for (struct dirent *e; entries && (e = readdir(entries));) {
    snprintf(name, sizeof name, "%s/%.60s", folder, e->d_name);
    remove(name);
  }
  if (entries) closedir(entries);
  rmdir(folder);
}

static void act(sixer_agent *agent, sixer_env *env) {
  sixer_error error = {SIXER_OK, ""};
  sixer_result result;
  int action = 0;
  if (sixer_agent_act(agent, env, sixer_rom_minimal_actions(rom), &action, &error)) return;
  assert(action >= 0 && action < SIXER_ACTION_COUNT);
  sixer_env_step(env, action, &result);
  if (sixer_agent_learns(agent)) sixer_agent_learn(agent, env, &result, &error);
}

static void open_model(const uint8_t *bytes, size_t size, bool acts) {
  sixer_error error = {SIXER_OK, ""};
  sixer_model *model = NULL;
  if (sixer_model_open(fuzz_file(bytes, size), &model, &error)) {
    assert(error.message[0]);
    return;
  }
  sixer_config config;
  sixer_list actions;
  sixer_agent *agent = NULL;
  sixer_env *env = NULL;
  sixer_model_progress(model);
  if (!sixer_model_config(model, rom, &config, &actions, &error) &&
      !sixer_model_agent(model, rom, &agent, &error) && acts &&
      !sixer_env_create(rom, &config, &env, &error))
    act(agent, env);
  sixer_env_destroy(env);
  sixer_agent_destroy(agent);
  sixer_model_close(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!rom) {
    if (sixer_rom_open("sporefall", NULL, &rom, NULL)) abort();
    for (int i = 0; i < KINDS; i++) make(&subjects[i], kinds[i].name, kinds[i].options);
    make_checkpoint();
  }
  if (size < 2) return 0;
  const int kind = data[0] % (KINDS + 1);
  const bool acts = data[size - 1] % 4 == 0;
  const uint8_t *from = kind < KINDS ? subjects[kind].bytes : checkpoint;
  const size_t length = kind < KINDS ? subjects[kind].size : checkpoint_size;
  if (!from || !length) return 0;
  uint8_t *bytes = malloc(length);
  memcpy(bytes, from, length);
  fuzz_edit(bytes, length, data + 1, size - 1);
  mend_sections(bytes, length);
  if (kind < KINDS) {
    sixer_error error = {SIXER_OK, ""};
    subject *s = &subjects[kind];
    if (sixer_agent_load(s->agent, s->env, bytes, length, &error))
      assert(error.message[0]);
    else if (acts)
      act(s->agent, s->env);
  } else {
    open_model(bytes, length, acts);
  }
  free(bytes);
  return 0;
}
