/* Adding the runs of an experiment to a store. A run is known by its key, a digest of everything that decides its
 * result; what is in the store already is not added again, so an experiment file can grow. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lab/experiment.h"
#include "lab/store.h"
#include "util/sha256.h"
#include "util/os.h"

/* A game of the experiment on this machine. */
typedef struct game_image {
  const char *name;     /* as in the file */
  char id[64], md5[33]; /* md5 empty: there is no image */
  char reason[300];     /* why */
} game_image;

typedef struct adder {
  sixer_store *s;
  experiment *x;
  sixer_protocol_info info;
  game_image *images;
  size_t image_count;
  int64_t experiment_id, protocol_id;
  sixer_lab_added *added;
  sixer_error *error;
} adder;

static const game_image *find_image(adder *a, const char *game) {
  for (size_t i = 0; i < a->image_count; i++) {
    if (!strcmp(a->images[i].name, game)) return &a->images[i];
  }
  game_image *image = &a->images[a->image_count++];
  *image = (game_image){.name = game};
  sixer_rom *rom;
  sixer_error error;
  if (sixer_rom_open(game, NULL, &rom, &error)) {
    snprintf(image->id, sizeof image->id, "%.60s", game);
    snprintf(image->reason, sizeof image->reason, "%.290s", error.message);
    return image;
  }
  sixer_rom_info info = sixer_rom_describe(rom);
  snprintf(image->id, sizeof image->id, "%.60s", info.game ? info.game : info.title);
  snprintf(image->md5, sizeof image->md5, "%s", info.md5);
  sixer_rom_close(rom);
  return image;
}

/* The row of this experiment or protocol: an old one with the same digest, or a new one. */
static sixer_err find_or_add(adder *a, const char *find, const char *digest, int64_t *id) {
  return store_number(a->s, 0, id, a->error, find, "t", digest);
}

static sixer_err add_sources(adder *a) {
  char hash[65], now[32], limits[100] = "";
  sha256_hex(a->x->text, strlen(a->x->text), hash);
  store_now(now);
  sixer_err err = store_run(
      a->s, a->error,
      "INSERT OR IGNORE INTO experiments (name, text, hash, added) VALUES (?1, ?2, ?3, ?4)", "tttt",
      a->x->name, a->x->text, hash, now);
  if (!err)
    err = find_or_add(a, "SELECT id FROM experiments WHERE hash = ?1", hash, &a->experiment_id);
  if (err) return err;
  for (size_t i = 0; i < a->info.limit_count; i++)
    snprintf(limits + strlen(limits), sizeof limits - strlen(limits), "%s%d", i ? " " : "",
             a->info.limits[i]);
  char *text = arena_format(&a->x->arena, "name = \"%s\"\n%s", a->info.name,
                            sixer_protocol_text(a->x->protocol));
  if (!text) return arena_no_memory(a->error);
  err = store_run(a->s, a->error,
                  "INSERT OR IGNORE INTO protocols (name, version, hash, text, limits) VALUES (?1, "
                  "?2, ?3, ?4, ?5)",
                  "titt"
                  "t",
                  a->info.name, (int64_t)a->info.version, a->info.hash, text, limits);
  return err ? err
             : find_or_add(a, "SELECT id FROM protocols WHERE hash = ?1", a->info.hash,
                           &a->protocol_id);
}

/* A name for the files of a run that a person can read, and that is unique by the key. */
static void name_files(const adder *a, const experiment_agent *agent, const char *game,
                       uint32_t seed, const char *key, char *path, size_t size) {
  const char *slash = os_last_separator(a->s->path), *name = slash ? slash + 1 : a->s->path;
  const char *dot = strrchr(name, '.');
  char label[64], id[64];
  snprintf(label, sizeof label, "%s", agent->label);
  snprintf(id, sizeof id, "%s", game);
  for (char *c = label; *c; c++) {
    if (*c == '/' || *c == ' ' || *c == ',' || *c == '#') *c = '-';
  }
  for (char *c = id; *c; c++) {
    if (*c == '/' || *c == ' ') *c = '-';
  }
  snprintf(path, size, "%.*s.runs/%s_%s_%u_%.8s",
           (int)(dot && dot != name ? dot - name : (long)strlen(name)), name, label, id, seed, key);
}

