/* Checkpoints that somebody else has written: one with what another agent has learned, and networks whose tensors
 * have names that are no names, and files that they would like to have opened. The files have right checksums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "eval/protocol.h"
#include "sixer/agents.h"
#include "sixer/train.h"
#include "util/sections.h"

static char folder[] = "/tmp/sixer-models-XXXXXX";

#include "support/training_runs.h"

static sixer_rom *rom;
static sixer_protocol *protocol;

static void train(const char *run, const char *agent, const char *options) {
  char path[300];
  sixer_error error;
  path_of(run, "", path);
  sixer_train_settings s = sixer_train_settings_default();
  s.rom = rom;
  s.agent = agent;
  s.options = options;
  s.protocol = protocol;
  s.seed = 1;
  s.frames = 100000;
  s.path = path;
  sixer_train *t = start(&s, false);
  run_on(t, 12);
  assert_int_equal(sixer_train_save(t, &error), SIXER_OK);
  sixer_train_destroy(t);
}

/* The text that begins at byte `at` of a section, with `old` replaced by `new`. */
static void change_text(const char *run, const char *section, size_t at, const char *old,
                        const char *new) {
  sections_message message;
  char path[300];
  path_of(run, "checkpoint", path);
  sections_reader *in = sections_open(path, message);
  assert_non_null(in);
  sections_writer *out = sections_create(path);
  const char *name;
  uint64_t size;
  for (size_t i = 0; (name = sections_name_at(in, i, &size)); i++) {
    uint8_t *data = calloc(1, size + 100);
    sections_find(in, name);
    sections_get(in, data, size);
    if (!strcmp(name, section)) {
      uint64_t length;
      memcpy(&length, data + at, 8);
      char *text = (char *)data + at + 8, *found = strstr(text, old);
      assert_non_null(found);
      const size_t tail = (size_t)((char *)data + size - found) - strlen(old);
      memmove(found + strlen(new), found + strlen(old), tail);
      memcpy(found, new, strlen(new));
      length += strlen(new) - strlen(old);
      size += strlen(new) - strlen(old);
      memcpy(data + at, &length, 8);
    }
    sections_begin(out, name);
    sections_put(out, data, size);
    free(data);
  }
  sections_free(in);
  assert_true(sections_close(out, message));
}

static void rename_section(const char *run, const char *old, const char *new) {
  sections_message message;
  char path[300];
  path_of(run, "checkpoint", path);
  sections_reader *in = sections_open(path, message);
  assert_non_null(in);
  sections_writer *out = sections_create(path);
  const char *name;
  uint64_t size;
  for (size_t i = 0; (name = sections_name_at(in, i, &size)); i++) {
    uint8_t *data = malloc(size + 1);
    sections_find(in, name);
    sections_get(in, data, size);
    sections_begin(out, strcmp(name, old) ? name : new);
    sections_put(out, data, size);
    free(data);
  }
  sections_free(in);
  assert_true(sections_close(out, message));
}

/* What one agent has learned is not given to another. */
static void test_agent_of_another_kind(void **state) {
  (void)state;
  char path[300];
  sixer_error error = {SIXER_OK, ""};
  sixer_model *model;
  sixer_agent *agent = NULL;
  train("random", "brute", "");
  change_text("random", "train", 8, "agent=brute", "agent=random");
  change_text("random", "train", 8, "options=formula=b,gamma=1", "options=");
  path_of("random", "checkpoint", path);
  assert_int_equal(sixer_model_open(path, &model, &error), SIXER_OK);
  assert_int_not_equal(sixer_model_agent(model, rom, &agent, &error), SIXER_OK);
  assert_non_null(strstr(error.message, "this agent is random, the saved one brute"));
  assert_null(agent);
  sixer_model_close(model);
}

