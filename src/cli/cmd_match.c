/* `sixer match`: a tournament of agents in a game for several players, with ratings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/image.h"
#include "cli/match.h"
#include "cli/match_log.h"
#include "cli/model_files.h"
#include "cli/out.h"
#include "cli/seats.h"
#include "cli/session.h"
#include "util/replace.h"
#include "util/os.h"

typedef struct match_options {
  int64_t players, seeds, seed, mode, difficulty, frame_skip, max_frames, jobs, replicates,
      turn_limit;
  double sticky, confidence, prior;
  const char *anchor, *game, *scores, *corrections, *out;
  bool all_actions, list, tsv, json, resume;
} match_options;

/* ---- Who plays ------------------------------------------------------------------------------------------------- */

/* "uct:frames=1000" stays as it is; of a path, the last part without its ending. */
static void name_agents(match *m) {
  for (int i = 0; i < m->agent_count; i++) {
    match_agent *a = &m->agents[i];
    const char *slash = a->model ? os_last_separator(a->text) : NULL;
    snprintf(a->name, sizeof a->name, "%.80s", slash ? slash + 1 : a->text);
    char *dot = a->model ? strrchr(a->name, '.') : NULL;
    if (dot && dot != a->name) *dot = 0;
    for (char *c = a->name; *c; c++) {
      if (*c == '\t' || *c == '\n' || *c == '|') *c = ' ';
    }
  }
  for (int i = 1; i < m->agent_count; i++) { /* the second "random" is "random #2" */
    int same = 1;
    char plain[sizeof m->agents[0].name];
    snprintf(plain, sizeof plain, "%s", m->agents[i].name);
    for (int k = 0; k < i; k++) {
      if (strcmp(m->agents[k].name, m->agents[i].name) != 0) continue;
      snprintf(m->agents[i].name, sizeof m->agents[i].name, "%.80s #%d", plain, ++same);
      k = -1; /* that name may be taken too */
    }
  }
}

/* What the first model was trained with applies to the match, and the others must agree. --frame-skip overrides what
 * they say about that. */
static sixer_err apply_model(match *m, match_agent *a, const match_agent **leader, bool skip_given,
                             sixer_error *error) {
  sixer_config trained, *now = &m->config;
  sixer_err err = sixer_model_config(a->model, m->rom, &trained, &a->actions, error);
  if (err) return err;
  if (!*leader) {
    *leader = a;
    now->frame_skip = trained.frame_skip;
    now->color_averaging = trained.color_averaging;
  }
  bool colors_differ = now->color_averaging != trained.color_averaging;
  if (!colors_differ && (skip_given || now->frame_skip == trained.frame_skip)) return SIXER_OK;
  *error = (sixer_error){.code = SIXER_ERR_ARGUMENT};
  snprintf(error->message, sizeof error->message,
           "%.70s was trained with a frame skip of %d%s, %.70s with %d%s: %slet them play apart",
           (*leader)->name, now->frame_skip, now->color_averaging ? " and averaged colors" : "",
           a->name, trained.frame_skip, trained.color_averaging ? " and averaged colors" : "",
           colors_differ ? "" : "name one with --frame-skip, or ");
  return error->code;
}

/* Check every agent before the first game, and fit the settings to them. */
static sixer_err prepare(match *m, const match_options *o, sixer_error *error) {
  static const int all[SIXER_ACTION_COUNT] = {0, 1,  2,  3,  4,  5,  6,  7,  8,
                                              9, 10, 11, 12, 13, 14, 15, 16, 17};
  sixer_list useful = sixer_rom_player_actions(m->rom, SIXER_DIALECT_SIXER, m->players);
  const match_agent *leader = NULL; /* the first model */
  const bool skip_given = o->frame_skip != INT64_MIN;
  int skip = 1;
  for (int i = 0; i < m->agent_count; i++) {
    match_agent *a = &m->agents[i];
    a->actions = o->all_actions ? (sixer_list){all, SIXER_ACTION_COUNT} : useful;
    if (a->model) {
      sixer_err err = apply_model(m, a, &leader, skip_given, error);
      if (err) return err;
      continue;
    }
    sixer_agent *agent;
    sixer_err err = session_agent(a->text, 1, &agent, error);
    if (err) return err;
    err = session_check_learned(agent, a->text, error);
    sixer_agent_destroy(agent);
    if (err) return err;
    int own = session_frame_skip(a->text);
    skip = own > skip ? own : skip;
  }
  if (skip_given)
    m->config.frame_skip = (int)o->frame_skip;
  else if (!leader)
    m->config.frame_skip = skip;
  return SIXER_OK;
}

