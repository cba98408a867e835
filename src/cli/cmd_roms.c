/* `sixer roms`: import cartridge images into the folder where sixer looks for them, list them and check them. An image
 * is recognized by its MD5, whatever its file name. It is copied as ID.bin; existing files are never overwritten. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "sixer/catalog.h"
#include "util/md5.h"
#include "util/replace.h"
#include "util/text.h"
#include "util/zip.h"
#include "util/os.h"
#include "util/gz_file.h"
#include "util/os_process.h"

enum {
  MAX_IMAGE = 512 * 1024,
  MAX_ARCHIVE = 256 * 1024 * 1024,
  MAX_NESTED = 2,
  /* of one file that is imported, in all archives inside it: members may overlap, and a megabyte of such an archive
   * can name terabytes */
  MAX_UNPACKED = 1024 * 1024 * 1024,
  MAX_MEMBERS = 100000
};

/* ---- Files ----------------------------------------------------------------------------------------------------- */

/* Read a file of at most `limit` bytes. With `unzip`, a gzip-compressed file is decompressed while reading, and the
 * limit applies to the result too. NULL and *problem on failure. */
static uint8_t *read_file(const char *path, size_t limit, bool unzip, size_t *size,
                          const char **problem) {
  os_status info;
  *problem = NULL;
  if (os_stat(path, &info)) {
    *problem = strerror(errno);
    return NULL;
  }
  if (info.size < 0 || (uint64_t)info.size > limit) {
    *problem = "too large";
    return NULL;
  }
  gzFile file = unzip ? gz_file_open(path) : NULL;
  FILE *plain = unzip ? NULL : os_fopen(path, "rb");
  uint8_t *bytes = malloc(unzip ? limit + 1 : (size_t)info.size + 1);
  if (!bytes || (!file && !plain)) {
    *problem = bytes ? strerror(errno) : "out of memory";
    free(bytes);
    if (file) gzclose(file);
    if (plain) fclose(plain);
    return NULL;
  }
  if (file) {
    int got = gzread(file, bytes, (unsigned)limit + 1);
    if (got < 0) *problem = "its compressed data are damaged";
    *size = got < 0 ? 0 : (size_t)got;
    gzclose(file);
  } else {
    *size = fread(bytes, 1, (size_t)info.size, plain);
    if (*size != (size_t)info.size) *problem = "it could not be read whole";
    fclose(plain);
  }
  if (!*problem && *size > limit) *problem = "too large";
  if (*problem) {
    free(bytes);
    return NULL;
  }
  return bytes;
}

/* Make a folder and those above it. */
static bool make_folder(const char *path) {
  char part[4096];
  if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part) return false;
  for (char *slash = part + 1; (slash = strchr(slash, '/')); slash++) {
    *slash = 0;
    if (os_mkdir(part) && errno != EEXIST) return false;
    *slash = '/';
  }
  return !os_mkdir(part) || errno == EEXIST;
}

/* Write a new file, completely or not at all; false with errno EEXIST if the file exists. */
static bool write_new(const char *path, const void *bytes, size_t size) {
  replacement *r = replace_open(path);
  if (!r) return false;
  if (fwrite(bytes, 1, size, r->file) == size) return replace_commit_new(r);
  replace_abandon(r);
  return false;
}

/* ---- Importing ------------------------------------------------------------------------------------------------- */

typedef struct import {
  sixer_catalog *const *catalogs; /* built in, and the user's */
  char target[4096];
  char (*sources)[512]; /* where each game's image was first seen in this run; "" if not yet */
  bool dry_run, stopped;
  size_t unpacked; /* bytes of the present file's members ... */
  int members;     /* ... and their number */
  bool too_much;   /* that was said */
  struct folder_id {
    uint64_t device, number;
  } * visited; /* folders: links may lead in a circle */
  int visited_count, visited_room;
  int imported, present, duplicates, unknown, other, failed;
} import;

static bool has_md5(const sixer_game_info *game, const char *md5) {
  for (int i = 0; i < game->md5_count; i++) {
    if (!strcasecmp(game->md5s[i], md5)) return true;
  }
  return false;
}

