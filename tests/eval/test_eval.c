/* Evaluation piece by piece: hashing, protocols, scores while playing, normalization, aggregates,
 * tests, bootstrap, subset search, result files. What the papers print is in test_eval_papers.c and
 * test_eval_atari5.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "eval/eval_table.h"
#include "eval/regression.h"
#include "eval/scores.h"
#include "sixer/eval.h"
#include "util/sha256.h"

static void ok(sixer_err err, const sixer_error *error) {
  if (err) fail_msg("%s", error->message);
}

static void assert_close(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g", a, b);
}

/* An error with this code, whose message holds this text. */
static void assert_fails(sixer_err err, const sixer_error *error, sixer_err code,
                         const char *text) {
  if (err != code || error->code != code) fail_msg("error %d, not %d", err, code);
  if (!strstr(error->message, text))
    fail_msg("the message \"%s\" does not say \"%s\"", error->message, text);
}

static void digests(void **state) {
  (void)state;
  char hex[65], letters[200];
  sha256_hex("", 0, hex);
  assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  sha256_hex("abc", 3, hex);
  assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
  assert_string_equal(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  memset(letters, 'a', sizeof letters);
  sha256_hex(letters, 200, hex);
  assert_string_equal(hex, "c2a908d98f5df987ade41b5fce213067efbcc21ef2240212a41e54b5e7c28ae5");
}

/* ---- protocols ---- */

/* What a name and version mean, forever. A protocol that must change gets a new version, and the
 * file of the old one is kept as NAME@VERSION.toml. */
static void protocols_are_frozen(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int version;
    const char *hash;
  } frozen[] = {
      {"atari100k", 1, "2b548fb60328480207d4c103ec5638d5acfbb9e6fefaba74c5617a242a19c0fd"},
      {"atari5", 1, "b032403f3aa93466609341f44188586e90838c6eb8cbb50b8f63e3df7d09364f"},
      {"atari57", 1, "211bb3d4c19d46257e49efc3b6441a53639ade2338e734e799327460d733a17b"},
      {"bellemare2013", 1, "619e9e49e9932a38543fa160480d380859eb271eba14e3c46040a30afbb0ab97"},
      {"dopamine", 1, "04ed01afbceaf9a2544b84675844da0833d81ea0a6a11efd4bca4dac3c4aa98b"},
      {"machado2018", 1, "38683c46d7ac9b28e6fc46eb72e25a06d885b227344db68d8a6ce0a8d55bb494"},
      {"nature2015", 2, "841cc8497aed1856f278e06daab235722b5e7d52e9c79853650ce2d214ff8163"},
      {"saber", 1, "13e6fc222047c877269a73a06d2fbd3f13a60950c9b895a90dac939bbdb21a35"},
      {"sixer-levels", 1, "0f57d93b1176d6ba49546ae99495ca5f53b693102d2b37dc96a3dabe0d89118c"},
  };
  size_t count = 0;
  sixer_error error;
  for (const char *const *n = sixer_protocol_names(); *n; n++, count++) {
    sixer_protocol *p;
    char hex[65];
    ok(sixer_protocol_open(*n, &p, &error), &error);
    sixer_protocol_info info = sixer_protocol_describe(p);
    assert_string_equal(info.name, frozen[count].name);
    assert_int_equal(info.version, frozen[count].version);
    if (strcmp(info.hash, frozen[count].hash)) fail_msg("%s is now %s", *n, info.hash);
    sha256_hex(sixer_protocol_text(p), strlen(sixer_protocol_text(p)), hex);
    assert_string_equal(hex, info.hash);

    /* the canonical text is a protocol again, and the same one */
    sixer_protocol *again;
    char text[20000];
    assert_true(strlen(sixer_protocol_text(p)) + 100 < sizeof text);
    snprintf(text, sizeof text, "name = \"again\"\n%s", sixer_protocol_text(p));
    ok(sixer_protocol_parse(text, "again", &again, &error), &error);
    assert_string_equal(sixer_protocol_describe(again).hash, info.hash);
    sixer_protocol_close(again);
    sixer_protocol_close(p);
  }
  assert_int_equal(count, sizeof frozen / sizeof *frozen);

  /* old versions stay, also as a base and as a file of that name */
  sixer_protocol *old, *same;
  char text[20000];
  ok(sixer_protocol_open("nature2015@1", &old, &error), &error);
  assert_string_equal(sixer_protocol_describe(old).hash,
                      "50f46c75658b53d219700fd4ea5bed79519313cef0e6c0ad99b4159abeef0f63");
  assert_true(isnan(sixer_protocol_describe(old).test_epsilon));
  snprintf(text, sizeof text, "name = \"nature2015\"\nversion = 1\n%s", sixer_protocol_text(old));
  ok(sixer_protocol_parse(text, "copy", &same, &error), &error);
  sixer_protocol_close(same);
  snprintf(text, sizeof text, "name = \"nature2015\"\nversion = 2\n%s", sixer_protocol_text(old));
  assert_fails(sixer_protocol_parse(text, "copy", &same, &error), &error, SIXER_ERR_CONFIG,
               "belongs to a built-in protocol");
  sixer_protocol_close(old);
}

/* Test epsilon, evaluations during training, planning budget and flavors: each is checked and enters the hash. */
static void protocols_say_how_is_tested(void **state) {
  (void)state;
  sixer_protocol *p;
  sixer_error error;
  ok(sixer_protocol_open("nature2015", &p, &error), &error);
  sixer_protocol_info nature = sixer_protocol_describe(p);
  assert_true(nature.test_epsilon == 0.05 && nature.evaluation_interval == 1000000 &&
              nature.evaluation_length == 500000 && nature.planning_budget == 0);
  assert_true(nature.mode == -1 && nature.difficulty == -1 && !nature.all_flavors);
  sixer_protocol_close(p);
  ok(sixer_protocol_open("saber", &p, &error), &error);
  sixer_protocol_info saber = sixer_protocol_describe(p);
  char saber_hash[65];
  memcpy(saber_hash, saber.hash, sizeof saber_hash);
  assert_true(isnan(saber.test_epsilon) && !saber.evaluation_interval);
  sixer_protocol_close(p);

  static const struct {
    const char *text, *message; /* NULL: accepted */
    int mode, difficulty;
  } cases[] = {
      {"[environment]\nflavors = \"mode 4\"", NULL, 4, -1},
      {"[environment]\nflavors = \"difficulty 1\"", NULL, -1, 1},
      {"[environment]\nflavors = \"mode 0, difficulty 3\"", NULL, 0, 3},
      {"[environment]\nflavors = \"all\"", NULL, -1, -1},
      {"[environment]\nflavors = \"hard\"", "flavors cannot be \"hard\"", 0, 0},
      {"[environment]\nflavors = \"mode 4,difficulty 1\"", "flavors cannot be", 0, 0},
      {"[environment]\nflavors = \"mode 4, \"", "flavors cannot be", 0, 0},
      {"[environment]\nflavors = \"mode 256\"", "flavors cannot be", 0, 0},
      {"[environment]\nflavors = \"mode -1\"", "flavors cannot be", 0, 0},
      {"[environment]\nflavors = \"mode 4 \"", "flavors cannot be", 0, 0},
      {"[score]\nof = \"evaluation\"\ntest_epsilon = 0", NULL, -1, -1},
      {"[score]\ntest_epsilon = 0.05", "test_epsilon is of evaluation episodes", 0, 0},
      {"[score]\nof = \"evaluation\"\ntest_epsilon = 1.5", "out of range", 0, 0},
      {"[score]\nplanning_budget = 150000", NULL, -1, -1},
      {"[score]\nplanning_budget = 0.5", "out of range", 0, 0},
      {"[training]\nevaluation_interval = 1000000", NULL, -1, -1},
      {"[training]\nevaluation_length = 1000", "needs evaluation_interval", 0, 0},
      {"[training]\nevaluation_interval = 300000000", "longer than the training", 0, 0},
  };
  char hashes[sizeof cases / sizeof *cases][65];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[300];
    snprintf(text, sizeof text, "name = \"mine\"\nbase = \"saber\"\n%s\n", cases[i].text);
    hashes[i][0] = 0;
    if (cases[i].message) {
      assert_fails(sixer_protocol_parse(text, "mine", &p, &error), &error, SIXER_ERR_CONFIG,
                   cases[i].message);
      continue;
    }
    ok(sixer_protocol_parse(text, "mine", &p, &error), &error);
    sixer_protocol_info info = sixer_protocol_describe(p);
    assert_int_equal(info.mode, cases[i].mode);
    assert_int_equal(info.difficulty, cases[i].difficulty);
    memcpy(hashes[i], info.hash, sizeof hashes[i]);
    assert_string_not_equal(info.hash, saber_hash);
    for (size_t k = 0; k < i; k++) assert_string_not_equal(hashes[k], hashes[i]);
    sixer_protocol_close(p);
  }
}

static void protocols_say_what_the_papers_say(void **state) {
  (void)state;
  sixer_protocol *p;
  sixer_error error;
  ok(sixer_protocol_open("saber@1", &p, &error), &error);
  sixer_protocol_info saber = sixer_protocol_describe(p);
  assert_int_equal(saber.game_count, 61);
  assert_true(saber.sticky == 0.25 && !saber.minimal_actions && saber.frame_skip == 4);
  assert_int_equal(saber.stuck_frames, 18000);
  assert_int_equal(saber.max_frames, 21600000);
  assert_int_equal(saber.life_loss, SIXER_LIFE_IGNORED);
  assert_int_equal(saber.limit_count, 3);
  assert_int_equal(saber.limits[0], 18000);
  assert_int_equal(saber.limits[1], 108000);
  assert_int_equal(saber.limits[2], 0);
  assert_int_equal(saber.checkpoint_count, 4);
  assert_int_equal(saber.checkpoints[3], 200000000);
  assert_true(saber.endless == 2 && saber.fixed_scoring && saber.include_crossing &&
              saber.episodes == 100);
  assert_true(sixer_protocol_constant(p, "record", "qbert") == 2400000);
  assert_true(isnan(sixer_protocol_constant(p, "record", "tennis")));
  assert_true(isnan(sixer_protocol_constant(p, "record", "chess")));
  assert_true(isnan(sixer_protocol_constant(p, "color", "qbert")));
  sixer_protocol_close(p);

  ok(sixer_protocol_open("bellemare2013", &p, &error), &error);
  sixer_protocol_info old = sixer_protocol_describe(p);
  assert_true(old.sticky == 0 && old.frame_skip == 5 && old.max_frames == 18000 &&
              old.length_in_episodes);
  assert_true(old.length == 5000 && old.episodes == 500 && old.trials == 30 &&
              old.significance == 0.01);
  assert_int_equal(old.score_of, SIXER_SCORE_EVALUATION);
  assert_int_equal(old.tuning_count, 5);
  sixer_protocol_close(p);

  ok(sixer_protocol_open("machado2018", &p, &error), &error);
  sixer_protocol_info machado = sixer_protocol_describe(p);
  assert_true(machado.sticky == 0.25 && machado.frame_skip == 5 && machado.max_frames == 18000 &&
              machado.episodes == 100);
  assert_int_equal(machado.score_of, SIXER_SCORE_TRAINING);
  sixer_protocol_close(p);

  ok(sixer_protocol_open("atari100k", &p, &error), &error);
  sixer_protocol_info k100 = sixer_protocol_describe(p);
  assert_true(k100.length == 400000 && k100.game_count == 26 && k100.minimal_actions &&
              k100.noop_starts == 30);
  assert_int_equal(k100.life_loss, SIXER_LIFE_TERMINAL_IN_TRAINING);
  assert_string_equal(k100.aggregate, "iqm");
  sixer_protocol_close(p);
}