/* ---- What came out --------------------------------------------------------------------------------------------- */

static void put_ratings(out *o, const match *m, const sixer_rating *ratings) {
  int order[MATCH_AGENTS_MAX];
  for (int i = 0; i < m->agent_count; i++) { /* the best first */
    int at = i;
    for (; at > 0 && ratings[order[at - 1]].elo < ratings[i].elo; at--) order[at] = order[at - 1];
    order[at] = i;
  }
  out_table(o, "ratings", "Ratings",
            "agent|Elo=elo|low|high|error=standard_error|games|wins|draws|losses|points|"
            "score=mean_score|other=mean_other");
  for (int k = 0; k < m->agent_count; k++) {
    const sixer_rating *r = &ratings[order[k]];
    double own = 0, other = 0;
    int games = 0;
    for (int i = 0; i < m->game_count; i++) {
      const match_game *g = &m->games[i];
      if (g->first != order[k] && g->second != order[k]) continue;
      int side = g->first != order[k];
      own += (double)g->score[side];
      other += (double)g->score[!side];
      games++;
    }
    out_text(o, m->agents[order[k]].name);
    out_number(o, r->elo, 0);
    out_number(o, r->low, 0);
    out_number(o, r->high, 0);
    out_number(o, r->error, 1);
    out_int(o, games);
    out_int(o, r->wins);
    out_int(o, r->draws);
    out_int(o, r->losses);
    out_number(o, r->points, 1);
    out_number(o, own / games, 2);
    out_number(o, other / games, 2);
  }
}

/* Every two agents, with the points of each by the side that it had. */
static void put_pairs(out *o, const match *m) {
  out_table(o, "pairs", "Pairs",
            "agent|other|games|points|points as first=points_first|points as second=points_second|"
            "score=mean_score|other's=mean_other");
  for (int a = 0; a < m->agent_count; a++) {
    for (int b = a + 1; b < m->agent_count; b++) {
      double points[2] = {0, 0}, scores[2] = {0, 0};
      int games = 0;
      for (int i = 0; i < m->game_count; i++) {
        const match_game *g = &m->games[i];
        bool first = g->first == a && g->second == b;
        if (!first && !(g->first == b && g->second == a)) continue;
        points[!first] += first ? match_score(g) : 1 - match_score(g);
        scores[0] += (double)g->score[!first];
        scores[1] += (double)g->score[first];
        games++;
      }
      out_text(o, m->agents[a].name);
      out_text(o, m->agents[b].name);
      out_int(o, games);
      out_number(o, points[0] + points[1], 1);
      out_number(o, points[0], 1);
      out_number(o, points[1], 1);
      out_number(o, scores[0] / games, 2);
      out_number(o, scores[1] / games, 2);
    }
  }
}

static void put_games(out *o, const match *m) {
  out_table(o, "games", "Games",
            "seed|first|second|score=first_score|other=second_score|frames|end");
  for (int i = 0; i < m->game_count; i++) {
    const match_game *g = &m->games[i];
    out_int(o, g->seed);
    out_text(o, m->agents[g->first].name);
    out_text(o, m->agents[g->second].name);
    out_int(o, g->score[0]);
    out_int(o, g->score[1]);
    out_int(o, g->frames);
    out_text(o, match_end_name(g->end));
  }
}

/* One row for each agent of each game, in the form that `sixer eval` and `sixer report` read. */
static int write_scores(const char *path, const match *m) {
  replacement *output = replace_open(path);
  if (!output)
    return cli_error("match", CLI_FAILED, "%s: cannot be written: %s", path, strerror(errno));
  const char *id = sixer_rom_describe(m->rom).game;
  fprintf(output->file,
          "game\tagent\trun\tscore\tmatch_seed\tlength\topponent\topponent_score\tplayer\n");
  int runs[MATCH_AGENTS_MAX] = {0};
  for (int i = 0; i < m->game_count; i++) {
    const match_game *g = &m->games[i];
    const int who[2] = {g->first, g->second};
    for (int side = 0; side < 2; side++)
      fprintf(output->file, "%s\t%s\t%d\t%lld\t%u\t%d\t%s\t%lld\t%d\n", id ? id : "",
              m->agents[who[side]].name, ++runs[who[side]], (long long)g->score[side], g->seed,
              g->frames, m->agents[who[!side]].name, (long long)g->score[!side], side + 1);
  }
  if (!replace_commit(output))
    return cli_error("match", CLI_FAILED, "%s: cannot be written: %s", path, strerror(errno));
  return CLI_OK;
}

