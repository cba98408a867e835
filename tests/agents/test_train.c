/* Training runs as a library: cut into pieces of any size, saved and resumed anywhere, they are the same; scores follow
 * the protocol; files that do not belong together are refused, whatever is changed in them.
 * label: long, sanitize */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sixer/train.h"
#include "util/sections.h"

static char folder[] = "/tmp/sixer-train-XXXXXX";
#include "support/training_runs.h"

static sixer_rom *rom, *other_rom;
static sixer_protocol *protocol, *evaluation;

/* Short episodes, so that much happens in little time. */
static const char short_text[] =
    "name = \"short\"\nbase = \"machado2018\"\n[environment]\nmax_frames = 600\nnoop_starts = 7\n"
    "[training]\nlength = 12000\ncheckpoints = [3000, 12000]\n"
    "[score]\nepisodes = 5\nlimits = [300, 600]\n";
static const char test_text[] =
    "name = \"tested\"\nbase = \"bellemare2013\"\n[environment]\nmax_frames = 300\n"
    "[training]\nlength = 6\ncheckpoints = [6]\n[score]\nepisodes = 4\nlimits = [300]\n";

static int begin(void **state) {
  (void)state;
  if (!mkdtemp(folder) || sixer_rom_open("duskrain", NULL, &rom, NULL) ||
      sixer_rom_open("sporefall", NULL, &other_rom, NULL) ||
      sixer_protocol_parse(short_text, "short", &protocol, NULL) ||
      sixer_protocol_parse(test_text, "tested", &evaluation, NULL))
    return -1;
  return 0;
}

static int end(void **state) {
  (void)state;
  DIR *entries = opendir(folder);
  for (struct dirent *e; (e = readdir(entries));) {
    if (e->d_name[0] == '.' && (!e->d_name[1] || e->d_name[1] == '.')) continue;
    unlinkat(dirfd(entries), e->d_name, 0);
  }
  closedir(entries);
  sixer_protocol_close(protocol);
  sixer_protocol_close(evaluation);
  sixer_rom_close(rom);
  sixer_rom_close(other_rom);
  return rmdir(folder);
}

static sixer_train_settings settings_of(const char *agent, const sixer_protocol *p, char *path,
                                        const char *run) {
  sixer_train_settings s = sixer_train_settings_default();
  s.agent = agent;
  s.rom = rom;
  s.protocol = p;
  if (run) {
    path_of(run, "", path);
    s.path = path;
  }
  return s;
}

static void save(sixer_train *t) {
  sixer_error error;
  if (sixer_train_save(t, &error)) fail_msg("%s", error.message);
}

static uint32_t next(uint32_t *random) { return *random = *random * 1664525u + 1013904223u; }

/* A run in one piece, and one that is dropped at random, after its last checkpoint or not, and resumed. */
static void pieces(const char *agent, const char *options, const sixer_protocol *p,
                   const char *whole, const char *parts, uint32_t random) {
  char path[300], part_path[300];
  sixer_train_settings s = settings_of(agent, p, path, whole);
  s.options = options;
  sixer_train *t = start(&s, false);
  while (!sixer_train_progress_of(t).finished) run_on(t, 1000000);
  sixer_train_destroy(t);
  s.path = part_path;
  path_of(parts, "", part_path);
  int dropped = 0;
  for (bool finished = false; !finished; dropped++) {
    t = start(&s, true);
    for (int i = 0; i < 3 && !finished; i++) {
      run_on(t, next(&random) >> 25);
      if (next(&random) >> 31) save(t);
      finished = sixer_train_progress_of(t).finished;
    }
    sixer_train_destroy(t);
    if (dropped > 2000) fail_msg("it never ends");
  }
  assert_true(dropped >= 2);
  same_file(whole, parts, "checkpoint");
  same_file(whole, parts, "episodes.tsv");
  same_file(whole, parts, "curve.tsv");
  same_file(whole, parts, "scores.tsv");
}

static void pieces_make_the_whole(void **state) {
  (void)state;
  pieces("sarsa", "preset=machado2018", protocol, "sarsa", "sarsa-parts", 1);
  pieces("brute", NULL, protocol, "brute", "brute-parts", 2);
  pieces("random", NULL, evaluation, "random", "random-parts", 3);
  same_file("random", "random-parts", "evaluation.tsv");
  same_file("random", "random-parts", "evaluation");
  pieces("sarsa", "features=ram", evaluation, "ram", "ram-parts", 4);
  same_file("ram", "ram-parts", "evaluation.tsv");
}