/* The game of an image, with its number among the games of both catalogs; false if no game lists this MD5. */
static bool find_game(const import *im, const char *md5, sixer_game_info *game, int *index) {
  int number = 0;
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < sixer_catalog_count(im->catalogs[k]); i++, number++) {
      *game = sixer_catalog_game(im->catalogs[k], i);
      if (!has_md5(game, md5)) continue;
      *index = number;
      return true;
    }
  }
  return false;
}

static bool looks_like_image(const char *name) {
  static const char *const endings[] = {".bin", ".a26", ".rom", ".gz"};
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t ending = strlen(endings[i]);
    if (length > ending && !strcasecmp(name + length - ending, endings[i])) return true;
  }
  return false;
}

/* Import the contents of one file if they are the image of a known game. */
static void import_image(import *im, const char *path_or_member, const uint8_t *bytes,
                         size_t size) {
  char md5[33], path[4200], name[4096];
  snprintf(name, sizeof name, "%s", path_or_member);
  text_clean(name); /* it is printed */
  int index;
  md5_hex(bytes, size, md5);
  sixer_game_info game;
  if (!find_game(im, md5, &game, &index)) {
    if (looks_like_image(name)) {
      printf("unknown    %s (md5 %s)\n", name, md5);
      im->unknown++;
    } else {
      im->other++;
    }
    return;
  }
  if (im->sources[index][0]) {
    printf("duplicate  %s: %s, as %s\n", name, game.id, im->sources[index]);
    im->duplicates++;
    return;
  }
  snprintf(im->sources[index], sizeof im->sources[index], "%.511s", name);
  snprintf(path, sizeof path, "%s/%s.bin", im->target, game.id);
  os_status info;
  bool exists = os_stat(path, &info) == 0;
  if (!exists && !im->dry_run && !write_new(path, bytes, size)) {
    if (errno != EEXIST) {
      /* what stops one image stops all of them: a full disk, a folder that cannot be written */
      cli_error("roms", CLI_FAILED, "%s: %s; nothing more is imported", path, strerror(errno));
      im->failed++;
      im->stopped = true;
      return;
    }
    exists = true;
  }
  if (exists) {
    const char *problem;
    size_t there;
    char other[33] = "";
    uint8_t *present = read_file(path, MAX_IMAGE, true, &there, &problem);
    if (present) md5_hex(present, there, other);
    free(present);
    if (has_md5(&game, other)) {
      printf("present    %s: %s\n", name, game.id);
      im->present++;
    } else {
      printf("kept       %s: %s exists with other contents; move it away to import this one\n",
             name, path);
      im->failed++;
    }
    return;
  }
  printf("%-10s %s: %s\n", im->dry_run ? "to import" : "imported", name, game.id);
  im->imported++;
}

static void import_bytes(import *im, const char *name, const uint8_t *bytes, size_t size,
                         int depth);

static void import_archive(import *im, const char *name, const uint8_t *archive, size_t size,
                           int depth) {
  size_t position = 0;
  zip_member member;
  const char *error;
  while (zip_next(archive, size, &position, &member, &error)) {
    size_t length = strlen(member.name);
    im->unpacked += member.size;
    if (++im->members > MAX_MEMBERS || im->unpacked > MAX_UNPACKED) {
      if (!im->too_much) {
        cli_error("roms", CLI_FAILED,
                  "%s: more than %d members, or more than %d MiB unpacked; the rest is left out",
                  name, MAX_MEMBERS, MAX_UNPACKED >> 20);
        im->failed++;
      }
      im->too_much = true;
      return;
    }
    if (!member.size || (length && member.name[length - 1] == '/')) continue;
    if (member.size > MAX_ARCHIVE || (member.size > MAX_IMAGE && depth >= MAX_NESTED)) {
      im->other++;
      continue;
    }
    char full[1024];
    snprintf(full, sizeof full, "%.500s:%.500s", name, member.name);
    text_clean(full);
    uint8_t *contents = malloc(member.size);
    const char *problem = contents ? zip_read(archive, size, &member, contents) : "out of memory";
    if (problem) {
      cli_error("roms", CLI_FAILED, "%s: %s", full, problem);
      im->failed++;
    } else {
      import_bytes(im, full, contents, member.size, depth + 1);
    }
    free(contents);
  }
  if (error) {
    cli_error("roms", CLI_FAILED, "%s: %s", name, error);
    im->failed++;
  }
}