static void protocols_of_ones_own(void **state) {
  (void)state;
  sixer_protocol *base, *p;
  sixer_error error;
  ok(sixer_protocol_open("saber", &base, &error), &error);
  const char *hash = sixer_protocol_describe(base).hash;
  char saber[65];
  memcpy(saber, hash, 65);

  /* nothing differs: another name for the same thing, which the hash shows */
  ok(sixer_protocol_parse("name = \"mine\"\nbase = \"saber\"\n", "mine", &p, &error), &error);
  assert_string_equal(sixer_protocol_describe(p).hash, saber);
  assert_string_equal(sixer_protocol_describe(p).base, "saber");
  sixer_protocol_close(p);

  /* one setting differs, and one constant */
  ok(sixer_protocol_parse("name = \"mine\"\nbase = \"saber@1\"\n[environment]\nframe_skip = 5 # as "
                          "in 2018\n[constants]\n"
                          "qbert = [0, 1, 2]\n",
                          "mine", &p, &error),
     &error);
  assert_int_equal(sixer_protocol_describe(p).frame_skip, 5);
  assert_true(sixer_protocol_describe(p).sticky == 0.25);
  assert_true(sixer_protocol_constant(p, "record", "qbert") == 2);
  assert_true(sixer_protocol_constant(p, "record", "alien") == 251916);
  assert_string_not_equal(sixer_protocol_describe(p).hash, saber);
  sixer_protocol_close(p);

  /* the order of games and columns, comments and spelling of numbers do not matter */
  static const char first[] =
      "name = \"a\"\nbase = \"saber\"\n[games]\nlist = [\"pong\", \"alien\"]\n[constants]\n"
      "columns = [\"random\", \"human\"]\npong = [-21, 15.0]\nalien = [2e2, 7000]\n";
  static const char second[] =
      "name = \"b\" # other\nbase = \"saber\"\n[constants]\ncolumns = [\"human\", \"random\"]\n"
      "alien = [7_000, 200.0]\npong = [15, -21]\n[games]\nlist = [\"alien\",\n \"pong\",\n]\n";
  sixer_protocol *other;
  ok(sixer_protocol_parse(first, "a", &p, &error), &error);
  ok(sixer_protocol_parse(second, "b", &other, &error), &error);
  assert_string_equal(sixer_protocol_describe(p).hash, sixer_protocol_describe(other).hash);
  assert_int_equal(sixer_protocol_describe(p).game_count, 2);
  sixer_protocol_close(p);
  sixer_protocol_close(other);

  /* a file that is the built-in protocol may have its name; one that differs may not */
  char text[20000];
  assert_true(strlen(sixer_protocol_text(base)) + 100 < sizeof text);
  snprintf(text, sizeof text, "name = \"saber\"\n%s", sixer_protocol_text(base));
  ok(sixer_protocol_parse(text, "copy", &p, &error), &error);
  sixer_protocol_close(p);
  char *skip = strstr(text, "frame_skip = 4");
  assert_non_null(skip);
  skip[13] = '5';
  assert_fails(sixer_protocol_parse(text, "copy", &p, &error), &error, SIXER_ERR_CONFIG,
               "belongs to a built-in protocol");
  sixer_protocol_close(base);
}

static void protocols_that_are_wrong(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } wrong[] = {
      {"", "name is missing"},
      {"name = \"x\"\n", "games.list is missing"},
      {"name = \"X Y\"\nbase = \"saber\"\n", "must be of lower-case"},
      {"name = \"x\"\nbase = \"sabre\"\n", "there is no protocol 'sabre'"},
      {"name = \"x\"\nbase = \"saber@7\"\n", "there is no version 7"},
      {"name = \"x\"\nbase = \"./nowhere.toml\"\n", "nowhere.toml"},
      {"name = \"x\"\nbase = \"saber\"\n[environment]\nstickyness = 0.1\n",
       "x:4: there is no setting 'stickyness'"},
      {"name = \"x\"\nbase = \"saber\"\n[environment]\nsticky = 1.5\n",
       "x:4: sticky = 1.5 is out of range"},
      {"name = \"x\"\nbase = \"saber\"\n[environment]\nsticky = nan\n", "out of range"},
      {"name = \"x\"\nbase = \"saber\"\n[environment]\nsticky = \"0.1\"\n",
       "x:4: sticky wants a number"},
      {"name = \"x\"\nbase = \"saber\"\n[environment]\nframe_skip = 4.5\n",
       "a whole number from 1"},
      {"name = \"x\"\nbase = \"saber\"\n[environment]\nactions = \"some\"\n",
       "choose from |full|minimal|"},
      {"name = \"x\"\nbase = \"saber\"\n[environment]\nsticky = 0.1\nsticky = 0.2\n",
       "x:5: 'sticky' is given twice"},
      {"name = \"x\"\nbase = \"saber\"\n[environment]\nsticky 0.1\n", "wants '='"},
      {"name = \"x\"\nbase = \"saber\"\n[environment]\nsticky = 0.1 0.2\n", "unexpected text"},
      {"name = \"x\"\nbase = \"saber\"\n[environment]\nsticky = \n", "is not a value"},
      {"name = \"x\"\nbase = \"saber\"\n[games]\nlist = [\"pong\", 3]\n",
       "either strings or numbers"},
      {"name = \"x\"\nbase = \"saber\"\n[games]\nlist = [\"pong\"", "wants ',' or ']'"},
      {"name = \"x\"\nbase = \"saber\"\n[games]\nlist = [\"pong\", \"pong\"]\n",
       "pong is in list twice"},
      {"name = \"x\"\nbase = \"saber\"\n[games]\nlist = [\"Pong\"]\n",
       "'Pong' in list is not an id"},
      {"name = \"x\"\nbase = \"saber\"\n[games]\nlist = []\n", "the list of games is empty"},
      {"name = \"x\"\nbase = \"saber\"\n[constants]\nqbert = [1, 2]\n",
       "qbert has 2 constants, but there are 3 columns"},
      {"name = \"x\"\nbase = \"saber\"\n[constants]\nchess = [1, 2, 3]\n",
       "chess is not in the list of games"},
      {"name = \"x\"\nbase = \"saber\"\n[levels]\ntrain = [0, 9]\n", "levels.test is missing"},
      {"name = \"x\"\nbase = \"sixer-levels\"\n[levels]\ntrain = [0, 200]\n",
       "levels of the test are trained on too"},
      {"name = \"x\"\nbase = \"sixer-levels\"\n[levels]\ntest = [220, 210]\n",
       "x:4: test wants the first and the last level"},
      {"name = \"x\"\nbase = \"sixer-levels\"\n[levels]\ntest = [200]\n",
       "x:4: test wants the first and the last level"},
      {"name = \"x\"\nbase = \"sixer-levels\"\n[levels]\ntest = [200, 256]\n", "out of range"},
      {"name = \"x\"\nbase = \"sixer-levels\"\n[score]\nepisodes = 57\n",
       "the 56 levels of the test want evaluation episodes, equally many on each"},
      {"name = \"x\"\nbase = \"sixer-levels\"\n[score]\nof = \"training\"\n",
       "want evaluation episodes"},
      {"name = \"x\"\nbase = \"saber\"\n[training]\ncheckpoints = [5, 4]\n",
       "checkpoints must rise"},
      {"name = \"x\"\nbase = \"saber\"\n[training]\ncheckpoints = [300000000]\n",
       "within the training length"},
      {"name = \"x\"\nbase = \"saber\"\n[score]\nlimits = [18000, 18000]\n", "limits must rise"},
      {"name = \"x\"\nbase = \"saber\"\n[score]\nlimits = [108000, 18000]\n",
       "18000 follows 108000"},
      {"name = \"x\"\nbase = \"saber\"\n[score]\nlimits = [0, 18000]\n", "0 (whole episodes) last"},
      {"name = \"x\"\nbase = \"saber\"\n[score]\nlimits = [18001]\n",
       "18001 is not a multiple of frame_skip = 4"},
      {"name = \"x\"\nbase = \"saber\"\n[score]\naggregate = \"model\"\n",
       "needs a [model] section"},
      {"name = \"x\"\nbase = \"atari5\"\n[model]\nqbert = -1\n", "not negative"},
      {"name = \"x\nbase", "must end with a quote"},
      {"name = \"x\"\n[environment\nsticky = 1\n", "expected 'key = value' or '[section]'"},
      {"name = \"x\"\nbase = \"saber\"\nname = \"y\"\n", "given twice"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    sixer_protocol *p = NULL;
    sixer_error error = {0};
    sixer_err err = sixer_protocol_parse(wrong[i].text, "x", &p, &error);
    if (!err) fail_msg("case %zu was accepted", i);
    if (!strstr(error.message, wrong[i].says))
      fail_msg("case %zu: \"%s\" does not say \"%s\"", i, error.message, wrong[i].says);
    assert_null(p);
  }
  sixer_protocol *p = NULL;
  sixer_error error;
  assert_fails(sixer_protocol_open("nothing", &p, &error), &error, SIXER_ERR_CONFIG,
               "built in are atari100k");
  assert_fails(sixer_protocol_open("/nothing.toml", &p, &error), &error, SIXER_ERR_FILE,
               "/nothing.toml");
  assert_int_equal(sixer_protocol_open("nothing", &p, NULL),
                   SIXER_ERR_CONFIG); /* no place for a message */
}