static int show(const match *m, const match_options *options, const sixer_rating *ratings) {
  char text[300];
  out *o = out_create(options->json ? OUT_JSON : options->tsv ? OUT_TSV : OUT_TABLE);
  if (!o) return cli_error("match", CLI_FAILED, "out of memory");
  const char *id = sixer_rom_describe(m->rom).game;
  out_text_value(o, "game", "game", id ? id : "");
  out_number_value(o, "players", "players", m->players, 0);
  out_number_value(o, "mode", "mode", m->config.mode, 0);
  snprintf(text, sizeof text, "%u to %u", m->games[0].seed, m->games[m->game_count - 1].seed);
  out_text_value(o, "seeds", "seeds", text);
  snprintf(text, sizeof text, "frame skip %d, sticky %g, at most %d frames", m->config.frame_skip,
           (double)m->config.sticky, m->config.max_frames);
  out_text_value(o, "settings", "settings", text);
  snprintf(text, sizeof text, "%g %%, %s", 100 * options->confidence,
           options->replicates ? "bootstrap over games" : "Fisher information");
  out_text_value(o, "intervals", "intervals", text);
  snprintf(text, sizeof text, "sixer %s, behavior %d", SIXER_VERSION, SIXER_BEHAVIOR);
  out_text_value(o, "version", NULL, text);
  put_ratings(o, m, ratings);
  put_pairs(o, m);
  if (options->list || options->tsv || options->json) put_games(o, m);
  out_print(o, stdout);
  out_destroy(o);
  return CLI_OK;
}

static int rate(const match *m, const match_options *o, sixer_rating *ratings) {
  sixer_error error;
  sixer_ratings_settings settings = sixer_ratings_default();
  settings.confidence = o->confidence;
  settings.replicates = (size_t)o->replicates;
  settings.prior = o->prior;
  const char *names[MATCH_AGENTS_MAX];
  for (int i = 0; i < m->agent_count; i++) {
    names[i] = m->agents[i].name;
    if (o->anchor && !strcmp(o->anchor, names[i])) settings.anchor = i;
  }
  sixer_pairing *pairings = calloc((size_t)m->game_count, sizeof *pairings);
  if (!pairings) return cli_error("match", CLI_FAILED, "out of memory");
  for (int i = 0; i < m->game_count; i++) {
    const match_game *g = &m->games[i];
    pairings[i] = (sixer_pairing){g->first, g->second, match_score(g), i};
  }
  sixer_err err = sixer_ratings_compute(pairings, (size_t)m->game_count, (size_t)m->agent_count,
                                        names, &settings, ratings, &error);
  free(pairings);
  return err ? cli_error("match", CLI_FAILED, "%s", error.message) : CLI_OK;
}

/* ---- The command ----------------------------------------------------------------------------------------------- */

static int check_options(const match_options *o, int count) {
  const cli_limit limits[] = {{"players", o->players, 2, SIXER_PLAYERS_MAX},
                              {"seeds", o->seeds, 1, 100000},
                              {"seed", o->seed, 1, 2000000000},
                              {"mode", o->mode, 0, 255},
                              {"difficulty", o->difficulty, 0, 3},
                              {"frame-skip", o->frame_skip, 1, 10000},
                              {"max-frames", o->max_frames, 1, 100000000},
                              {"jobs", o->jobs, 0, 256},
                              {"replicates", o->replicates, 0, 1000000},
                              {NULL, 0, 0, 0}};
  int status = cli_check_limits("match", limits);
  if (status) return status;
  if (count < 3)
    return cli_error("match", CLI_USAGE, "name two agents or more, and a GAME behind them");
  if (!(o->sticky >= 0 && o->sticky <= 1))
    return cli_error("match", CLI_USAGE, "--sticky is a probability, 0 to 1, found %g", o->sticky);
  if (!(o->confidence > 0 && o->confidence < 1))
    return cli_error("match", CLI_USAGE, "--confidence lies between 0 and 1, found %g",
                     o->confidence);
  if (!(o->prior > 0 && o->prior <= 1000))
    return cli_error("match", CLI_USAGE, "--prior is above 0 and at most 1000, found %g", o->prior);
  if (o->replicates == 1)
    return cli_error("match", CLI_USAGE, "--replicates is 0 (none) or 2 and more, found 1");
  if (o->resume && !o->out)
    return cli_error("match", CLI_USAGE, "--resume needs the file with the games: add --out FILE");
  if (o->players == 3)
    return cli_error("match", CLI_USAGE,
                     "two agents share the players alternately, so there are 2 or 4 of them");
  return CLI_OK;
}

