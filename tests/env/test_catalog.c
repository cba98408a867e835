/* Catalogs: the built-in games, folders and files of definitions, and where images are found. */
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

#include "sixer/catalog.h"

static char folder[64];

static void write_text(const char *name, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static void test_builtin(void **state) {
  (void)state;
  sixer_error error;
  sixer_catalog *catalog;
  assert_int_equal(sixer_catalog_open_builtin(&catalog, &error), SIXER_OK);
  int count = sixer_catalog_count(catalog), inside = 0;
  assert_true(count >= 110);
  for (int i = 0; i < count; i++) {
    sixer_game_info game = sixer_catalog_game(catalog, i);
    if (i) assert_true(strcmp(sixer_catalog_game(catalog, i - 1).id, game.id) < 0);
    for (int k = 0; k < game.md5_count; k++) assert_int_equal(strlen(game.md5s[k]), 32);
    assert_true(game.modes.count > 0 && game.minimal_actions.count > 0);
    if (!game.image_inside) continue;
    /* the same as the rom says, which is made another way */
    sixer_rom *rom;
    assert_int_equal(sixer_rom_open(game.id, NULL, &rom, &error), SIXER_OK);
    sixer_rom_info info = sixer_rom_describe(rom);
    assert_string_equal(info.title, game.title);
    assert_string_equal(info.md5, game.md5s[0]);
    assert_int_equal(info.paddles, game.paddles);
    assert_int_equal(sixer_rom_level_count(rom), game.level_count);
    assert_int_equal(sixer_rom_default_mode(rom), game.default_mode);
    sixer_list actions = sixer_rom_minimal_actions(rom);
    assert_int_equal(actions.count, game.minimal_actions.count);
    assert_memory_equal(actions.items, game.minimal_actions.items,
                        (size_t)actions.count * sizeof *actions.items);
    sixer_rom_close(rom);
    inside++;
  }
  assert_int_equal(inside, 8);
  sixer_catalog_close(catalog);
  sixer_catalog_close(NULL);
}

/* A copy of a built-in definition is accepted; anything else with its id would be an error. */
static void test_folder_and_file(void **state) {
  (void)state;
  sixer_error error;
  sixer_catalog *catalog, *untouched = (sixer_catalog *)&error;
  char path[200], copy[300];
  snprintf(copy, sizeof copy, "cp %s/../roms/duskrain.game %s/", TESTS_DIR, folder);
  assert_int_equal(system(copy), 0);
  snprintf(path, sizeof path, "%s/duskrain.game", folder);
  const char *ways[] = {path, folder, NULL}; /* a file, a folder, the user's folder */
  assert_int_equal(setenv("SIXER_GAMES", folder, 1), 0);
  for (int i = 0; i < 3; i++) {
    if (sixer_catalog_open(ways[i], &catalog, &error)) fail_msg("%s", error.message);
    assert_int_equal(sixer_catalog_count(catalog), 1);
    assert_string_equal(sixer_catalog_game(catalog, 0).id, "duskrain");
    assert_int_equal(sixer_catalog_game(catalog, 0).md5_count, 1);
    sixer_catalog_close(catalog);
  }
  /* one wrong file in a folder: the others are opened, and the problem names it */
  write_text("wrong.game", "this is no definition\n");
  assert_int_equal(sixer_catalog_open(folder, &catalog, &error), SIXER_OK);
  assert_int_equal(sixer_catalog_count(catalog), 1);
  assert_non_null(strstr(sixer_catalog_problem(catalog, 0), "wrong.game:1:1: "));
  assert_null(sixer_catalog_problem(catalog, 1));
  assert_null(sixer_catalog_problem(catalog, -1));
  sixer_catalog_close(catalog);
  /* by itself it is an error */
  snprintf(path, sizeof path, "%s/wrong.game", folder);
  catalog = untouched;
  assert_int_equal(sixer_catalog_open(path, &catalog, &error), SIXER_ERR_GAME);
  assert_non_null(strstr(error.message, "wrong.game"));
  assert_ptr_equal(catalog, untouched);
  unlink(path);
  assert_int_not_equal(sixer_catalog_open("/nowhere/x.game", &catalog, &error), SIXER_OK);
  assert_non_null(strstr(error.message, "/nowhere/x.game"));
  /* the user's folder need not exist */
  assert_int_equal(setenv("SIXER_GAMES", "/nowhere", 1), 0);
  assert_int_equal(sixer_catalog_open(NULL, &catalog, &error), SIXER_OK);
  assert_int_equal(sixer_catalog_count(catalog), 0);
  sixer_catalog_close(catalog);
}

static void test_images(void **state) {
  (void)state;
  char path[4096], expected[200], small[8];
  assert_int_equal(setenv("SIXER_ROMS", folder, 1), 0);
  assert_true(sixer_rom_folder(0, path, sizeof path));
  assert_string_equal(path, folder);
  assert_false(sixer_rom_folder(-1, path, sizeof path));
  assert_false(sixer_rom_folder(1000, path, sizeof path));
  assert_false(sixer_rom_folder(0, small, sizeof small));
  assert_false(sixer_rom_find("a_game_of_mine", path, sizeof path));
  write_text("a_game_of_mine.bin", "image");
  assert_true(sixer_rom_find("a_game_of_mine", path, sizeof path));
  snprintf(expected, sizeof expected, "%s/a_game_of_mine.bin", folder);
  assert_string_equal(path, expected);
  assert_false(sixer_rom_find("a_game_of_mine", small, sizeof small));
  assert_false(sixer_rom_find("../a_game_of_mine", path, sizeof path));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_builtin),
      cmocka_unit_test(test_folder_and_file),
      cmocka_unit_test(test_images),
  };
  strcpy(folder, "/tmp/sixer_catalog_XXXXXX");
  if (!mkdtemp(folder)) return perror(folder), 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char command[100];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command) ? 1 : failed;
}