static sixer_err add_run(adder *a, const experiment_agent *agent, const char *game, uint32_t seed) {
  const game_image *image = find_image(a, game);
  char key[65], path[400], now[32];
  char *identity =
      arena_format(&a->x->arena,
                   "label=%s\nagent=%s\noptions=%s\ngame=%s\nprotocol=%s\nseed=%u\nframes=%" PRId64
                   "\nepisodes=%" PRId64 "\nevaluation=%d\nbehavior=%d\n",
                   agent->label, agent->name, agent->options, image->id, a->info.hash, seed,
                   agent->frames, agent->episodes, agent->evaluation, SIXER_BEHAVIOR);
  if (!identity) return arena_no_memory(a->error);
  sha256_hex(identity, strlen(identity), key);
  name_files(a, agent, image->id, seed, key, path, sizeof path);
  store_now(now);
  bool missing = !image->md5[0];
  sixer_err err = store_run(
      a->s, a->error,
      "INSERT OR IGNORE INTO runs (key, experiment_id, protocol_id, label, agent, options, game, "
      "rom, mode, difficulty, seed, frames_budget, episodes_budget, evaluation_budget, behavior, "
      "path, state, error, added) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, -1, 0, ?9, ?10, ?11, "
      "?12, ?13, ?14, ?15, ?16, ?17)",
      "tiittttt"
      "iiiii"
      "tttt",
      key, a->experiment_id, a->protocol_id, agent->label, agent->name, agent->options,
      strchr(game, '/') ? game : image->id, missing ? NULL : image->md5, (int64_t)seed,
      agent->frames, agent->episodes, (int64_t)agent->evaluation, (int64_t)SIXER_BEHAVIOR, path,
      missing ? "missing" : "waiting", missing ? image->reason : NULL, now);
  if (err) return err;
  a->added->added += sqlite3_changes(a->s->db);
  a->added->runs++;
  a->added->missing += missing;
  if (missing && !a->added->gap[0])
    snprintf(a->added->gap, sizeof a->added->gap, "%s", image->reason);
  /* an image that has come since */
  if (!missing)
    err = store_run(a->s, a->error,
                    "UPDATE runs SET state = 'waiting', rom = ?2, error = NULL WHERE key = ?1 AND "
                    "state = 'missing'",
                    "tt", key, image->md5);
  return err;
}

static sixer_err add_all(adder *a) {
  size_t games = a->x->game_count;
  for (size_t i = 0; i < a->x->agent_count; i++) games += a->x->agents[i].game_count;
  a->images = arena_alloc(&a->x->arena, games * sizeof *a->images);
  if (!a->images) return arena_no_memory(a->error);
  sixer_err err = add_sources(a);
  /* trial after trial, so that early results cover everything */
  for (int t = 0, more = 1; more && !err; t++) {
    more = 0;
    for (size_t i = 0; i < a->x->agent_count && !err; i++) {
      const experiment_agent *agent = &a->x->agents[i];
      if (t >= agent->trials) continue;
      more = 1;
      for (size_t g = 0; g < agent->game_count && !err; g++)
        err = add_run(a, agent, agent->games[g], a->x->seed + (uint32_t)t);
    }
  }
  return err;
}

sixer_err sixer_lab_name(const char *path, char *name, size_t size, sixer_error *error) {
  experiment x;
  sixer_err err = experiment_open(path, &x, error);
  if (err) return err;
  snprintf(name, size, "%s", x.name);
  experiment_close(&x);
  return SIXER_OK;
}

sixer_err sixer_lab_add(sixer_store *s, const char *path, sixer_lab_added *added,
                        sixer_error *error) {
  experiment x;
  sixer_lab_added counted = {0};
  sixer_err err = experiment_open(path, &x, error);
  if (err) return err;
  snprintf(counted.name, sizeof counted.name, "%s", x.name);
  adder a = {.s = s,
             .x = &x,
             .info = sixer_protocol_describe(x.protocol),
             .added = &counted,
             .error = error};
  err = store_begin(s, error);
  if (!err) err = store_end(s, add_all(&a), error);
  experiment_close(&x);
  if (!err) *added = counted;
  return err;
}