/* A file whose base is itself must not be followed forever. */
static void protocols_in_a_circle(void **state) {
  (void)state;
  char path[] = "/tmp/sixer_eval_XXXXXX.toml", text[200];
  int fd = mkstemps(path, 5);
  assert_true(fd >= 0);
  FILE *file = fdopen(fd, "w");
  snprintf(text, sizeof text, "name = \"x\"\nbase = \"%s\"\n", path);
  fputs(text, file);
  fclose(file);
  sixer_protocol *p;
  sixer_error error;
  sixer_err err = sixer_protocol_open(path, &p, &error);
  remove(path);
  assert_fails(err, &error, SIXER_ERR_CONFIG, "in a circle");
}

/* ---- while playing ---- */

static void three_scores_of_one_play(void **state) {
  (void)state;
  static const int limits[] = {18000, 108000, 0};
  sixer_tally tally;
  sixer_tally_begin(&tally, limits, 3);
  for (int step = 1; step <= 30000; step++) sixer_tally_step(&tally, 4, 1);
  assert_true(tally.frames == 120000);
  assert_true(tally.score[0] == 4500 && tally.score[1] == 27000 && tally.score[2] == 30000);
  assert_false(sixer_tally_stuck(&tally, 18000));
  for (int step = 1; step < 4500; step++) sixer_tally_step(&tally, 4, 0);
  assert_false(sixer_tally_stuck(&tally, 18000));
  sixer_tally_step(&tally, 4, 0);
  assert_true(sixer_tally_stuck(&tally, 18000));
  assert_false(sixer_tally_stuck(&tally, 0));
  sixer_tally_step(&tally, 4, -1);
  assert_false(sixer_tally_stuck(&tally, 18000));
  assert_true(tally.score[0] == 4500 && tally.score[2] == 29999);

  /* a step whose last frame is beyond a limit does not count for it */
  static const int odd[] = {10};
  sixer_tally_begin(&tally, odd, 1);
  for (int step = 0; step < 4; step++) sixer_tally_step(&tally, 4, 5);
  assert_true(tally.score[0] == 10);
}

static void counters_that_roll_over(void **state) {
  (void)state;
  assert_true(sixer_reward_unroll(-999950) == 50);
  assert_true(sixer_reward_unroll(-1000000) == 0);
  assert_true(sixer_reward_unroll(-9999990) == 10);
  assert_true(sixer_reward_unroll(-900000) == -900000);
  assert_true(sixer_reward_unroll(100) == 100);
}

static void checkpoints(void **state) {
  (void)state;
  static const int64_t frames[] = {40, 40, 40, 40, 40};
  static const double scores[] = {1, 2, 3, 4, 5};
  double mean;
  size_t averaged;
  sixer_error error;
  /* 100 frames are passed in the third episode */
  ok(sixer_checkpoint_mean(frames, scores, 5, 100, false, true, 2, &mean, &averaged, &error),
     &error);
  assert_true(mean == 2.5 && averaged == 2);
  ok(sixer_checkpoint_mean(frames, scores, 5, 100, false, false, 2, &mean, &averaged, &error),
     &error);
  assert_true(mean == 1.5 && averaged == 2);
  /* an episode that ends right on the checkpoint is the last one either way */
  ok(sixer_checkpoint_mean(frames, scores, 5, 120, false, false, 1, &mean, &averaged, &error),
     &error);
  assert_true(mean == 3);
  ok(sixer_checkpoint_mean(frames, scores, 5, 200, false, true, 100, &mean, &averaged, &error),
     &error);
  assert_true(mean == 3 && averaged == 5);
  ok(sixer_checkpoint_mean(NULL, scores, 5, 4, true, true, 2, &mean, &averaged, &error), &error);
  assert_true(mean == 3.5);
  assert_fails(
      sixer_checkpoint_mean(frames, scores, 5, 201, false, true, 2, &mean, &averaged, &error),
      &error, SIXER_ERR_ARGUMENT, "before the checkpoint");
  assert_fails(
      sixer_checkpoint_mean(frames, scores, 5, 30, false, false, 2, &mean, &averaged, &error),
      &error, SIXER_ERR_ARGUMENT, "no episode ended");
  assert_fails(
      sixer_checkpoint_mean(frames, scores, 5, 0, false, false, 2, &mean, &averaged, &error),
      &error, SIXER_ERR_ARGUMENT, "above 0");
}

/* ---- normalization and aggregates ---- */

static void normalization(void **state) {
  (void)state;
  double score = 15, low = 10, high = 20, z = 0;
  sixer_error error;
  ok(sixer_scores_normalize(SIXER_SCALE_RANGE, &score, &low, &high, 1, &z, &error), &error);
  assert_true(z == 0.5);
  high = 0; /* a reversed range: its size counts for records, its sign for ranges */
  ok(sixer_scores_normalize(SIXER_SCALE_RANGE, &score, &low, &high, 1, &z, &error), &error);
  assert_true(z == -0.5);
  ok(sixer_scores_normalize(SIXER_SCALE_ABSOLUTE, &score, &low, &high, 1, &z, &error), &error);
  assert_true(z == 0.5);
  low = -10;
  ok(sixer_scores_normalize(SIXER_SCALE_RANDOM, &score, &low, NULL, 1, &z, &error), &error);
  assert_true(z == 1.5);
  high = -10;
  ok(sixer_scores_normalize(SIXER_SCALE_INTER, &score, &low, &high, 1, &z, &error), &error);
  assert_true(z == 1);
  z = 7;
  assert_fails(sixer_scores_normalize(SIXER_SCALE_RANGE, &score, &low, &high, 1, &z, &error),
               &error, SIXER_ERR_ARGUMENT, "range of its constants is empty");
  low = 0;
  assert_fails(sixer_scores_normalize(SIXER_SCALE_RANDOM, &score, &low, NULL, 1, &z, &error),
               &error, SIXER_ERR_ARGUMENT, "range of its constants is empty");
  low = NAN;
  assert_fails(sixer_scores_normalize(SIXER_SCALE_RANGE, &score, &low, &high, 1, &z, &error),
               &error, SIXER_ERR_ARGUMENT, "cannot be normalized");
  assert_true(z == 7); /* left alone */
  score = INFINITY, low = 0, high = 10;
  ok(sixer_scores_normalize(SIXER_SCALE_RANGE, &score, &low, &high, 1, &z, &error), &error);
  assert_true(z == INFINITY);

  static const double agents[] = {1, 5, 3, 2};
  double lows[2], highs[2];
  ok(sixer_scores_range(agents, 2, 2, lows, highs, &error), &error);
  assert_true(lows[0] == 1 && highs[0] == 3 && lows[1] == 2 && highs[1] == 5);
}

