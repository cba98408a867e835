/* A game on display. Every change of the env goes through this file, so that the rewind history and the tape record
 * it. */
#include "cli/player.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cli/image.h"
#include "util/png.h"
#include "util/replace.h"
#include "util/os.h"

enum {
  PAST_SECONDS = 1800, /* half an hour, some 10 MB */
  NOTICE_FRAMES = 150,
  OVER_FRAMES = 90,    /* frames for which an agent's last picture stays */
  PADDLE_STEP = 23000, /* ohms that full strength turns a paddle by in a frame */
  STATUS_COLUMNS = 79, /* a line of a common terminal */
  SLOT_SUM = 4,        /* bytes of the checksum behind a state in a slot */
  STATE_FLAGS = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE
};

void player_say(player *p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(p->notice, sizeof p->notice, format, args);
  va_end(args);
  p->notice_frames = NOTICE_FRAMES;
}

/* ---- Life ------------------------------------------------------------------------------------------------------ */

sixer_err player_create(player *p, const player_settings *s, sixer_error *error) {
  *p = (player){.speed = 1, .episode_limit = s->episodes, .seats = s->seats};
  sixer_config config = *s->config;
  char by[5000];
  const bool several = s->seats.players > 1;
  snprintf(by, sizeof by, "%s", several && s->agent ? "" : s->agent ? s->agent : "a person");
  if (s->model && !several) model_describe(s->model, by, sizeof by);
  sixer_err err;
  if (s->tape) {
    err = sixer_tape_open(s->tape, &p->tape, error);
    if (!err) err = sixer_tape_rom(p->tape, s->rom, &p->rom, error);
    if (!err) {
      config = sixer_tape_describe(p->tape).config;
      config.sound = s->config->sound;
    }
  } else if (several) {
    err = s->model ? model_rom(s->command, s->model, s->rom, s->game, &p->rom, error)
                   : image_open(s->command, s->rom, s->game, IMAGE_WARN, &p->rom, error);
    if (!err && p->seats.players > p->seats.people)
      err = seats_begin_agents(&p->seats, s->agent, s->against ? s->against : s->agent, p->rom,
                               s->minimal, &config, by, sizeof by, error);
    p->agent = p->seats.seat[0].agent;
    p->actions = p->seats.seat[0].actions;
  } else if (s->model) {
    err = model_rom(s->command, s->model, s->rom, s->game, &p->rom, error);
    if (!err) err = model_apply(s->model, p->rom, &config, &p->actions, error);
    if (!err) err = sixer_model_agent(s->model, p->rom, &p->agent, error);
  } else {
    err = image_open(s->command, s->rom, s->game, IMAGE_WARN, &p->rom, error);
    if (!err) p->actions = session_actions(p->rom, s->minimal);
    if (!err && s->agent) err = session_agent(s->agent, config.seed, &p->agent, error);
    if (!err && s->agent) sixer_agent_prepare(p->agent, &config);
  }
  config.picture = true; /* it is looked at, whatever the agent reads */
  if (!err) err = sixer_env_create(p->rom, &config, &p->env, error);
  if (!err && s->record) err = sixer_recorder_open(s->record, p->env, by, &p->recorder, error);
  if (err) {
    player_destroy(p, NULL);
    return err;
  }
  if (p->agent) insight_begin(&p->insight, p->agent, p->env, p->actions);
  /* a linear learner must not look between its choices */
  if (!p->insight.maps && p->seats.seat[0].period > 1) p->insight.able = false;
  p->insight.shown = s->shown;
  if (s->shown == INSIGHT_SALIENCY && p->insight.able && !p->insight.maps) {
    player_say(p, "there is no saliency without a network: values only");
    p->insight.shown = INSIGHT_VALUES;
  }
  if (!p->agent && !p->tape) p->past = history_create(p->env, PAST_SECONDS);
  p->result.lives = sixer_env_status(p->env).lives;
  return SIXER_OK;
}