static void import_bytes(import *im, const char *name, const uint8_t *bytes, size_t size,
                         int depth) {
  if (im->stopped) return;
  if (zip_is(bytes, size) && depth <= MAX_NESTED) {
    import_archive(im, name, bytes, size, depth);
  } else if (size && size <= MAX_IMAGE) {
    import_image(im, name, bytes, size);
  } else {
    im->other++;
  }
}

static void import_file(import *im, const char *path) {
  if (im->stopped) return;
  const char *problem;
  size_t size;
  uint8_t magic[4] = {0};
  os_status info;
  im->unpacked = 0;
  im->members = 0;
  im->too_much = false;
  if (!os_stat(path, &info) && info.kind != OS_FILE) {
    cli_error("roms", CLI_FAILED, "%s: neither a file nor a folder", path);
    im->failed++;
    return;
  }
  FILE *file = os_fopen(path, "rb");
  if (file) {
    if (fread(magic, 1, sizeof magic, file) < sizeof magic) magic[0] = 0;
    fclose(file);
  }
  bool zip = !memcmp(magic, "PK\3\4", 4), gzip = magic[0] == 0x1F && magic[1] == 0x8B;
  if (!zip && file && info.size > MAX_IMAGE) {
    im->other++; /* no cartridge is that large */
    return;
  }
  uint8_t *bytes = read_file(path, zip ? MAX_ARCHIVE : MAX_IMAGE, gzip, &size, &problem);
  if (bytes) {
    import_bytes(im, path, bytes, size, 0);
  } else if (gzip && !strcmp(problem, "too large")) {
    im->other++;
  } else {
    cli_error("roms", CLI_FAILED, "%s: %s", path, problem);
    im->failed++;
  }
  free(bytes);
}

static bool not_hidden(const char *name) { return name[0] != '.'; }

/* False if this folder was visited before, or cannot be. */
static bool visit(import *im, const char *folder) {
  os_status info;
  if (os_stat(folder, &info)) return true; /* reading it says why */
  for (int i = 0; i < im->visited_count; i++) {
    if (im->visited[i].device == info.device && im->visited[i].number == info.number) return false;
  }
  if (im->visited_count == im->visited_room) {
    int room = im->visited_room ? 2 * im->visited_room : 64;
    struct folder_id *larger = realloc(im->visited, (size_t)room * sizeof *larger);
    if (!larger) return false;
    im->visited = larger;
    im->visited_room = room;
  }
  im->visited[im->visited_count++] = (struct folder_id){info.device, info.number};
  return true;
}

static void import_folder(import *im, const char *folder, int depth) {
  os_names names;
  if (!visit(im, folder)) return;
  if (!os_folder_names(folder, not_hidden, &names)) {
    cli_error("roms", CLI_FAILED, "%s: %s", folder, strerror(errno));
    im->failed++;
    return;
  }
  for (size_t i = 0; i < names.count; i++) {
    char path[4096];
    os_status info;
    bool fits = snprintf(path, sizeof path, "%s/%s", folder, names.at[i]) < (int)sizeof path;
    if (!fits || os_stat(path, &info)) continue;
    if (info.kind == OS_FOLDER && depth < 32) {
      import_folder(im, path, depth + 1);
    } else if (info.kind == OS_FILE) {
      import_file(im, path);
    }
  }
  os_names_free(&names);
}

/* Find the folder of an installed Python package by asking an interpreter: that of the project's virtual environment,
 * of the active one, or the one on the path. The package is looked up, not imported. */