static void aggregates(void **state) {
  (void)state;
  double ten[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 100}, out[SIXER_AGGREGATE_COUNT];
  size_t one[] = {10}, each[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, pairs[] = {2, 2, 2, 2, 2};
  sixer_sample sample = {ten, one, 1};
  sixer_error error;
  ok(sixer_aggregates_compute(&sample, 2, out, &error), &error);
  assert_true(out[SIXER_AGGREGATE_IQM] == 4.5);
  assert_true(out[SIXER_AGGREGATE_MEAN] == 13.6 && out[SIXER_AGGREGATE_MEDIAN] == 13.6);
  assert_true(out[SIXER_AGGREGATE_CAPPED_MEAN] == 2);
  assert_close(out[SIXER_AGGREGATE_OPTIMALITY_GAP], 0.1, 1e-15);
  sample = (sixer_sample){ten, each, 10};
  ok(sixer_aggregates_compute(&sample, 2, out, &error), &error);
  assert_true(out[SIXER_AGGREGATE_MEDIAN] == 4.5 && out[SIXER_AGGREGATE_IQM] == 4.5);
  assert_true(out[SIXER_AGGREGATE_CAPPED_MEAN] == 1.7);
  sample = (sixer_sample){ten, pairs, 5};
  ok(sixer_aggregates_compute(&sample, 2, out, &error), &error);
  assert_true(out[SIXER_AGGREGATE_MEDIAN] == 4.5 && out[SIXER_AGGREGATE_MEAN] == 13.6);

  ten[9] = INFINITY;
  ok(sixer_aggregates_compute(&sample, 2, out, &error), &error);
  assert_true(out[SIXER_AGGREGATE_MEAN] == 3.8); /* (0.5 + 2.5 + 4.5 + 6.5 + (8 + 2) / 2) / 5 */
  out[0] = 7;
  assert_fails(sixer_aggregates_compute(&sample, NAN, out, &error), &error, SIXER_ERR_ARGUMENT,
               "game 4, run 1");
  ten[9] = NAN;
  assert_fails(sixer_aggregates_compute(&sample, 2, out, &error), &error, SIXER_ERR_ARGUMENT,
               "NaN");
  pairs[1] = 0;
  assert_fails(sixer_aggregates_compute(&sample, 2, out, &error), &error, SIXER_ERR_ARGUMENT,
               "game 1 has no runs");
  assert_true(out[0] == 7);
  for (int i = 0; i < SIXER_AGGREGATE_COUNT; i++) assert_non_null(sixer_aggregate_name(i));
  assert_null(sixer_aggregate_name(SIXER_AGGREGATE_COUNT));
}

static void classes_and_distributions(void **state) {
  (void)state;
  static const double scores[] = {-5,  0.0099, 0.01, 0.0999, 0.1,     0.4999,
                                  0.5, 0.999,  1,    3,      INFINITY};
  static const size_t wanted[] = {2, 2, 2, 2, 3};
  size_t counts[SIXER_CLASS_COUNT], bins[3], runs[] = {2, 1};
  sixer_error error;
  ok(sixer_classes_count(scores, 11, counts, &error), &error);
  assert_memory_equal(counts, wanted, sizeof counts);
  assert_string_equal(sixer_class_name(SIXER_CLASS_SUPERHUMAN), "superhuman");
  static const double edges[] = {0, 1};
  ok(sixer_histogram_count(scores, 11, edges, 2, bins, &error), &error);
  assert_true(bins[0] == 1 && bins[1] == 7 && bins[2] == 3);
  static const double falling[] = {1, 0};
  assert_fails(sixer_histogram_count(scores, 11, falling, 2, bins, &error), &error,
               SIXER_ERR_ARGUMENT, "does not rise");

  static const double values[] = {0, 2, 1}, points[] = {0, 1, 2};
  double out[3];
  sixer_sample sample = {values, runs, 2};
  ok(sixer_profile_compute(&sample, SIXER_PROFILE_RUNS, points, 3, out, &error), &error);
  assert_close(out[0], 2.0 / 3, 1e-15);
  assert_close(out[1], 1.0 / 3, 1e-15);
  assert_true(out[2] == 0);
  ok(sixer_profile_compute(&sample, SIXER_PROFILE_GAMES, points, 3, out, &error), &error);
  assert_true(out[0] == 1 && out[1] == 0 && out[2] == 0);
  ok(sixer_profile_compute(&sample, SIXER_PROFILE_AT_LEAST, points, 3, out, &error), &error);
  assert_true(out[0] == 1 && out[1] == 1 && out[2] == 0);
}

static void improvement(void **state) {
  (void)state;
  static const double a[] = {1, 2, 3, 5}, b[] = {2, 2, 0, 5};
  size_t runs[] = {3, 1}, other[] = {2};
  double p;
  sixer_sample x = {a, runs, 2}, y = {b, runs, 2}, z = {b, other, 1};
  sixer_error error;
  /* game 0: of nine pairs, 1 wins one (over 0), 2 wins one and ties two, 3 wins three: 6/9. Game 1:
   * a tie */
  ok(sixer_improvement_compute(&x, &y, &p, &error), &error);
  assert_close(p, (6.0 / 9 + 0.5) / 2, 1e-15);
  ok(sixer_improvement_compute(&x, &x, &p, &error), &error);
  assert_true(p == 0.5);
  assert_fails(sixer_improvement_compute(&x, &z, &p, &error), &error, SIXER_ERR_ARGUMENT,
               "2 and 1 games");
}

/* ---- tests ---- */

static void welch(void **state) {
  (void)state;
  sixer_welch test;
  sixer_error error;
  /* Sarsa on Space Invaders at 50 and 100 million frames, Machado et al. 2018, Table 8 */
  ok(sixer_welch_test(656.7, 67.6, 24, 579.1, 36.5, 24, &test, &error), &error);
  assert_close(test.t, 4.948, 0.0005);
  assert_close(test.df, 35.36, 0.005);
  assert_true(test.p > 0 && test.p < 0.05);
  ok(sixer_welch_test(579.1, 36.5, 24, 656.7, 67.6, 24, &test, &error), &error);
  assert_close(test.t, -4.948, 0.0005);

  /* Student's distribution in closed form: df 1 is Cauchy, df 2 algebraic, infinite normal */
  for (double t = 0.1; t < 1000; t *= 3) {
    assert_close(sixer_student_p(t, 1), 1 - 2 / acos(-1) * atan(t), 1e-15);
    assert_close(sixer_student_p(t, 2), 2 / (sqrt(2 + t * t) * (sqrt(2 + t * t) + t)), 1e-15);
    assert_true(sixer_student_p(-t, 7) == sixer_student_p(t, 7));
  }
  assert_close(sixer_student_p(1.959963984540054, INFINITY), 0.05, 1e-15);
  assert_close(sixer_student_p(1.959963984540054, 1e12), 0.05, 1e-10);
  assert_true(sixer_student_p(0, 5) == 1 && sixer_student_p(INFINITY, 5) == 0);

  ok(sixer_welch_test(1, 0, 5, 1, 0, 5, &test, &error), &error);
  assert_true(test.t == 0 && test.p == 1 && isnan(test.df));
  ok(sixer_welch_test(1, 0, 5, 2, 0, 5, &test, &error), &error);
  assert_true(test.t == -INFINITY && test.p == 0);
  ok(sixer_welch_test(1, 1e-200, 5, 2, 1e-200, 5, &test, &error), &error);
  assert_close(test.df, 8, 1e-12);
  assert_fails(sixer_welch_test(1, 1, 1, 2, 1, 5, &test, &error), &error, SIXER_ERR_ARGUMENT,
               "at least two runs");
  assert_fails(sixer_welch_test(NAN, 1, 5, 2, 1, 5, &test, &error), &error, SIXER_ERR_ARGUMENT,
               "finite means");
  assert_fails(sixer_welch_test(1, -1, 5, 2, 1, 5, &test, &error), &error, SIXER_ERR_ARGUMENT,
               "finite means");

  static const double means[] = {10, 10, 0, 5, 20, 0, 0, 10, 0},
                      sds[] = {1, 1, 1, 1, 1, 1, 1, NAN, 0};
  static const double sizes[] = {5, 5, 5, 5, 5, 5, 5, 0, 5};
  static const size_t wanted[] = {0, 1, 1, 1, 0, 1, 0, 0, 0},
                      skipped[] = {0, 0, 1, 0, 0, 1, 1, 1, 0};
  size_t better[9], untested[9];
  ok(sixer_welch_table(means, sds, sizes, 3, 3, 0.01, better, untested, &error), &error);
  assert_memory_equal(better, wanted, sizeof wanted);
  assert_memory_equal(untested, skipped, sizeof skipped);
  assert_fails(sixer_welch_table(means, sds, sizes, 3, 3, 0, better, untested, &error), &error,
               SIXER_ERR_ARGUMENT, "between 0 and 1");
}

/* ---- bootstrap ---- */

enum { B_GAMES = 6, B_RUNS = 5 };

static sixer_sample some_sample(double *scores, size_t *runs) {
  uint64_t seed = 12345;
  for (size_t i = 0; i < B_GAMES * B_RUNS; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    scores[i] = (double)(seed >> 40) / 16777216 + (double)(i / B_RUNS);
  }
  for (size_t g = 0; g < B_GAMES; g++) runs[g] = B_RUNS;
  return (sixer_sample){scores, runs, B_GAMES};
}

static void bootstrap_is_deterministic(void **state) {
  (void)state;
  double scores[B_GAMES * B_RUNS];
  size_t runs[B_GAMES];
  sixer_sample sample = some_sample(scores, runs);
  sixer_bootstrap settings = sixer_bootstrap_default();
  sixer_interval one[SIXER_AGGREGATE_COUNT], two[SIXER_AGGREGATE_COUNT],
      single[SIXER_AGGREGATE_COUNT];
  sixer_error error;
  for (int games = 0; games < 2; games++) {
    settings.replicates = 3000;
    settings.resample_games = games;
    settings.threads = 1;
    ok(sixer_bootstrap_aggregates(&sample, &settings, one, &error), &error);
    settings.threads = 7;
    ok(sixer_bootstrap_aggregates(&sample, &settings, two, &error), &error);
    assert_memory_equal(one, two, sizeof one);
    for (unsigned a = 0; a < SIXER_AGGREGATE_COUNT; a++) {
      assert_true(one[a].low <= one[a].value && one[a].value <= one[a].high &&
                  one[a].low < one[a].high);
      /* asking for one aggregate gives the same as asking for all */
      settings.aggregates = 1u << a;
      ok(sixer_bootstrap_aggregates(&sample, &settings, single, &error), &error);
      assert_memory_equal(&single[a], &one[a], sizeof *single);
      settings.aggregates = (1u << SIXER_AGGREGATE_COUNT) - 1;
    }
    settings.seed = 1;
    ok(sixer_bootstrap_aggregates(&sample, &settings, two, &error), &error);
    assert_memory_not_equal(one, two, sizeof one);
    settings.seed = 0;
  }
}

/* Every replicate is an aggregate of drawn runs, and their spread is what theory says: for the mean
 * of games' means the standard error is sqrt(sum of s^2 (n - 1) / n^2) / games, with s the
 * deviations within games. */
static void bootstrap_draws_what_it_should(void **state) {
  (void)state;
  double scores[B_GAMES * B_RUNS], theory = 0;
  size_t runs[B_GAMES];
  sixer_sample sample = some_sample(scores, runs);
  sixer_bootstrap settings = sixer_bootstrap_default();
  sixer_interval out[SIXER_AGGREGATE_COUNT];
  sixer_error error;
  double *values = malloc(settings.replicates * sizeof *values), mean = 0, variance = 0;
  settings.values = values;
  settings.aggregates = 1u << SIXER_AGGREGATE_MEAN;
  ok(sixer_bootstrap_aggregates(&sample, &settings, out, &error), &error);
  for (size_t g = 0; g < B_GAMES; g++) {
    double m = 0, s = 0;
    for (size_t r = 0; r < B_RUNS; r++) m += scores[g * B_RUNS + r] / B_RUNS;
    for (size_t r = 0; r < B_RUNS; r++)
      s += (scores[g * B_RUNS + r] - m) * (scores[g * B_RUNS + r] - m) / (B_RUNS - 1);
    theory += s * (B_RUNS - 1) / (B_RUNS * B_RUNS) / (B_GAMES * B_GAMES);
  }
  for (size_t i = 0; i < settings.replicates; i++) mean += values[i] / (double)settings.replicates;
  for (size_t i = 0; i < settings.replicates; i++)
    variance += (values[i] - mean) * (values[i] - mean) / (double)settings.replicates;
  assert_close(mean, out[SIXER_AGGREGATE_MEAN].value, 5 * sqrt(theory / 50000));
  assert_close(sqrt(variance / theory), 1, 0.02);
  assert_true(isnan(out[SIXER_AGGREGATE_IQM].low) && !isnan(out[SIXER_AGGREGATE_IQM].value));
  /* the percentiles lie where they should */
  size_t below = 0, above = 0;
  for (size_t i = 0; i < settings.replicates; i++) {
    below += values[i] < out[SIXER_AGGREGATE_MEAN].low;
    above += values[i] > out[SIXER_AGGREGATE_MEAN].high;
  }
  assert_true(below == 1250 && above == 1250);
  free(values);
}

static void bootstrap_of_one_run_and_bad_settings(void **state) {
  (void)state;
  static const double scores[] = {1, 2, 3, 4};
  static const size_t runs[] = {1, 1, 1, 1};
  sixer_sample sample = {scores, runs, 4};
  sixer_bootstrap settings = sixer_bootstrap_default();
  sixer_interval out[SIXER_AGGREGATE_COUNT];
  sixer_error error;
  settings.replicates = 100;
  ok(sixer_bootstrap_aggregates(&sample, &settings, out, &error), &error);
  assert_true(out[SIXER_AGGREGATE_MEAN].low == 2.5 && out[SIXER_AGGREGATE_MEAN].high == 2.5);
  settings.confidence = 1;
  assert_fails(sixer_bootstrap_aggregates(&sample, &settings, out, &error), &error,
               SIXER_ERR_CONFIG, "between 0 and 1");
  settings = sixer_bootstrap_default();
  settings.replicates = 0;
  assert_fails(sixer_bootstrap_aggregates(&sample, &settings, out, &error), &error,
               SIXER_ERR_CONFIG, "0 replicates");
  sixer_bootstrap zero = {0};
  assert_fails(sixer_bootstrap_aggregates(&sample, &zero, out, &error), &error, SIXER_ERR_CONFIG,
               "sixer_bootstrap_default");
}

static void bootstrap_bands(void **state) {
  (void)state;
  double scores[B_GAMES * B_RUNS];
  size_t runs[B_GAMES];
  sixer_sample sample = some_sample(scores, runs);
  sixer_bootstrap settings = sixer_bootstrap_default();
  static const double points[] = {-1, 0.5, 2.5, 3.5, 10};
  sixer_interval one[5], two[5], duel, again;
  sixer_error error;
  settings.replicates = 2000;
  for (int kind = 0; kind < 3; kind++) {
    settings.threads = 1;
    ok(sixer_bootstrap_profile(&sample, (sixer_profile)kind, points, 5, &settings, one, &error),
       &error);
    settings.threads = 3;
    ok(sixer_bootstrap_profile(&sample, (sixer_profile)kind, points, 5, &settings, two, &error),
       &error);
    assert_memory_equal(one, two, sizeof one);
    assert_true(one[0].low == 1 && one[0].high == 1 && one[4].low == 0 && one[4].high == 0);
    for (int p = 0; p < 5; p++)
      assert_true(one[p].low <= one[p].value && one[p].value <= one[p].high);
  }
  double better[B_GAMES * B_RUNS];
  for (size_t i = 0; i < B_GAMES * B_RUNS; i++) better[i] = scores[i] + 0.25;
  sixer_sample x = {better, runs, B_GAMES};
  ok(sixer_bootstrap_improvement(&x, &sample, &settings, &duel, &error), &error);
  assert_true(duel.value > 0.5 && duel.low < duel.value && duel.value < duel.high &&
              duel.high <= 1);
  settings.threads = 1;
  ok(sixer_bootstrap_improvement(&x, &sample, &settings, &again, &error), &error);
  assert_memory_equal(&duel, &again, sizeof duel);
}

static void bootstrap_of_a_model(void **state) {
  (void)state;
  static const double scores[] = {0.99, 0.99, 9.99, 9.99, 4, 6}, coefficients[] = {0.5, 0.5, 0};
  static const size_t runs[] = {2, 2, 2};
  sixer_sample sample = {scores, runs, 3};
  sixer_bootstrap settings = sixer_bootstrap_default();
  sixer_interval out;
  sixer_error error;
  settings.replicates = 500;
  /* 99 % and 999 % have logs 2 and 3; the game that varies has no weight */
  ok(sixer_bootstrap_model(&sample, coefficients, &settings, &out, &error), &error);
  assert_close(out.value, pow(10, 2.5) - 1, 1e-9);
  assert_close(out.low, out.value, 1e-9);
  assert_close(out.high, out.value, 1e-9);
  static const double weights[] = {0, 0, 1};
  ok(sixer_bootstrap_model(&sample, weights, &settings, &out, &error), &error);
  assert_close(out.value, 500, 1e-9);
  assert_close(out.low, 400, 1e-9);
  assert_close(out.high, 600, 1e-9);
  static const double wrong[] = {0, NAN, 1};
  assert_fails(sixer_bootstrap_model(&sample, wrong, &settings, &out, &error), &error,
               SIXER_ERR_ARGUMENT, "coefficient of game 1");
  settings.resample_games = true;
  assert_fails(sixer_bootstrap_model(&sample, weights, &settings, &out, &error), &error,
               SIXER_ERR_CONFIG, "fixed games");
}

/* ---- subsets ---- */

enum { S_ROWS = 70, S_GAMES = 11 };

/* Random data with gaps: more than 64 rows, some games complete, some nearly. */
static void make_data(double *x, double *y, uint64_t seed) {
  for (size_t r = 0; r < S_ROWS; r++) {
    double base = 0;
    for (size_t g = 0; g < S_GAMES; g++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      double u = (double)(seed >> 11) / 9007199254740992.0;
      if (g == 0) base = 3 * u;
      x[r * S_GAMES + g] = base + u;
      if (g % 3 == 1 && (seed >> 7) % 10 == 0) x[r * S_GAMES + g] = NAN;
      if (g == 5 && r > 60) x[r * S_GAMES + g] = NAN;
    }
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    y[r] = base + 0.5 + (double)(seed >> 11) / 9007199254740992.0;
  }
}

/* All subsets of `size` that contain the required games, by the plain route. */
static void plain_search(const sixer_regression_data *data, const sixer_search *s, sixer_fit *best,
                         sixer_search_result *result) {
  int games[SIXER_SUBSET_MAX];
  bool any = false;
  *result = (sixer_search_result){.reference_cv_mse = NAN};
  for (unsigned set = 0; set < 1u << data->games; set++) {
    size_t count = 0;
    bool fits = true;
    for (size_t g = 0; g < data->games; g++) {
      bool in = set >> g & 1;
      if (in && s->excluded && s->excluded[g]) fits = false;
      if (in && count < SIXER_SUBSET_MAX) games[count++] = (int)g;
    }
    for (size_t i = 0; i < s->required_count; i++) fits &= set >> s->required[i] & 1;
    if (!fits || count != s->size) continue;
    sixer_fit fit;
    bool negative = false;
    result->subsets++;
    if (sixer_subset_fit(data, games, count, false, s->kind, s->folds, s->seed, &fit, NULL)) {
      result->unfit++;
      continue;
    }
    for (size_t i = 0; i < count; i++) negative |= fit.coefficients[i] < 0;
    if (negative) {
      result->negative++;
      continue;
    }
    if (!any || fit.cv_mse < best->cv_mse) *best = fit;
    any = true;
  }
  result->found = any;
}

static void search_equals_the_plain_route(void **state) {
  (void)state;
  static double x[S_ROWS * S_GAMES], y[S_ROWS];
  sixer_error error;
  static const int required[] = {4, 6};
  bool excluded[S_GAMES] = {0};
  excluded[2] = true;
  for (unsigned trial = 0; trial < 24; trial++) {
    make_data(x, y, trial + 1);
    if (trial == 20) { /* two games that say the same */
      for (size_t r = 0; r < S_ROWS; r++) x[r * S_GAMES + 8] = 2 * x[r * S_GAMES + 3];
    }
    sixer_regression_data data = {x, y, S_ROWS, S_GAMES, NULL};
    sixer_search search = sixer_search_default();
    search.size = 1 + trial % 6;
    search.kind = (sixer_folds)(trial % 3);
    search.seed = trial;
    search.folds = trial % 4 == 3 ? 5 : 10;
    if (trial % 2 && search.size >= 2) {
      search.required = required;
      search.required_count = 2;
    }
    if (trial % 5 == 0) search.excluded = excluded;
    sixer_fit plain = {0}, fast[3] = {0}, other[3] = {0};
    sixer_search_result a, b, c;
    search.top = 3;
    plain_search(&data, &search, &plain, &a);
    search.threads = 1;
    ok(sixer_subset_search(&data, &search, fast, &b, &error), &error);
    search.threads = 3;
    ok(sixer_subset_search(&data, &search, other, &c, &error), &error);
    assert_int_equal(a.subsets, b.subsets);
    assert_int_equal(a.negative, b.negative);
    assert_int_equal(a.unfit, b.unfit);
    assert_int_equal(a.found > 0, b.found > 0);
    if (trial == 20) assert_true(search.size != 3 || b.unfit > 0);
    assert_memory_equal(&b, &c, sizeof b);
    assert_memory_equal(fast, other, sizeof fast);
    if (!a.found) continue;
    assert_memory_equal(&plain, &fast[0], sizeof plain);
    /* the rank of what was found */
    for (size_t i = 0; i < b.found; i++) {
      search.reference = fast[i].games;
      ok(sixer_subset_search(&data, &search, other, &c, &error), &error);
      assert_int_equal(c.reference_rank, i + 1);
      assert_true(c.reference_cv_mse == fast[i].cv_mse);
    }
  }
}

/* Every instruction set gives the same bits, before anything is made again by other means. */
static void search_in_every_instruction_set(void **state) {
  (void)state;
  static double x[S_ROWS * S_GAMES], y[S_ROWS];
  enum { TOP = 200 };
  static sixer_fit fits[3][TOP];
  static double raw[3][TOP];
  sixer_search_result results[3];
  sixer_error error;
  for (unsigned trial = 0; trial < 8; trial++) {
    make_data(x, y, 100 + trial);
    sixer_regression_data data = {x, y, S_ROWS, S_GAMES, NULL};
    sixer_search search = sixer_search_default();
    search.size = 1 + trial;
    search.top = TOP;
    for (int set = 0; set < 3; set++) {
      memset(raw[set], 0, sizeof raw[set]);
      ok(eval_subset_search(&data, &search, set, fits[set], raw[set], &results[set], &error),
         &error);
    }
    for (int set = 1; set < 3; set++) {
      assert_memory_equal(&results[0], &results[set], sizeof results[0]);
      assert_memory_equal(raw[0], raw[set], sizeof raw[0]);
    }
    for (size_t i = 0; i < results[0].found; i++)
      assert_close(raw[0][i] / fits[0][i].cv_mse, 1, 1e-9);
  }
}

static void fits_by_hand(void **state) {
  (void)state;
  /* y = 2a + 3b exactly */
  static const double x[] = {1, 1, 2, 1, 1, 3, 4, 1, NAN, 5, 2, 7}, y[] = {5, 7, 11, 11, 0, 25};
  sixer_regression_data data = {x, y, 6, 2, NULL};
  static const int games[] = {1, 0};
  sixer_fit fit;
  sixer_error error;
  ok(sixer_subset_fit(&data, games, 2, false, SIXER_FOLDS_INDEX, 5, 0, &fit, &error), &error);
  assert_int_equal(fit.rows, 5);
  assert_true(fit.games[0] == 0 && fit.games[1] == 1);
  assert_close(fit.coefficients[0], 2, 1e-12);
  assert_close(fit.coefficients[1], 3, 1e-12);
  assert_close(fit.cv_mse, 0, 1e-24);
  assert_close(fit.r2, 1, 1e-12);
  ok(sixer_subset_fit(&data, games, 1, true, SIXER_FOLDS_INDEX, 0, 0, &fit, &error), &error);
  assert_true(fit.intercept != 0 && isnan(fit.cv_mse));
  static const int bad[] = {0, 2};
  assert_fails(sixer_subset_fit(&data, bad, 2, false, SIXER_FOLDS_INDEX, 0, 0, &fit, &error),
               &error, SIXER_ERR_ARGUMENT, "out of range");
  sixer_regression_data two = {x, y, 1, 2, NULL};
  assert_fails(sixer_subset_fit(&two, games, 2, false, SIXER_FOLDS_INDEX, 0, 0, &fit, &error),
               &error, SIXER_ERR_ARGUMENT, "too few");
  assert_close(sixer_log_score(99), 2, 1e-15);
  assert_true(sixer_log_score(-5) == 0);
  assert_close(sixer_log_score_inverse(2), 99, 1e-12);
}

static void search_settings_that_are_wrong(void **state) {
  (void)state;
  static double x[S_ROWS * S_GAMES], y[S_ROWS];
  make_data(x, y, 1);
  sixer_regression_data data = {x, y, S_ROWS, S_GAMES, NULL};
  sixer_fit fit;
  sixer_search_result result;
  sixer_error error;
  static const int twice[] = {1, 1};
  sixer_search s = {0};
  assert_fails(sixer_subset_search(&data, &s, &fit, &result, &error), &error, SIXER_ERR_CONFIG,
               "sixer_search_default");
  s = sixer_search_default(), s.size = 12;
  assert_fails(sixer_subset_search(&data, &s, &fit, &result, &error), &error, SIXER_ERR_ARGUMENT,
               "a subset of 12 games");
  s = sixer_search_default(), s.folds = 1;
  assert_fails(sixer_subset_search(&data, &s, &fit, &result, &error), &error, SIXER_ERR_ARGUMENT,
               "1 folds");
  s = sixer_search_default(), s.required = twice, s.required_count = 2;
  assert_fails(sixer_subset_search(&data, &s, &fit, &result, &error), &error, SIXER_ERR_ARGUMENT,
               "given twice");
  y[3] = NAN;
  s = sixer_search_default();
  assert_fails(sixer_subset_search(&data, &s, &fit, &result, &error), &error, SIXER_ERR_ARGUMENT,
               "row 3: the target");
}

/* ---- published results ---- */

static void published(void **state) {
  (void)state;
  sixer_published *p;
  sixer_error error;
  const sixer_result_set *set;
  ok(sixer_published_open(&p, &error), &error);
  assert_int_equal(sixer_published_count(p), 10 + 8 + 3 + 12 + 3 + 62);
  assert_null(sixer_published_get(p, 98));
  size_t share_alike = 0, mit = 0, scores = 0;
  for (size_t i = 0; i < sixer_published_count(p); i++) {
    set = sixer_published_get(p, i);
    if (!strcmp(set->license, "CC-BY-SA-4.0")) share_alike += set->count;
    if (!strcmp(set->license, "MIT")) mit += set->count;
    if (!strcmp(set->source, "atari5")) scores++;
    for (size_t g = 0; g < set->count; g++) assert_false(isnan(set->means[g]));
  }
  assert_int_equal(share_alike, 1460);
  assert_int_equal(mit, 3361 - 1460);
  assert_int_equal(scores, 62);

  ok(sixer_published_find(p, "rainbow", "saber", &set, &error), &error);
  assert_string_equal(set->id, "saber/rainbow");
  ok(sixer_published_find(p, "Rainbow-IQN@30min", "saber", &set, &error), &error);
  assert_int_equal(set->limit, 108000);
  ok(sixer_published_find(p, "random", "bellemare2013", &set, &error), &error);
  assert_string_equal(set->source, "bellemare2013");
  assert_fails(sixer_published_find(p, "random", NULL, &set, &error), &error, SIXER_ERR_ARGUMENT,
               "several");
  assert_fails(sixer_published_find(p, "muze", NULL, &set, &error), &error, SIXER_ERR_ARGUMENT,
               "atari5/muzero");

  static const char *const spellings[] = {"ms_pacman", "Ms. Pac-Man",     "MsPacman",
                                          "mspacman",  "ALE/MsPacman-v5", "MsPacmanNoFrameskip-v4"};
  for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
    const char *id = sixer_published_game(p, spellings[i]);
    if (!id || strcmp(id, "ms_pacman")) fail_msg("%s is %s", spellings[i], id ? id : "unknown");
  }
  assert_null(sixer_published_game(p, "chess"));
  assert_null(sixer_published_game(p, ""));
  size_t size;
  assert_non_null(sixer_published_file("NOTICE", &size));
  assert_null(sixer_published_file("nothing.csv", &size));
  sixer_published_close(p);
}