/* Scores are those that sixer_checkpoint_mean() finds in the rows. */
static void scores_follow_the_protocol(void **state) {
  (void)state;
  char path[300];
  sixer_train_settings s = settings_of("random", protocol, path, "scores");
  s.frames = 20000;
  sixer_train *t = start(&s, false);
  while (!sixer_train_progress_of(t).finished) run_on(t, 777);
  size_t size;
  char *text = (char *)read_file("scores", "episodes.tsv", &size);
  text[size] = 0;
  int64_t frames[200], total = 0;
  double scores[2][200];
  size_t count = 0;
  for (char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1, count++) {
    long long length;
    assert_int_equal(sscanf(line, "random\tduskrain\t1\t%*d\t%lld\t%lf\t%lf", &length,
                            &scores[0][count], &scores[1][count]),
                     3);
    total += frames[count] = length;
  }
  free(text);
  assert_true(total >= 20000 && total - frames[count - 1] < 20000);
  assert_int_equal(sixer_train_progress_of(t).frames, total);
  static const int64_t at[] = {3000, 12000, 20000};
  for (int i = 0; i < 3; i++) {
    sixer_train_score score;
    assert_true(sixer_train_score_at(t, i, &score));
    assert_int_equal(score.at, at[i]);
    for (int k = 0; k < 2; k++) {
      double mean;
      size_t averaged;
      assert_int_equal(sixer_checkpoint_mean(frames, scores[k], count, at[i], false, true, 5, &mean,
                                             &averaged, NULL),
                       SIXER_OK);
      assert_true(score.score[k] == mean);
      assert_int_equal(score.episodes, averaged);
    }
  }
  sixer_train_score none;
  assert_false(sixer_train_score_at(t, 3, &none));
  sixer_train_destroy(t);
}

/* Every section of a checkpoint, changed at random places with its checksum mended: it is refused, or what it says can
 * be. It never crashes, and sanitizers see nothing. */
static void hostile_checkpoints(void **state) {
  (void)state;
  char path[300];
  sixer_train_settings s = settings_of("sarsa", protocol, path, "sarsa");
  s.options = "preset=machado2018";
  sections_message message;
  sixer_error error;
  size_t size;
  uint8_t *bytes = read_file("sarsa", "checkpoint", &size);
  uint32_t random = 5;
  int refused = 0;
  static const char *const files[] = {"episodes.tsv", "curve.tsv"};
  char hostile[300];
  path_of("hostile", "", hostile);
  s.path = hostile;
  for (int round = 0; round < 80; round++) {
    sections_reader *r = sections_open_memory(bytes, size, message);
    sections_writer *w = sections_create(NULL);
    uint64_t length;
    const char *name;
    size_t sections = 0;
    while (sections_name_at(r, sections, NULL)) sections++;
    size_t chosen = (next(&random) >> 16) % sections;
    for (size_t i = 0; (name = sections_name_at(r, i, &length)); i++) {
      uint8_t *content = malloc((size_t)length + 1);
      sections_find(r, name);
      sections_get(r, content, (size_t)length);
      if (i == chosen && length) {
        if (next(&random) >> 31) length = (next(&random) >> 8) % length;
        for (int k = 0; k < 3 && length; k++)
          content[(next(&random) >> 8) % length] = (uint8_t)(next(&random) >> 24);
      }
      sections_begin(w, name);
      sections_put(w, content, (size_t)length);
      free(content);
    }
    void *changed;
    size_t changed_size;
    assert_true(sections_take(w, &changed, &changed_size, message));
    sections_free(r);
    write_file("hostile", "checkpoint", changed, changed_size);
    free(changed);
    for (int i = 0; i < 2; i++) {
      size_t rows_size;
      uint8_t *rows = read_file("sarsa", files[i], &rows_size);
      write_file("hostile", files[i], rows, rows_size);
      free(rows);
    }
    sixer_train *t = NULL;
    error.message[0] = 0;
    sixer_err err = sixer_train_resume(&s, &t, &error);
    if (err) {
      refused++;
      assert_true(error.message[0]);
    } else {
      sixer_train_run(t, 50, &error);
      sixer_train_destroy(t);
    }
    sixer_model *model;
    char file[300];
    path_of("hostile", "checkpoint", file);
    if (!sixer_model_open(file, &model, &error)) {
      sixer_agent *agent;
      if (!sixer_model_agent(model, rom, &agent, &error)) sixer_agent_destroy(agent);
      sixer_model_close(model);
    }
  }
  assert_true(refused > 30);
  free(bytes);
}