static int find_anchor(const match *m, const char *anchor) {
  if (!anchor) return CLI_OK;
  nearest near;
  nearest_begin(&near, anchor);
  for (int i = 0; i < m->agent_count; i++) {
    if (!strcmp(m->agents[i].name, anchor)) return CLI_OK;
    nearest_offer(&near, m->agents[i].name, strlen(m->agents[i].name));
  }
  return cli_error("match", CLI_USAGE, "--anchor names none of the agents: '%s'%s", anchor,
                   nearest_hint(&near));
}

/* What to do after an interruption. */
static int interrupted(const match *m, const match_options *o) {
  int played = 0;
  for (int i = 0; i < m->game_count; i++) played += m->games[i].played;
  if (!o->out)
    return cli_error("match", CLI_FAILED,
                     "interrupted after %d of %d games; --out FILE keeps those that were played",
                     played, m->game_count);
  return cli_error("match", CLI_FAILED,
                   "interrupted: %d of %d games are in %s; the same command with --resume goes on",
                   played, m->game_count, o->out);
}

static int run(match *m, const match_options *o) {
  sixer_error error;
  int failed = 0;
  sixer_env *trial = NULL;
  name_agents(m);
  if (prepare(m, o, &error)) return cli_error("match", CLI_USAGE, "%s", error.message);
  int status = find_anchor(m, o->anchor);
  if (status) return status;
  if (sixer_env_create(m->rom, &m->config, &trial, &error))
    return cli_error("match", CLI_USAGE, "%s", error.message);
  m->config.mode = sixer_env_status(trial).mode;
  sixer_env_destroy(trial);
  if (o->scores && (status = cli_check_output("match", o->scores))) return status;
  if (!match_arrange(m, (int)o->seeds, (uint32_t)o->seed))
    return cli_error("match", CLI_FAILED, "out of memory");
  if (o->out && match_log_open(o->out, o->resume, m, &m->log, &error))
    return cli_error("match", CLI_FAILED, "%s", error.message);
  cli_catch_interrupts();
  sixer_err err = match_play(m, &failed, &error);
  match_log_close(m->log);
  m->log = NULL;
  if (err) {
    const match_game *g = &m->games[failed];
    return cli_error("match", CLI_FAILED, "%s against %s, seed %u: %s", m->agents[g->first].name,
                     m->agents[g->second].name, g->seed, error.message);
  }
  if (failed < m->game_count) return interrupted(m, o);
  sixer_rating ratings[MATCH_AGENTS_MAX];
  status = rate(m, o, ratings);
  if (!status && o->scores) status = write_scores(o->scores, m);
  return status ? status : show(m, o, ratings);
}

static int open_agents(match *m, const char *const *texts) {
  for (int i = 0; i < m->agent_count; i++) {
    sixer_error error;
    const char *text = m->agents[i].text = texts[i];
    if (model_is_file(text)) {
      if (sixer_model_open(text, &m->agents[i].model, &error))
        return cli_error("match", CLI_FAILED, "%s", error.message);
    } else if (strcspn(text, "/.") < strcspn(text, ":")) { /* names of agents have neither */
      return os_access(text, OS_EXISTS)
                 ? cli_error("match", CLI_FAILED, "%s: cannot be read: %s", text, strerror(errno))
                 : cli_error("match", CLI_FAILED, "%s is not a checkpoint of `sixer train`", text);
    }
  }
  return CLI_OK;
}