/* The names become names of members of an archive. */
static void test_names_of_tensors(void **state) {
  (void)state;
  static const char *const names[] = {"../../up.weight", "\033[2J.weight", ".hidden", "a/b"};
  char path[300], output[300];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    sixer_error error = {SIXER_OK, ""};
    sixer_model *model;
    train("network", "dqn", "trunk=quick,hidden=16,size=24,memory=100,start=8,batch=4");
    path_of("network", "checkpoint", path);
    path_of("network", "npz", output);
    assert_int_equal(sixer_model_open(path, &model, &error), SIXER_OK);
    assert_int_equal(sixer_model_export(model, output, &error), SIXER_OK);
    sixer_model_close(model);
    unlink(output);
    change_text("network", "agent.tensors", 0, "conv1.weight", names[i]);
    assert_int_equal(sixer_model_open(path, &model, &error), SIXER_OK);
    assert_int_equal(sixer_model_export(model, output, &error), SIXER_ERR_STATE);
    assert_non_null(strstr(error.message, "the description of its network is damaged"));
    assert_int_not_equal(access(output, F_OK), 0);
    sixer_model_close(model);
  }
}

/* A checkpoint carries its background model: the file that its settings name may be anything, and is not opened. */
static void test_named_files(void **state) {
  (void)state;
  char path[300], background[300], options[400];
  sixer_error error = {SIXER_OK, ""};
  sixer_config config = sixer_config_default();
  sixer_model *model;
  sixer_agent *agent = NULL;
  path_of("some", "background", background);
  path_of("some", "checkpoint", path);
  if (sixer_background_make(rom, &config, 20, 1, NULL, 0, background, NULL, &error))
    fail_msg("%s", error.message);
  snprintf(options, sizeof options, "features=basic,background=%s", background);
  train("some", "sarsa", options);
  unlink(background);
  assert_int_equal(sixer_model_open(path, &model, &error), SIXER_OK);
  if (sixer_model_agent(model, rom, &agent, &error)) fail_msg("%s", error.message);
  sixer_agent_destroy(agent);
  sixer_model_close(model);
  /* without the model */
  agent = NULL;
  rename_section("some", "agent.background", "agent.nothing");
  assert_int_equal(sixer_model_open(path, &model, &error), SIXER_OK);
  assert_int_equal(sixer_model_agent(model, rom, &agent, &error), SIXER_ERR_STATE);
  assert_non_null(strstr(error.message, "it has no background model"));
  assert_null(agent);
  sixer_model_close(model);
}

/* A protocol that comes with a run has no base in a file; that of a file has a file as its base, and no pipe. */
static void test_bases(void **state) {
  (void)state;
  sixer_error error = {SIXER_OK, ""};
  sixer_protocol *p = NULL;
  char text[400], path[300];
  path_of("base", "toml", path);
  assert_int_equal(mkfifo(path, 0600), 0);
  snprintf(text, sizeof text, "name = \"mine\"\nversion = 1\nbase = \"%s\"\n", path);
  assert_int_not_equal(protocol_parse_stored(text, "the run", &p, &error), SIXER_OK);
  assert_non_null(strstr(error.message, "the run:3: its base is a file"));
  assert_int_not_equal(sixer_protocol_parse(text, "the run", &p, &error), SIXER_OK);
  assert_non_null(strstr(error.message, "the base of a protocol is a file"));
  snprintf(text, sizeof text, "name = \"mine\"\nversion = 1\nbase = \"saber\"\n");
  assert_int_equal(protocol_parse_stored(text, "the run", &p, &error), SIXER_OK);
  sixer_protocol_close(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_agent_of_another_kind), cmocka_unit_test(test_names_of_tensors),
      cmocka_unit_test(test_named_files), cmocka_unit_test(test_bases)};
  char command[100];
  sixer_error error;
  if (!mkdtemp(folder) || sixer_rom_open("sporefall", NULL, &rom, &error) ||
      sixer_protocol_open("machado2018", &protocol, &error))
    return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  snprintf(command, sizeof command, "rm -r %s", folder);
  sixer_protocol_close(protocol);
  sixer_rom_close(rom);
  return system(command) || failed;
}