static void what_is_refused(void **state) {
  (void)state;
  char path[300];
  sixer_error error;
  sixer_train *t;
  sixer_train_settings s = settings_of("random", protocol, path, NULL), bad;
  const struct {
    size_t field;
    const char *text;
  } texts[] = {{offsetof(sixer_train_settings, agent), "nobody"},
               {offsetof(sixer_train_settings, options), "nothing=1"},
               {offsetof(sixer_train_settings, label), "two\tfields"},
               {offsetof(sixer_train_settings, label), ""},
               {offsetof(sixer_train_settings, path), "/nowhere/at/all"}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    bad = s;
    memcpy((char *)&bad + texts[i].field, &texts[i].text, sizeof texts[i].text);
    assert_true(sixer_train_create(&bad, &t, &error) != SIXER_OK && error.message[0]);
  }
  bad = s;
  bad.cookie = 0;
  assert_int_equal(sixer_train_create(&bad, &t, &error), SIXER_ERR_CONFIG);
  bad = s;
  bad.seed = 0;
  assert_int_equal(sixer_train_create(&bad, &t, &error), SIXER_ERR_ARGUMENT);
  bad = s;
  bad.frames = -1;
  assert_int_equal(sixer_train_create(&bad, &t, &error), SIXER_ERR_ARGUMENT);
  bad = s;
  bad.mode = 99;
  assert_int_equal(sixer_train_create(&bad, &t, &error), SIXER_ERR_FLAVOR);
  assert_int_equal(sixer_train_resume(&s, &t, &error), SIXER_ERR_ARGUMENT); /* no files */
  /* another game, agent, seed, protocol than the checkpoint's */
  path_of("random", "", path);
  s.path = path;
  s.protocol = evaluation;
  sixer_train_destroy(start(&s, true));
  bad = s;
  bad.rom = other_rom;
  assert_int_equal(sixer_train_resume(&bad, &t, &error), SIXER_ERR_STATE);
  assert_non_null(strstr(error.message, "game=duskrain, now it is game=sporefall"));
  bad = s;
  bad.agent = "const";
  assert_int_equal(sixer_train_resume(&bad, &t, &error), SIXER_ERR_STATE);
  bad = s;
  bad.seed = 2;
  assert_int_equal(sixer_train_resume(&bad, &t, &error), SIXER_ERR_STATE);
  bad = s;
  bad.protocol = protocol;
  assert_int_equal(sixer_train_resume(&bad, &t, &error), SIXER_ERR_STATE);
  same_file("random", "random-parts", "checkpoint"); /* nothing was changed */
  same_file("random", "random-parts", "episodes.tsv");
}

/* The model of a checkpoint plays with what was learned. */
static void models_play(void **state) {
  (void)state;
  char file[300];
  sixer_error error;
  sixer_model *model;
  sixer_agent *agent;
  sixer_config config;
  sixer_list actions;
  path_of("sarsa", "checkpoint", file);
  if (sixer_model_open(file, &model, &error)) fail_msg("%s", error.message);
  assert_string_equal(sixer_model_setting(model, "agent"), "sarsa");
  assert_null(sixer_model_setting(model, "age"));
  assert_true(sixer_model_progress(model).frames >= 12000);
  assert_int_equal(sixer_model_agent(model, other_rom, &agent, &error), SIXER_ERR_STATE);
  assert_int_equal(sixer_model_config(model, rom, &config, &actions, &error), SIXER_OK);
  assert_int_equal(config.max_frames, 600);
  assert_int_equal(actions.count, 18);
  if (sixer_model_agent(model, rom, &agent, &error)) fail_msg("%s", error.message);
  int64_t steps = sixer_agent_learned(agent).steps;
  assert_int_equal(steps, sixer_model_progress(model).steps);
  assert_true(sixer_agent_learned(agent).features > 100);
  sixer_env *env;
  assert_int_equal(sixer_env_create(rom, &config, &env, &error), SIXER_OK);
  sixer_result result = {0};
  while (!result.over) {
    int action;
    if (sixer_agent_act(agent, env, actions, &action, &error)) fail_msg("%s", error.message);
    sixer_env_step(env, action, &result);
  }
  assert_int_equal(sixer_agent_learned(agent).steps, steps);
  sixer_env_destroy(env);
  sixer_agent_destroy(agent);
  sixer_model_close(model);
  path_of("random", "evaluation", file); /* of a finished evaluation: a result and no agent */
  if (sixer_model_open(file, &model, &error)) fail_msg("%s", error.message);
  assert_int_equal(sixer_model_progress(model).evaluated, 4);
  assert_int_equal(sixer_model_agent(model, rom, &agent, &error), SIXER_ERR_STATE);
  sixer_model_close(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_make_the_whole), cmocka_unit_test(scores_follow_the_protocol),
      cmocka_unit_test(hostile_checkpoints),   cmocka_unit_test(what_is_refused),
      cmocka_unit_test(models_play),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