int cmd_match(int argc, char **argv) {
  match_options o = {.players = 2,
                     .seeds = 10,
                     .seed = 1,
                     .mode = INT64_MIN,
                     .difficulty = INT64_MIN,
                     .frame_skip = INT64_MIN,
                     .max_frames = 18000,
                     .turn_limit = INT64_MIN,
                     .replicates = 0,
                     .confidence = 0.95,
                     .prior = 1,
                     .jobs = 0};
  const option_def options[] = {
      {"players", OPTION_INT, &o.players, "N", "players of the game: 2 or 4"},
      {"seeds", OPTION_INT, &o.seeds, "N", "seeds that every two agents play, each twice"},
      {"seed", OPTION_INT, &o.seed, "N", "the first of them"},
      {"mode", OPTION_INT, &o.mode, "N", "mode of the game for so many players"},
      {"difficulty", OPTION_INT, &o.difficulty, "N", "difficulty switches"},
      {"frame-skip", OPTION_INT, &o.frame_skip, "N", "frames per action, of all agents"},
      {"sticky", OPTION_REAL, &o.sticky, "P", "probability that a frame repeats the last action"},
      {"max-frames", OPTION_INT, &o.max_frames, "N", "a game ends after so many frames"},
      RULES_OPTIONS(o),
      {"all-actions", OPTION_FLAG, &o.all_actions, NULL,
       "choose from all 18 actions, not from those that the game uses"},
      {"jobs", OPTION_INT, &o.jobs, "N", "games at a time; 0: one for each processor"},
      {"anchor", OPTION_TEXT, &o.anchor, "AGENT", "its rating is 1500, not the average"},
      {"prior", OPTION_REAL, &o.prior, "N", "draws with an average player that everybody gets"},
      {"confidence", OPTION_REAL, &o.confidence, "P", "of intervals"},
      {"replicates", OPTION_INT, &o.replicates, "N",
       "of a bootstrap over games; 0: intervals by the Fisher information"},
      {"out", OPTION_TEXT, &o.out, "FILE", "keep every game in this file as soon as it is played"},
      {"resume", OPTION_FLAG, &o.resume, NULL,
       "go on with the games that the file of --out does not have, if it is there"},
      {"list", OPTION_FLAG, &o.list, NULL, "list all games with their seeds"},
      {"scores", OPTION_TEXT, &o.scores, "FILE",
       "write the score of each agent in each game, for `sixer eval` and `sixer report`"},
      {"tsv", OPTION_FLAG, &o.tsv, NULL, "tab-separated values"},
      {"json", OPTION_FLAG, &o.json, NULL, "JSON"},
      {"game", OPTION_TEXT, &o.game, "ID", "apply this game's rules to the image"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  const char *words[MATCH_AGENTS_MAX + 2];
  int status,
      count = cli_parse(
          "match",
          "A tournament in a game for several players: every two agents play on the same seeds, "
          "each seed twice with the sides swapped. Ratings are those of Bradley and Terry on Elo's "
          "scale, with an average of 1500.\n\n"
          "AGENT is a name with options, as in `sixer record` (`sixer watch --agents` lists them): "
          "baselines, planners, pipe:command=PROGRAM for a program of your own; or a checkpoint of "
          "`sixer train`. All of them see the same screen. A planner takes the other players to do "
          "nothing. With four players, one agent has players 1 and 3 and the other 2 and 4. Who "
          "has the higher score at the end of an episode has won.\n\n"
          "  sixer match random uct:frames=2000 perturb:action=UP pong\n"
          "  sixer match random iw1 boxing --seeds 20 --out games.tsv\n"
          "  sixer match random iw1 boxing --seeds 20 --out games.tsv --resume\n"
          "  sixer match runs/sarsa_pong_1.checkpoint random pong --players 4",
          options, argc, argv, words, MATCH_AGENTS_MAX + 2, &status);
  if (count < 0) return status;
  if ((status = check_options(&o, count))) return status;
  if (count - 1 > MATCH_AGENTS_MAX)
    return cli_error("match", CLI_USAGE, "%d agents; there can be %d", count - 1, MATCH_AGENTS_MAX);
  match_agent agents[MATCH_AGENTS_MAX] = {{0}};
  sixer_rom *rom = NULL;
  sixer_error error;
  match m = {.config = sixer_config_default(),
             .players = (int)o.players,
             .agents = agents,
             .agent_count = count - 1,
             .jobs = (int)o.jobs};
  m.config.players = m.players;
  m.config.sticky = (float)o.sticky;
  m.config.max_frames = (int)o.max_frames;
  if (o.mode != INT64_MIN) m.config.mode = (int)o.mode;
  if (o.difficulty != INT64_MIN) m.config.difficulty = (int)o.difficulty;
  if ((status = seats_rules("match", o.turn_limit, o.corrections, &m.config))) return status;
  status = open_agents(&m, words);
  if (!status && image_open("match", words[count - 1], o.game, IMAGE_WARN, &rom, &error))
    status = cli_error("match", CLI_FAILED, "%s", error.message);
  m.rom = rom;
  if (!status) status = run(&m, &o);
  for (int i = 0; i < m.agent_count; i++) sixer_model_close(agents[i].model);
  free(m.games);
  sixer_rom_close(rom);
  return status;
}