sixer_err player_destroy(player *p, sixer_error *error) {
  sixer_err err = sixer_recorder_close(p->recorder, error);
  history_destroy(p->past);
  if (p->agent != p->seats.seat[0].agent) sixer_agent_destroy(p->agent);
  seats_end(&p->seats);
  sixer_env_destroy(p->env);
  sixer_rom_close(p->rom);
  sixer_tape_close(p->tape);
  *p = (player){0};
  return err;
}

/* ---- The tape -------------------------------------------------------------------------------------------------- */

/* Recording failed: say so and continue without a tape. */
static void check_tape(player *p, sixer_err err) {
  if (!err || !p->recorder) return;
  sixer_recorder_close(p->recorder, &p->failure);
  p->recorder = NULL;
  player_say(p, "%s", p->failure.message);
}

static void tell_tape_of_jump(player *p) {
  if (p->recorder) check_tape(p, sixer_recorder_state(p->recorder));
  p->rewound = false;
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

int player_action(int buttons) {
  static const int8_t by_direction[16] = {
      /* none, up, down, up+down, left, up+left, down+left, ..., right */
      SIXER_ACTION_NOOP,  SIXER_ACTION_UP,      SIXER_ACTION_DOWN,      SIXER_ACTION_NOOP,
      SIXER_ACTION_LEFT,  SIXER_ACTION_UPLEFT,  SIXER_ACTION_DOWNLEFT,  SIXER_ACTION_LEFT,
      SIXER_ACTION_RIGHT, SIXER_ACTION_UPRIGHT, SIXER_ACTION_DOWNRIGHT, SIXER_ACTION_RIGHT,
      SIXER_ACTION_NOOP,  SIXER_ACTION_UP,      SIXER_ACTION_DOWN,      SIXER_ACTION_NOOP};
  int action = by_direction[buttons & 15];
  if (!(buttons & BUTTON_FIRE)) return action;
  return action == SIXER_ACTION_NOOP ? SIXER_ACTION_FIRE : action + 8;
}

/* The buttons that a person holds, as an input. The mouse turns a paddle by at most PADDLE_STEP per frame; the rest is
 * left for the next frames. */
static sixer_input person_input(player *p) {
  sixer_input input = {.action_a = player_action(p->buttons[0]),
                       .action_b = player_action(p->buttons[1]),
                       .strength_a = 1};
  if (p->buttons[1]) input.strength_b = 1;
  input.switches = p->flipped | p->pressed | (p->by_hand ? SIXER_SWITCH_RUN : 0);
  int turn = (int)((p->turn < 0 ? -p->turn : p->turn) * 255 / PADDLE_STEP);
  if (sixer_rom_describe(p->rom).paddles && turn > 0) {
    if (turn > 255) turn = 255;
    int side = p->turn < 0 ? BUTTON_RIGHT : BUTTON_LEFT;
    input.action_a = player_action((p->buttons[0] & BUTTON_FIRE) | side);
    input.strength_a = (float)turn / 255.0f;
    p->turn += (p->turn < 0 ? 1 : -1) * (double)turn * PADDLE_STEP / 255;
  }
  return input;
}

/* `was_over`: before the step. The console may run on after an end. */
static void note_result(player *p, bool was_over) {
  p->steps++;
  p->score += p->result.reward;
  if (p->result.reward) p->last_reward = p->result.reward;
  if (!p->result.over || was_over) return;
  p->episodes++;
  sixer_err err = p->seats.players > 1 ? seats_over(&p->seats, p->env, &p->failure)
                  : p->agent           ? sixer_agent_end(p->agent, p->env, &p->failure)
                                       : SIXER_OK;
  if (err) p->finished = true;
}

static void begin_episode(player *p) {
  p->score = 0;
  p->last_reward = 0;
  p->over_frames = 0;
  sixer_status status = sixer_env_status(p->env);
  p->result = (sixer_result){.lives = status.lives};
}

static int step_person(player *p) {
  bool was_over = p->result.over;
  if (p->pressed) p->by_hand = true;
  if (was_over && !p->by_hand) return 1; /* a frame of time passes; the game stays over */
  if (p->rewound) tell_tape_of_jump(p);
  p->input = person_input(p);
  if (seats_fill(&p->seats, p->env, &p->input, &p->failure)) {
    p->finished = true;
    return 0;
  }
  sixer_env_step_input(p->env, p->input, &p->result);
  if (p->past) history_step(p->past, p->env, p->input);
  if (p->recorder) check_tape(p, sixer_recorder_step(p->recorder, p->input, &p->result));
  note_result(p, was_over);
  char scores[100];
  seats_scores(&p->seats, p->env, p->score, scores, sizeof scores);
  if (p->result.over && !was_over)
    player_say(p, "%s: %s points. %s", p->result.terminal ? "game over" : "the episode is cut off",
               scores, p->by_hand ? "RESET or a new game" : "Enter for a new game");
  return p->result.frames;
}

static void reset_env(player *p) {
  if (p->rewound) tell_tape_of_jump(p); /* the console's memory outlives a reset */
  sixer_env_reset(p->env);
  p->by_hand = false;
  if (p->agent && p->seats.players < 2) sixer_agent_reset(p->agent);
  seats_reset(&p->seats);
  if (p->past) history_jump(p->past, p->env);
  if (p->recorder) check_tape(p, sixer_recorder_reset(p->recorder));
  begin_episode(p);
}

static int step_agent(player *p) {
  if (p->result.over) {
    if (p->episode_limit && p->episodes >= p->episode_limit) {
      p->finished = ++p->over_frames >= OVER_FRAMES;
      return 1;
    }
    if (++p->over_frames < OVER_FRAMES) return 1;
    reset_env(p);
  }
  p->input = (sixer_input){.strength_a = 1};
  sixer_err err = p->seats.players > 1 ? seats_fill(&p->seats, p->env, &p->input, &p->failure)
                                       : sixer_agent_act(p->agent, p->env, p->actions,
                                                         &p->input.action_a, &p->failure);
  if (err) {
    p->finished = true;
    return 0;
  }
  sixer_env_step_input(p->env, p->input, &p->result);
  if (p->recorder) check_tape(p, sixer_recorder_step(p->recorder, p->input, &p->result));
  note_result(p, false);
  char scores[100];
  seats_scores(&p->seats, p->env, p->score, scores, sizeof scores);
  if (p->result.over) player_say(p, "episode %" PRId64 ": %s points", p->episodes, scores);
  return p->result.frames > 0 ? p->result.frames : 1;
}

static int step_tape(player *p) {
  sixer_tape_event event;
  sixer_error error = {SIXER_OK, ""};
  sixer_err err = sixer_tape_play(p->tape, p->env, &event, &error);
  if (err) {
    player_say(p, "%s", error.message);
    if (!p->failure.code) p->failure = error;
    if (event.kind == SIXER_TAPE_END) p->finished = true;
  }
  switch (event.kind) {
    case SIXER_TAPE_END:
      if (!p->finished) player_say(p, "the tape ends here");
      p->finished = true;
      return 0;
    case SIXER_TAPE_STEP: {
      bool was_over = p->result.over;
      p->input = event.input;
      p->result = event.result;
      note_result(p, was_over);
      return event.result.frames > 0 ? event.result.frames : 1;
    }
    case SIXER_TAPE_RESET:
    case SIXER_TAPE_STATE: begin_episode(p); return 1;
  }
  return 1;
}

static int step_back(player *p) {
  int steps = history_back(p->past, p->env, 1);
  if (steps == 0) {
    player_say(p, "cannot go back further");
    return 1;
  }
  p->rewound = true;
  seats_reset(&p->seats);
  p->steps -= steps;
  sixer_status status = sixer_env_status(p->env);
  p->result =
      (sixer_result){.lives = status.lives, .over = status.over, .executed = status.executed};
  p->score = (double)status.score;
  p->last_reward = 0;
  return 1;
}

int player_advance(player *p) {
  if (p->notice_frames > 0) p->notice_frames--;
  if (p->finished) return 0;
  if (p->rewinding && p->past) return step_back(p);
  if (p->paused) return 0;
  return p->tape ? step_tape(p) : p->agent ? step_agent(p) : step_person(p);
}

void player_look(player *p) {
  if (p->agent) insight_update(&p->insight, p->agent, p->env, p->actions);
}

/* ---- Commands -------------------------------------------------------------------------------------------------- */

static bool slot_path(const player *p, char *path, size_t size) {
  char name[100];
  snprintf(name, sizeof name, "states/%s-%d.state", sixer_rom_describe(p->rom).md5, p->slot);
  return session_data_path(name, path, size);
}

/* A slot is a state and its CRC-32, little-endian; slots of sixer 0.1.0 are a state alone. Takes the checksum away. */
static bool check_slot(const uint8_t *state, size_t size, size_t *got) {
  if (*got != size + SLOT_SUM) return true; /* whatever is wrong with it, the loader says */
  uLong sum = crc32(0, state, (uInt)size), stored = 0;
  for (int i = 0; i < SLOT_SUM; i++) stored |= (uLong)state[size + (size_t)i] << 8 * i;
  *got = size;
  return sum == stored;
}

static void save_slot(player *p) {
  char path[4096];
  size_t size = sixer_env_state_size(p->env, STATE_FLAGS);
  uint8_t *state = malloc(size + SLOT_SUM);
  bool ok = state && slot_path(p, path, sizeof path);
  if (ok) {
    sixer_env_save(p->env, STATE_FLAGS, state);
    uLong sum = crc32(0, state, (uInt)size);
    for (int i = 0; i < SLOT_SUM; i++) state[size + (size_t)i] = (uint8_t)(sum >> 8 * i);
    ok = replace_bytes(path, state, size + SLOT_SUM);
  }
  free(state);
  if (ok)
    player_say(p, "saved to slot %d", p->slot);
  else
    player_say(p, "slot %d cannot be saved: %s", p->slot, strerror(errno));
}

static void load_slot(player *p) {
  char path[4096];
  sixer_error error = {SIXER_OK, ""};
  size_t size = sixer_env_state_size(p->env, STATE_FLAGS);
  uint8_t *state = malloc(size + SLOT_SUM + 1);
  FILE *file = state && slot_path(p, path, sizeof path) ? os_fopen(path, "rb") : NULL;
  if (!file) {
    player_say(p, "slot %d is empty", p->slot);
  } else {
    size_t got = fread(state, 1, size + SLOT_SUM + 1, file);
    if (!check_slot(state, size, &got)) {
      player_say(p, "slot %d is damaged: %s", p->slot, path);
    } else if (sixer_env_load(p->env, state, got, &error)) {
      player_say(p, "slot %d: %s", p->slot, error.message);
    } else {
      player_say(p, "loaded slot %d", p->slot);
      if (p->past) history_jump(p->past, p->env);
      seats_reset(&p->seats);
      tell_tape_of_jump(p);
      begin_episode(p);
      p->score = (double)sixer_env_status(p->env).score;
      p->result.over = sixer_env_status(p->env).over;
    }
    fclose(file);
  }
  free(state);
}

static int next_of(sixer_list list, int value, int by) {
  int at = 0;
  for (int i = 0; i < list.count; i++) {
    if (list.items[i] == value) at = i;
  }
  return list.items[(at + by + list.count) % list.count];
}

static void change_flavor(player *p, player_command what, int by) {
  sixer_status status = sixer_env_status(p->env);
  if (what == PLAYER_MODE) {
    sixer_list modes = p->seats.players > 1
                           ? sixer_rom_player_modes(p->rom, SIXER_DIALECT_SIXER, p->seats.players)
                           : sixer_rom_modes(p->rom);
    int mode = next_of(modes, status.mode, by);
    sixer_env_set_mode(p->env, mode, NULL);
    player_say(p, "mode %d", mode);
  } else if (what == PLAYER_LEVEL) {
    int count = sixer_rom_level_count(p->rom), level = (status.level + by + count) % count;
    if (count == 1) {
      player_say(p, "this game has no levels");
      return;
    }
    sixer_env_set_levels(p->env, level, 1, NULL);
    player_say(p, "level %d", level);
  } else {
    int difficulty = next_of(sixer_rom_difficulties(p->rom), status.difficulty, by);
    sixer_env_set_difficulty(p->env, difficulty, NULL);
    player_say(p, "difficulty %d", difficulty);
  }
  reset_env(p);
}

/* The picture with the panel of predictions, as a PNG file. */
static sixer_err save_insight(player *p, const char *path, sixer_error *error) {
  int width = insight_picture_width(&p->insight);
  int height = insight_picture_height(&p->insight, p->env);
  size_t count = (size_t)width * (size_t)height;
  uint32_t *pixels = malloc(count * sizeof *pixels);
  uint8_t *rgb = malloc(count * 3);
  player_look(p);
  bool made = pixels && rgb && insight_picture(&p->insight, p->env, pixels);
  for (size_t i = 0; made && i < 3 * count; i++)
    rgb[i] = (uint8_t)(pixels[i / 3] >> (16 - 8 * (i % 3)));
  made = made && png_write(path, rgb, width, height);
  free(pixels);
  free(rgb);
  return made ? SIXER_OK
              : sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written: %s", path,
                           strerror(errno));
}