static bool find_package(const char *name, char *path, size_t size) {
  static const char script[] =
      "import importlib.util as u; s = u.find_spec('%s'); "
      "print(list(s.submodule_search_locations)[0] if s and s.submodule_search_locations else '')";
  const char *environment = os_getenv("VIRTUAL_ENV");
  char module[100], code[300], own[40], active[4096] = "";
  char *const programs[] = {own, active, (char *)os_python_name};
  size_t length = strlen(name);
  if (!length || length >= sizeof module) return false;
  for (size_t i = 0; i <= length; i++) {
    char c = name[i] == '-' ? '_' : name[i];
    bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                c == '_' || !c;
    if (!word) return false;
    module[i] = c;
  }
  snprintf(own, sizeof own, ".venv/%s/python", os_python_folder);
  if (environment && snprintf(active, sizeof active, "%s/%s/python", environment,
                              os_python_folder) >= (int)sizeof active) {
    active[0] = 0;
  }
  snprintf(code, sizeof code, script, module);
  for (int i = 0; i < 3; i++) {
    char *const argv[] = {programs[i], "-c", code, NULL};
    if (programs[i][0] && os_first_line(argv, path, size)) return true;
  }
  return false;
}

/* Is this folder part of an installed Python package? Those belong to pip, which would delete our files. */
static bool in_package(const char *folder) {
  char real[OS_PATH_MAX];
  const char *path = os_realpath(folder, real) ? real : folder;
  return strstr(path, "/site-packages/") || strstr(path, "/dist-packages/");
}

/* Where images go if --to does not say: the first of the folders that are searched that is no package's. */
static bool choose_folder(char *folder, size_t size) {
  for (int i = 0; sixer_rom_folder(i, folder, size); i++) {
    if (!in_package(folder)) return true;
    fprintf(stderr,
            "sixer roms: %s belongs to a Python package, so images go to the user's data folder; "
            "--to names another\n",
            folder);
  }
  return false;
}

static int run_import(sixer_catalog *const *catalogs, const char *const *from, int count,
                      const char *to, bool dry_run) {
  struct import im = {.catalogs = catalogs, .dry_run = dry_run};
  int games = sixer_catalog_count(catalogs[0]) + sixer_catalog_count(catalogs[1]);
  im.sources = calloc((size_t)games, sizeof *im.sources);
  int status = CLI_OK;
  char folder[4096];
  if (!im.sources) status = cli_error("roms", CLI_FAILED, "out of memory");
  if (!status && !to) {
    if (!choose_folder(folder, sizeof folder))
      status = cli_error("roms", CLI_FAILED, "no folder for images: name one with --to");
    to = folder;
  }
  if (!status) snprintf(im.target, sizeof im.target, "%s", to);
  if (!status && !dry_run && !make_folder(im.target)) {
    status = cli_error("roms", CLI_FAILED, "%s: %s", im.target, strerror(errno));
  }
  for (int i = 0; i < count && !status; i++) {
    os_status info;
    char package[4096];
    if (!os_stat(from[i], &info)) {
      if (info.kind == OS_FOLDER) {
        import_folder(&im, from[i], 0);
      } else {
        import_file(&im, from[i]);
      }
    } else if (find_package(from[i], package, sizeof package)) {
      import_folder(&im, package, 0);
    } else {
      cli_error("roms", CLI_FAILED,
                "'%s' is neither a folder, a file nor an installed Python package", from[i]);
      im.failed++;
    }
  }
  if (!status) {
    printf("%d %s into %s, %d already there, %d duplicate%s, %d unknown image%s, %d other file%s\n",
           im.imported, dry_run ? "would be imported (--dry-run)" : "imported", im.target,
           im.present, im.duplicates, cli_s(im.duplicates), im.unknown, cli_s(im.unknown), im.other,
           cli_s(im.other));
  }
  free(im.sources);
  free(im.visited);
  return status ? status : im.failed ? CLI_FAILED : CLI_OK;
}

/* ---- Listing and verifying ------------------------------------------------------------------------------------- */