/* ---- result files ---- */

typedef struct reading {
  sixer_published *published;
  sixer_protocol *protocol;
} reading;

static const char tiny[] =
    "name = \"tiny\"\nbase = \"saber\"\n[games]\nlist = [\"alien\", \"pong\", "
    "\"tennis\"]\n[score]\nepisodes = 2\ntrials = 2\n"
    "[training]\nlength = 100\ncheckpoints = [50, 100]\n";

static int open_reading(void **state) {
  static reading r;
  sixer_error error;
  ok(sixer_published_open(&r.published, &error), &error);
  ok(sixer_protocol_parse(tiny, "tiny", &r.protocol, &error), &error);
  *state = &r;
  return 0;
}

static int close_reading(void **state) {
  reading *r = *state;
  sixer_protocol_close(r->protocol);
  sixer_published_close(r->published);
  return 0;
}

static sixer_scores *begin_scores(const sixer_protocol *protocol,
                                  const sixer_published *published) {
  sixer_scores *scores;
  sixer_error error;
  sixer_scores_config config = sixer_scores_config_default(protocol);
  ok(sixer_scores_create(protocol, published, &config, &scores, &error), &error);
  return scores;
}

static bool warned(const sixer_scores *s, const char *name) {
  for (size_t i = 0; i < s->warning_count; i++) {
    if (!strcmp(s->warnings[i].name, name)) return true;
  }
  return false;
}