/* Flip a switch of the console. The game sees it from the next frame on, if it looks. */
static void flip_switch(player *p, int which) {
  p->flipped ^= which;
  int difficulty = sixer_env_status(p->env).difficulty ^ p->flipped >> 6;
  if (which == SIXER_SWITCH_COLOR)
    player_say(p, p->flipped & which ? "black and white" : "color");
  else if (which == SIXER_SWITCH_LEFT)
    player_say(p, "left difficulty %c", difficulty & 1 ? 'A' : 'B');
  else
    player_say(p, "right difficulty %c", difficulty & 2 ? 'A' : 'B');
}

static void screenshot(player *p) {
  char path[200];
  sixer_error error;
  sixer_rom_info info = sixer_rom_describe(p->rom);
  snprintf(path, sizeof path, "%.100s-%" PRId64 ".png", info.game ? info.game : "sixer",
           sixer_env_status(p->env).frames);
  if (insight_has_panel(&p->insight) ? save_insight(p, path, &error)
                                     : sixer_env_save_png(p->env, path, &error))
    player_say(p, "%s", error.message);
  else
    player_say(p, "screenshot: %s", path);
}

void player_do(player *p, player_command what, int argument) {
  bool person = !p->agent && !p->tape;
  switch (what) {
    case PLAYER_PAUSE: p->paused = !p->paused; break;
    case PLAYER_STEP:
      p->paused = false;
      player_advance(p);
      p->paused = true;
      break;
    case PLAYER_OVERLAY: p->overlay = (player_overlay)((p->overlay + 1) % OVERLAY_KINDS); break;
    case PLAYER_INSIGHT:
      if (p->insight.able)
        insight_next(&p->insight);
      else
        player_say(p, "only a learner has predictions to show");
      break;
    case PLAYER_HELP: p->help = !p->help; break;
    case PLAYER_SCREENSHOT: screenshot(p); break;
    case PLAYER_QUIT: p->finished = true; break;
    case PLAYER_SLOT:
      p->slot = argument;
      player_say(p, "slot %d", p->slot);
      break;
    case PLAYER_SAVE: save_slot(p); break;
    default:
      if (p->tape || (!person && what == PLAYER_LOAD)) {
        player_say(p, "not while %s plays", p->tape ? "a tape" : "an agent");
      } else if (what == PLAYER_RESET) {
        reset_env(p);
      } else if (what == PLAYER_SWITCH) {
        if (person)
          flip_switch(p, argument);
        else
          player_say(p, "not while an agent plays");
      } else if (what == PLAYER_LOAD) {
        load_slot(p);
      } else {
        change_flavor(p, what, argument);
      }
  }
}