static int run_list(sixer_catalog *const *catalogs, bool verify, bool json) {
  int found = 0, wrong = 0, total = 0;
  if (json) printf("[");
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < sixer_catalog_count(catalogs[k]); i++, total++) {
      sixer_game_info game = sixer_catalog_game(catalogs[k], i);
      char path[4096], md5[33] = "";
      const char *problem = NULL;
      size_t size = 0;
      bool own = game.image_inside;
      bool have = sixer_rom_find(game.id, path, sizeof path), good = true;
      if (have && verify) {
        uint8_t *bytes = read_file(path, MAX_IMAGE, true, &size, &problem);
        if (bytes) md5_hex(bytes, size, md5);
        free(bytes);
        good = bytes && has_md5(&game, md5);
      }
      found += have || own;
      wrong += !good;
      if (json) {
        printf("%s\n  {\"id\": \"%s\", \"image\": ", total ? "," : "", game.id);
        cli_print_json(have ? path : NULL);
        if (verify) printf(", \"right\": %s", !have ? "null" : good ? "true" : "false");
        putchar('}');
      } else if (verify && have) {
        printf("%-9s %-18s %s%s%s%s\n", good ? "right" : "wrong", game.id, path, good ? "" : ": ",
               good      ? ""
               : problem ? problem
                         : "its md5 is not the game's but ",
               good || problem ? "" : md5);
      } else if (!verify) {
        printf("%-18s %s\n", game.id, have ? path : own ? "inside the library" : "-");
      }
    }
  }
  if (json) {
    printf("\n]\n");
  } else {
    printf("%d of %d games have an image", found, total);
    if (verify) printf(", %d %s wrong", wrong, wrong == 1 ? "is" : "are");
    putchar('\n');
  }
  return wrong ? CLI_FAILED : CLI_OK;
}

int cmd_roms(int argc, char **argv) {
  enum { MAX_ARGUMENTS = 256 };
  bool json = false, dry_run = false;
  const char *to = NULL, *arguments[MAX_ARGUMENTS];
  const option_def options[] = {{"to", OPTION_TEXT, &to, "FOLDER", "import into this folder"},
                                {"dry-run", OPTION_FLAG, &dry_run, NULL,
                                 "import nothing, only report what would be imported"},
                                {"json", OPTION_FLAG, &json, NULL, "list and verify: print JSON"},
                                {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  int status,
      count = cli_parse(
          "roms",
          "Import cartridge images into the folder where sixer looks for them, and check them.\n\n"
          "  sixer roms import FROM...   from folders, zip files, single images or an installed\n"
          "                              Python package (ale_py); recognized by content\n"
          "  sixer roms list             the image of each game\n"
          "  sixer roms verify           read the images and check that they are the games'\n\n"
          "Images go to $SIXER_ROMS, else to ~/.local/share/sixer/roms, as ID.bin. Nothing is\n"
          "overwritten.",
          options, argc, argv, arguments, MAX_ARGUMENTS, &status);
  if (count < 0) return status;
  const char *verb = count ? arguments[0] : "";
  bool importing = !strcmp(verb, "import"), verifying = !strcmp(verb, "verify");
  if (!importing && !verifying && strcmp(verb, "list") != 0) {
    return cli_unknown_word("roms", verb);
  }
  if (importing && count < 2)
    return cli_error("roms", CLI_USAGE, "name what to import from: sixer roms import FROM...");
  if (!importing && count > 1)
    return cli_error("roms", CLI_USAGE, "unexpected argument '%s'", arguments[1]);

  sixer_catalog *catalogs[2] = {NULL, NULL}; /* built in; the user's */
  sixer_error error;
  if (sixer_catalog_open_builtin(&catalogs[0], &error) ||
      sixer_catalog_open(NULL, &catalogs[1], &error)) {
    status = cli_error("roms", CLI_FAILED, "%s", error.message);
  } else if (session_print_problems(catalogs[1]), importing) {
    status = run_import(catalogs, arguments + 1, count - 1, to, dry_run);
  } else {
    status = run_list(catalogs, verifying, json);
  }
  sixer_catalog_close(catalogs[0]);
  sixer_catalog_close(catalogs[1]);
  return status;
}