static void files_that_are_right(void **state) {
  reading *r = *state;
  sixer_scores *s;
  sixer_error error;
  static const char two_runs[] =
      "# made "
      "today\ngame,run,score\nalien,0,100\nalien,1,300\n\"pong\",0,-20.5\r\npong,1,-19.5\ntennis,0,"
      "0\ntennis,1,inf\n";
  s = begin_scores(r->protocol, r->published);
  ok(sixer_scores_parse(s, two_runs, strlen(two_runs), "f", "me", &error), &error);
  assert_int_equal(s->agent_count, 1);
  assert_int_equal(s->warning_count, 1);
  assert_true(warned(s, "unstated-protocol"));
  assert_string_equal(s->agents[0].name, "me");
  assert_true(s->agents[0].means[0] == 200 && s->agents[0].runs[0] == 2 &&
              s->agents[0].means[1] == -20);
  assert_close(s->agents[0].sds[0], sqrt(20000), 1e-9);
  assert_true(s->agents[0].means[2] == INFINITY && s->agents[0].sizes[2] == 0);
  sixer_scores_destroy(s);

  /* several agents, tabs, other names of columns and games, frames of training, limits, protocols
   */
  sixer_protocol_info info = sixer_protocol_describe(r->protocol);
  char text[4000];
  snprintf(text, sizeof text,
           "env_id\talgorithm\tseed\tframes\tlimit\tprotocol\tscore\n"
           "ALE/"
           "Alien-v5\ta\t0\t100\tnone\ttiny@1#%s\t1\nPong\ta\t0\t100\tnone\ttiny@"
           "1\t2\nTennis\ta\t0\t100\tnone\ttiny\t3\n"
           "Alien\ta\t0\t50\tnone\ttiny\t7\nAlien\ta\t0\t100\t5min\ttiny\t8\nAlien\tb\t0\t100\tnone"
           "\ttiny\t4\n"
           "Pong\tb\t0\t100\tnone\ttiny\t5\nTennis\tb\t0\t100\tnone\ttiny#%."
           "12s\t6\nPitfall\tb\t0\t100\tnone\ttiny\t6\n",
           info.hash, info.hash);
  s = begin_scores(r->protocol, r->published);
  ok(sixer_scores_parse(s, text, strlen(text), "f", "me", &error), &error);
  assert_int_equal(s->agent_count, 2);
  assert_true(s->agents[0].means[0] == 1 && s->agents[1].means[2] == 6);
  assert_true(warned(s, "one-run") && warned(s, "other-games"));
  sixer_scores_destroy(s);

  /* scores of one play after several limits, in columns */
  static const char wide[] =
      "game,score_18000,score_108000,score\nalien,1,2,3\npong,1,2,3\ntennis,1,2,3\n";
  static const int limits[] = {18000, 108000, 0};
  for (int i = 0; i < 3; i++) {
    s = begin_scores(r->protocol, r->published);
    s->limit = limits[i];
    ok(sixer_scores_parse(s, wide, strlen(wide), "f", "me", &error), &error);
    assert_true(s->agents[0].means[1] == i + 1);
    sixer_scores_destroy(s);
  }
}