bool player_key(player *p, key_command pressed) {
  static const struct {
    key_command key;
    player_command what;
    int argument;
  } table[] = {
      {DO_LEFT_DIFFICULTY, PLAYER_SWITCH, SIXER_SWITCH_LEFT},
      {DO_RIGHT_DIFFICULTY, PLAYER_SWITCH, SIXER_SWITCH_RIGHT},
      {DO_COLOR, PLAYER_SWITCH, SIXER_SWITCH_COLOR},
      {DO_NEW_GAME, PLAYER_RESET, 0},
      {DO_MODE, PLAYER_MODE, 1},
      {DO_MODE_BACK, PLAYER_MODE, -1},
      {DO_DIFFICULTY, PLAYER_DIFFICULTY, 1},
      {DO_DIFFICULTY_BACK, PLAYER_DIFFICULTY, -1},
      {DO_LEVEL, PLAYER_LEVEL, 1},
      {DO_LEVEL_BACK, PLAYER_LEVEL, -1},
      {DO_PAUSE, PLAYER_PAUSE, 0},
      {DO_FRAME, PLAYER_STEP, 0},
      {DO_SAVE, PLAYER_SAVE, 0},
      {DO_LOAD, PLAYER_LOAD, 0},
      {DO_SCREENSHOT, PLAYER_SCREENSHOT, 0},
      {DO_OVERLAY, PLAYER_OVERLAY, 0},
      {DO_INSIGHT, PLAYER_INSIGHT, 0},
      {DO_HELP, PLAYER_HELP, 0},
      {DO_QUIT, PLAYER_QUIT, 0},
  };
  if (pressed >= DO_SLOT_0 && pressed <= DO_SLOT_9) {
    player_do(p, PLAYER_SLOT, (int)pressed - DO_SLOT_0);
    return true;
  }
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    if (table[i].key != pressed) continue;
    player_do(p, table[i].what, table[i].argument);
    return true;
  }
  return false;
}

static void write_status(const player *p, bool reward, char *line, size_t size) {
  sixer_status s = sixer_env_status(p->env);
  double seconds = s.episode_frames / session_frame_rate(sixer_rom_describe(p->rom).format);
  char level[20] = "", last[30] = "", mode[30], scores[100];
  seats_scores(&p->seats, p->env, p->score, scores, sizeof scores);
  int difficulty = s.difficulty ^ (p->flipped >> 6 & 3);
  if (p->by_hand)
    snprintf(mode, sizeof mode, "by SELECT");
  else
    snprintf(mode, sizeof mode, "mode %d.%d", s.mode, difficulty);
  if (sixer_rom_level_count(p->rom) > 1) snprintf(level, sizeof level, "  level %d", s.level);
  if (reward) snprintf(last, sizeof last, "  reward %d", p->last_reward);
  snprintf(line, size, "score %s%s  lives %d  %s  %d:%02d  %s%s%s%s%s", scores, last,
           p->result.lives, sixer_action_name(p->input.action_a), (int)seconds / 60,
           (int)seconds % 60, mode, p->flipped & SIXER_SWITCH_COLOR ? "  B/W" : "", level,
           p->rewinding && p->past ? "  <<"
           : p->paused             ? "  ||"
           : p->speed > 1          ? "  >>"
                                   : "",
           p->recorder ? "  REC" : "");
}

void player_status(const player *p, char *line, size_t size) {
  write_status(p, true, line, size);
  if (strlen(line) > STATUS_COLUMNS) write_status(p, false, line, size);
}