/* The same through the public header. */
static void files_through_the_public_header(void **state) {
  reading *r = *state;
  sixer_error error;
  sixer_scores *s = NULL;
  static const char text[] = "game,score\nalien,200\npong,-20\ntennis,inf\n";
  sixer_scores_config config = sixer_scores_config_default(r->protocol);
  sixer_scores_config wrong = config;
  wrong.checkpoint++;
  assert_fails(sixer_scores_create(r->protocol, r->published, &wrong, &s, &error), &error,
               SIXER_ERR_CONFIG, "reports no scores at");
  wrong = config;
  wrong.limit = 12345;
  assert_fails(sixer_scores_create(r->protocol, r->published, &wrong, &s, &error), &error,
               SIXER_ERR_CONFIG, "12345 frames");
  wrong.cookie = 0;
  assert_fails(sixer_scores_create(r->protocol, r->published, &wrong, &s, &error), &error,
               SIXER_ERR_CONFIG, "sixer_scores_config_default");
  assert_null(s);
  ok(sixer_scores_create(r->protocol, r->published, &config, &s, &error), &error);
  ok(sixer_scores_parse(s, text, strlen(text), "f", "me", &error), &error);
  assert_int_equal(sixer_scores_agent_count(s), 1);
  sixer_agent_scores me = sixer_scores_agent(s, 0);
  assert_string_equal(me.name, "me");
  assert_true(me.runs[0] == 1 && me.scores[1][0] == -20 && me.means[2] == INFINITY);
  double low[3], high[3];
  sixer_scale scale;
  ok(sixer_scores_constants(s, "relative", &me, 1, &scale, low, high, &error), &error);
  assert_true(high[0] == 200 && high[1] == -20 && isnan(high[2]));
  /* no protocol, one run instead of two, and this: */
  assert_int_equal(sixer_scores_warning_count(s), 3);
  assert_string_equal(sixer_scores_warning(s, 2).name, "no-constant");
  ok(sixer_scores_warn(s, "mine", "a text", &error), &error);
  assert_string_equal(sixer_scores_warning(s, 3).text, "a text");
  sixer_scores_destroy(s);
  sixer_scores_destroy(NULL);
}

static void files_of_episodes(void **state) {
  reading *r = *state;
  sixer_scores *s;
  sixer_error error;
  /* checkpoint at 100 frames: passed in the third episode of 40; two episodes are averaged */
  static const char episodes[] =
      "game,run,episode,frames,score\nalien,0,1,40,1\nalien,0,3,40,5\nalien,0,2,40,3\nalien,0,4,40,"
      "100\n"
      "pong,0,1,200,7\ntennis,0,1,99,1\ntennis,0,2,99,2\n";
  s = begin_scores(r->protocol, r->published);
  ok(sixer_scores_parse(s, episodes, strlen(episodes), "f", "me", &error), &error);
  assert_true(s->agents[0].means[0] == 4 && s->agents[0].means[1] == 7 &&
              s->agents[0].means[2] == 1.5);
  assert_true(warned(s, "few-episodes"));
  sixer_scores_destroy(s);
  s = begin_scores(r->protocol, r->published);
  s->checkpoint = 1000;
  assert_fails(sixer_scores_parse(s, episodes, strlen(episodes), "f", "me", &error), &error,
               SIXER_ERR_FILE, "before the checkpoint at 1000");
  sixer_scores_destroy(s);
}

/* Levels: those of the test make the score, those of training are kept beside it. */
static void files_of_levels(void **state) {
  reading *r = *state;
  static const char protocol_text[] =
      "name = \"small\"\nbase = \"sixer-levels\"\n[games]\nlist = [\"duskrain\", \"hedgelight\"]\n"
      "tuning = []\n[levels]\ntrain = [0, 3]\ntest = [8, 9]\n[score]\nepisodes = 4\n";
  static const char text[] =
      "game,run,level,episode,score\nduskrain,1,8,0,10\nduskrain,1,9,1,20\nduskrain,1,8,2,30\n"
      "duskrain,1,9,0,40\nduskrain,1,0,0,100\nduskrain,1,3,0,50\nduskrain,2,8,0,0\nduskrain,2,8,1,"
      "0\n"
      "duskrain,2,9,0,0\nduskrain,2,9,1,100\nduskrain,2,2,0,125\n"
      "sixer/Hedgelight-v0,1,8,0,1\nsixer/"
      "hedgelight,1,8,1,1\nhedgelight,1,9,0,5\nhedgelight,1,9,1,5\n"
      "hedgelight,2,8,0,4\nhedgelight,2,8,1,4\nhedgelight,2,9,0,4\nhedgelight,2,9,1,4\n";
  static const struct {
    const char *text, *says;
  } wrong[] = {
      {"game,level,score\nduskrain,8,1\nduskrain,7,1\n",
       "f:3: level 7 is not one of small, which trains on 0 to 3 and tests on 8 to 9"},
      {"game,level,score\nduskrain,8.5,1\n", "f:2: the level '8.5' is not a whole number"},
      {"game,level,score\nduskrain,8,1\nduskrain,9,1\nduskrain,8,2\n",
       "f:4: level 8 of duskrain is given twice (also in line 2)"},
      {"game,level,episode,score\nduskrain,8,1,1\nduskrain,8,2,1\nduskrain,8,3,1\n",
       "f:4: level 8 of duskrain is played more than 2 times"},
      {"game,level,score\nduskrain,1,1\nhedgelight,1,2\n", "lacks 2 of the 2 games"},
      {"game,level,score\nsixer/Duskrain-v1,8,1\n", "there is no game 'sixer/Duskrain-v1'"},
  };
  sixer_protocol *small;
  sixer_error error;
  sixer_scores *s;
  ok(sixer_protocol_parse(protocol_text, "small", &small, &error), &error);
  sixer_protocol_info info = sixer_protocol_describe(small);
  assert_true(info.train_levels[0] == 0 && info.train_levels[1] == 3 && info.test_levels[0] == 8 &&
              info.test_levels[1] == 9);
  assert_true(sixer_protocol_describe(r->protocol).train_levels[0] == -1);
  s = begin_scores(small, r->published);
  ok(sixer_scores_parse(s, text, strlen(text), "f", "me", &error), &error);
  const eval_agent *a = &s->agents[0];
  assert_true(a->runs[0] == 2 && a->scores[0][0] == 25 && a->scores[0][1] == 25);
  assert_true(a->runs[1] == 2 && a->scores[1][0] == 3 && a->scores[1][1] == 4);
  assert_true(a->trained[0] == 100 && isnan(a->trained[1])); /* of the runs' means, 75 and 125 */
  assert_false(warned(s, "missing-levels"));
  sixer_scores_destroy(s);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    s = begin_scores(small, r->published);
    assert_fails(sixer_scores_parse(s, wrong[i].text, strlen(wrong[i].text), "f", "me", &error),
                 &error, SIXER_ERR_FILE, wrong[i].says);
    sixer_scores_destroy(s);
  }
  static const char few[] = "game,level,score\nduskrain,8,1\nduskrain,9,1\nhedgelight,8,1\n";
  s = begin_scores(small, r->published);
  ok(sixer_scores_parse(s, few, strlen(few), "f", "me", &error), &error);
  assert_true(warned(s, "missing-levels"));
  sixer_scores_destroy(s);
  sixer_protocol_close(small);
}

static void files_that_are_wrong(void **state) {
  reading *r = *state;
  static const struct {
    const char *text, *says;
  } wrong[] = {
      {"", "f: empty"},
      {"game\n", "there is no column 'score'"},
      {"player,score\n", "there is no column 'game'; found are: player, score"},
      {"game,score\n", "no score of a game of tiny"},
      {"game,score\nalien\n", "f:2: 1 fields, but the header has 2"},
      {"game,score\nalien,1,2\n", "f:2: 3 fields, but the header has 2"},
      {"game,game,score\n", "two columns are called 'game'"},
      {"game,,score\n", "column 2 of the header has no name"},
      {"game,score\n\"alien,1\n", "f:2: a quoted field does not end"},
      {"game,score\n\"alien\"x,1\n", "text after a quoted field"},
      {"game,score\nalien,nan\n", "f:2: the score of alien is NaN"},
      {"game,score\nalien,\n", "f:2: the score of alien is empty"},
      {"game,score\nalien,1.2.3\n", "the score of alien is not a number"},
      {"game,score\nalien,0x10\n", "not a number"},
      {"game,score\nalien,-inf\n", "not a number"},
      {"game,score\nchess,1\n", "f:2: there is no game 'chess'"},
      {"game,score\nalien,1\nalien,2\n",
       "f:3: the score of alien is given twice (also in line 2); give several runs"},
      {"game,run,score\nalien,1,1\nalien,1,1\n", "alien, run 1 is given twice"},
      {"game,score\nalien,1\n", "lacks 2 of the 3 games of tiny: pong, tennis"},
      {"game,score,protocol\nalien,1,machado2018\n",
       "f:2: mixed protocols: the score was made under 'machado2018'"},
      {"game,score,protocol\nalien,1,tiny@2\n", "mixed protocols"},
      {"game,score,protocol\nalien,1,tiny@1#0123456789abcdef\n", "mixed protocols"},
      {"game,score,protocol\nalien,1,tiny@1#\n", "mixed protocols"},
      {"game,score,limit\nalien,1,soon\n", "the limit 'soon'"},
      {"game,score,limit\nalien,1,5min\n", "with the limit asked for"},
      {"game,score,frames\nalien,1,many\n", "the number of frames is not a number"},
      {"game,score,frames\nalien,1,70\n", "no scores at 100 frames; there are some at 70"},
      {"game,score,frames,frames_millions\nalien,1,70,1\n", "cannot both be given"},
      {"game,score,agent\nalien,1,\n", "the agent has no name"},
      {"game,score,episode\nalien,1,1\n", "needs a column 'frames'"},
      {"game,score,episode,frames\nalien,1,1,200\nalien,2,1,200\n",
       "episode 1 of alien is given twice"},
      {"game,score_18000\nalien,1\n", "there is no column 'score'"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    sixer_scores *s;
    sixer_error error = {0};
    s = begin_scores(r->protocol, r->published);
    sixer_err err = sixer_scores_parse(s, wrong[i].text, strlen(wrong[i].text), "f", "me", &error);
    sixer_scores_destroy(s);
    if (!err) fail_msg("case %zu was accepted", i);
    if (!strstr(error.message, wrong[i].says))
      fail_msg("case %zu: \"%s\" does not say \"%s\"", i, error.message, wrong[i].says);
  }
  sixer_scores *s;
  sixer_error error;
  s = begin_scores(r->protocol, r->published);
  assert_fails(sixer_scores_parse(s, "game,score\nalien,1\0,", 20, "f", "me", &error), &error,
               SIXER_ERR_FILE, "zero byte");
  assert_fails(sixer_scores_read(s, "/nowhere.csv", "me", &error), &error, SIXER_ERR_FILE,
               "/nowhere.csv");
  sixer_scores_destroy(s);

  /* infinite scores only where play can be endless */
  sixer_protocol *machado;
  ok(sixer_protocol_open("machado2018", &machado, &error), &error);
  s = begin_scores(machado, r->published);
  assert_fails(sixer_scores_parse(s, "game,score\nalien,inf\n", 21, "f", "me", &error), &error,
               SIXER_ERR_FILE, "every episode ends under machado2018");
  sixer_scores_destroy(s);
  sixer_protocol_close(machado);
}

static void files_that_deserve_a_warning(void **state) {
  reading *r = *state;
  sixer_scores *s;
  sixer_error error;
  static const char unequal[] = "game,run,score\nalien,0,1\nalien,1,2\npong,0,3\ntennis,0,3\n";
  s = begin_scores(r->protocol, r->published);
  ok(sixer_scores_parse(s, unequal, strlen(unequal), "f", "me", &error), &error);
  assert_true(warned(s, "unequal-runs") && !warned(s, "one-run"));
  sixer_scores_destroy(s);

  static const char part[] = "game,score\nalien,1\n";
  s = begin_scores(r->protocol, r->published);
  s->partial = true;
  ok(sixer_scores_parse(s, part, strlen(part), "f", "me", &error), &error);
  assert_true(warned(s, "missing-games") && warned(s, "one-run"));
  ok(sixer_scores_add_published(s, "machado2018/dqn", &error), &error);
  assert_true(warned(s, "mixed-protocols") && warned(s, "mixed-checkpoints"));
  assert_fails(sixer_scores_add_published(s, "machado2018/dqn", &error), &error, SIXER_ERR_ARGUMENT,
               "given twice");
  assert_fails(sixer_scores_parse(s, part, strlen(part), "f", "me", &error), &error, SIXER_ERR_FILE,
               "already read");
  double low[3], high[3];
  sixer_scale scale;
  ok(sixer_scores_constants(s, "record", NULL, 0, &scale, low, high, &error), &error);
  assert_true(warned(s, "no-constant") && isnan(low[2]) && high[0] == 251916 &&
              scale == SIXER_SCALE_ABSOLUTE);
  assert_fails(sixer_scores_constants(s, "martian", NULL, 0, &scale, low, high, &error), &error,
               SIXER_ERR_ARGUMENT, "there is no normalization");
  assert_fails(sixer_scores_constants(s, "baseline", NULL, 0, &scale, low, high, &error), &error,
               SIXER_ERR_ARGUMENT, "--baselines FILE");
  assert_fails(sixer_scores_constants(s, "relative", NULL, 0, &scale, low, high, &error), &error,
               SIXER_ERR_ARGUMENT, "--relative-to NAME");
  sixer_scores_destroy(s);
}

/* Damaged files are refused or read, and nothing else: bytes changed, dropped and doubled at
 * random. What this can catch is for the sanitizers to say. */
static void damaged_files(void **state) {
  reading *r = *state;
  static const char scores[] =
      "game,run,episode,frames,limit,protocol,score,score_18000\nalien,0,1,40,none,tiny@1,1,"
      "2\n\"po\"\"ng\",0,3,40,5min,tiny,5,-1e3\n"
      "tennis,0,2,40,18000,tiny,inf,3\nalien,1,4,4e1,30min,tiny,100,.5\r\n# end\n";
  sixer_protocol *builtin;
  sixer_error error;
  ok(sixer_protocol_open("atari5", &builtin, &error), &error);
  size_t refused = 0, read = 0;
  uint64_t seed = 99;
  for (int i = 0; i < 6000; i++) {
    char text[8000];
    snprintf(text, sizeof text, i % 2 ? "%s" : "name = \"x\"\nbase = \"saber\"\n%s",
             i % 2 ? scores : sixer_protocol_text(builtin));
    size_t length = strlen(text);
    for (int edit = 0; edit < 1 + i % 4; edit++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      size_t at = (size_t)(seed >> 33) % length;
      static const char bytes[] = "\"[]=,.#\n\t\r-+e0159_ xnaif\\\x01\xff";
      char byte = bytes[(seed >> 20) % (sizeof bytes - 1)];
      switch (seed >> 62) {
        case 0: memmove(text + at, text + at + 1, length-- - at); break;
        case 1:
          memmove(text + at + 1, text + at, ++length - at);
          text[at] = byte;
          break;
        default: text[at] = byte; break;
      }
      text[length] = 0;
    }
    sixer_err err;
    if (i % 2) {
      sixer_scores *s;
      s = begin_scores(r->protocol, r->published);
      s->partial = true;
      err = sixer_scores_parse(s, text, length, "f", "me", &error);
      sixer_scores_destroy(s);
    } else {
      sixer_protocol *p = NULL;
      err = sixer_protocol_parse(text, "f", &p, &error);
      sixer_protocol_close(p);
    }
    if (err) assert_true(error.code == err && error.message[0]);
    refused += err != SIXER_OK;
    read += err == SIXER_OK;
  }
  assert_true(refused > 1000 && read > 100);
  sixer_protocol_close(builtin);
}

static void numbers_as_text(void **state) {
  (void)state;
  static const double values[] = {0,     1,       -1,       0.1,           1e15,
                                  1e300, 1.0 / 3, -2.5e-10, 123456789.125, 5e-324};
  char buffer[32];
  double back;
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    assert_true(number_read(number_text(values[i], buffer), NUMBER_FINITE, &back) &&
                back == values[i]);
  }
  assert_string_equal(number_text(200000000, buffer), "200000000");
  assert_string_equal(number_text(0.25, buffer), "0.25");
  static const char *const exact[] = {
      "0.1", "1e22", "123456789012345", "1.5e-7", "9007199254740993", "0.30000000000000004", "-0.0",
      ".5",  "5.",   "1e-400",          "00012"};
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
    assert_true(number_read(exact[i], NUMBER_FINITE, &back));
    assert_true(back == strtod(exact[i], NULL));
  }
  static const char *const not [] = {"",   ".",   "-",      "1e",  "e5",  "1,5", "1 ",
                                     " 1", "0x1", "nan(1)", "inf", "nan", "--1"};
  for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
    assert_false(number_read(not [i], NUMBER_FINITE, &back));
}

static void settings_with_numbers(void **state) {
  (void)state;
  static const char settings[] = "agent=c51\noptions=low=-10,high=10,layers=small\nseed=1";
  assert_true(number_same_settings("", "") && number_same_settings(settings, settings));
  assert_true(number_same_settings(settings,
                                   "agent=c51\noptions=low=-1e+01,high=10.0,layers=small\nseed=1"));
  static const char *const other[] = {"",
                                      "agent=c51",
                                      "agent=c51\noptions=low=-10,high=10,layers=small\nseed=2",
                                      "agent=c51\noptions=low=-10,high=10,layers=small\nseed=1\n",
                                      "agent=c51\noptions=low=-10,high=10\nlayers=small\nseed=1",
                                      "agent=c51\noptions=low=-10,high=10,layers=,seed=1"};
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    assert_false(number_same_settings(settings, other[i]) ||
                 number_same_settings(other[i], settings));
}

/* Line breaks in a quoted name of the header: columns are counted by reading them, not up to the first line break. */
static void headers_with_line_breaks(void **state) {
  (void)state;
  static const char odd[] = "\"\n\",a,b\n1,2,3\n", wide[] = "\"x\ny\"\tb\tc\td\n1\t2\t3\t4\n";
  memory_arena arena = {0};
  eval_table t;
  sixer_error error = {SIXER_OK, ""};
  ok(eval_table_parse(&arena, odd, sizeof odd - 1, "odd", &t, &error), &error);
  assert_int_equal(t.columns, 3);
  assert_int_equal(t.rows, 1);
  assert_string_equal(t.names[0], "\n");
  assert_string_equal(eval_table_field(&t, 0, 2), "3");
  sixer_err err = eval_table_parse(&arena, wide, sizeof wide - 1, "wide", &t, &error);
  if (!err) assert_int_equal(t.columns, 4);
  char *many = malloc(60000), *at = many;
  for (int i = 0; i < 5000; i++) at += sprintf(at, "c%d,", i);
  strcpy(at, "last\n");
  assert_fails(eval_table_parse(&arena, many, strlen(many), "many", &t, &error), &error,
               SIXER_ERR_FILE, "more than 4096 columns");
  free(many);
  arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digests),
      cmocka_unit_test(headers_with_line_breaks),
      cmocka_unit_test(numbers_as_text),
      cmocka_unit_test(settings_with_numbers),
      cmocka_unit_test(protocols_are_frozen),
      cmocka_unit_test(protocols_say_how_is_tested),
      cmocka_unit_test(protocols_say_what_the_papers_say),
      cmocka_unit_test(protocols_of_ones_own),
      cmocka_unit_test(protocols_that_are_wrong),
      cmocka_unit_test(protocols_in_a_circle),
      cmocka_unit_test(three_scores_of_one_play),
      cmocka_unit_test(counters_that_roll_over),
      cmocka_unit_test(checkpoints),
      cmocka_unit_test(normalization),
      cmocka_unit_test(aggregates),
      cmocka_unit_test(classes_and_distributions),
      cmocka_unit_test(improvement),
      cmocka_unit_test(welch),
      cmocka_unit_test(bootstrap_is_deterministic),
      cmocka_unit_test(bootstrap_draws_what_it_should),
      cmocka_unit_test(bootstrap_of_one_run_and_bad_settings),
      cmocka_unit_test(bootstrap_bands),
      cmocka_unit_test(bootstrap_of_a_model),
      cmocka_unit_test(fits_by_hand),
      cmocka_unit_test(search_equals_the_plain_route),
      cmocka_unit_test(search_in_every_instruction_set),
      cmocka_unit_test(search_settings_that_are_wrong),
      cmocka_unit_test(published),
      cmocka_unit_test_setup_teardown(files_that_are_right, open_reading, close_reading),
      cmocka_unit_test_setup_teardown(files_through_the_public_header, open_reading, close_reading),
      cmocka_unit_test_setup_teardown(files_of_episodes, open_reading, close_reading),
      cmocka_unit_test_setup_teardown(files_of_levels, open_reading, close_reading),
      cmocka_unit_test_setup_teardown(files_that_are_wrong, open_reading, close_reading),
      cmocka_unit_test_setup_teardown(files_that_deserve_a_warning, open_reading, close_reading),
      cmocka_unit_test_setup_teardown(damaged_files, open_reading, close_reading),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
