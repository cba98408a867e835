/* A game on display. Every change of the env goes through this file, so that the rewind history and the tape record
 * it. */
#include "cli/player.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/replace.h"

enum {
  PAST_SECONDS = 1800, /* half an hour, some 10 MB */
  NOTICE_FRAMES = 150,
  OVER_FRAMES = 90,    /* frames for which an agent's last picture stays */
  PADDLE_STEP = 23000, /* ohms that full strength turns a paddle by in a frame */
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
  *p = (player){.speed = 1, .episode_limit = s->episodes};
  sixer_config config = *s->config;
  char by[5000];
  snprintf(by, sizeof by, "%s", s->agent ? s->agent : "a person");
  if (s->model) model_describe(s->model, by, sizeof by);
  sixer_err err;
  if (s->tape) {
    err = sixer_tape_open(s->tape, &p->tape, error);
    if (!err) err = sixer_tape_rom(p->tape, s->rom, &p->rom, error);
    if (!err) {
      config = sixer_tape_describe(p->tape).config;
      config.sound = s->config->sound;
    }
  } else if (s->model) {
    err = model_rom(s->model, s->rom, s->game, &p->rom, error);
    if (!err) err = model_apply(s->model, p->rom, &config, &p->actions, error);
    if (!err) err = sixer_model_agent(s->model, p->rom, &p->agent, error);
  } else {
    err = sixer_rom_open(s->rom, s->game, &p->rom, error);
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
  if (!p->agent && !p->tape) p->past = history_create(p->env, PAST_SECONDS);
  p->result.lives = sixer_env_status(p->env).lives;
  return SIXER_OK;
}

sixer_err player_destroy(player *p, sixer_error *error) {
  sixer_err err = sixer_recorder_close(p->recorder, error);
  history_destroy(p->past);
  sixer_agent_destroy(p->agent);
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
  sixer_input input = {player_action(p->buttons[0]), player_action(p->buttons[1]), 1, 0};
  if (p->buttons[1]) input.strength_b = 1;
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

static void note_result(player *p) {
  p->steps++;
  p->score += p->result.reward;
  if (p->result.reward) p->last_reward = p->result.reward;
  if (p->result.over) p->episodes++;
}

static void begin_episode(player *p) {
  p->score = 0;
  p->last_reward = 0;
  p->over_frames = 0;
  sixer_status status = sixer_env_status(p->env);
  p->result = (sixer_result){.lives = status.lives};
}

static int step_person(player *p) {
  if (p->result.over) return 1; /* a frame of time passes; the game stays over */
  if (p->rewound) tell_tape_of_jump(p);
  p->input = person_input(p);
  sixer_env_step_input(p->env, p->input, &p->result);
  if (p->past) history_step(p->past, p->env, p->input);
  if (p->recorder) check_tape(p, sixer_recorder_step(p->recorder, p->input, &p->result));
  note_result(p);
  if (p->result.over)
    player_say(p, "%s: %.0f points. Enter for a new game",
               p->result.terminal ? "game over" : "the episode is cut off", p->score);
  return p->result.frames;
}

static void reset_env(player *p) {
  if (p->rewound) tell_tape_of_jump(p); /* the console's memory outlives a reset */
  sixer_env_reset(p->env);
  if (p->agent) sixer_agent_reset(p->agent);
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
  int action;
  sixer_err err = sixer_agent_act(p->agent, p->env, p->actions, &action, &p->failure);
  if (err) {
    p->finished = true;
    return 0;
  }
  p->input = (sixer_input){action, 0, 1, 0};
  sixer_env_step_input(p->env, p->input, &p->result);
  if (p->recorder) check_tape(p, sixer_recorder_step(p->recorder, p->input, &p->result));
  note_result(p);
  if (p->result.over) player_say(p, "episode %" PRId64 ": %.0f points", p->episodes, p->score);
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
    case SIXER_TAPE_STEP:
      p->input = event.input;
      p->result = event.result;
      note_result(p);
      return event.result.frames > 0 ? event.result.frames : 1;
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

/* ---- Commands -------------------------------------------------------------------------------------------------- */

static bool slot_path(const player *p, char *path, size_t size) {
  char name[100];
  snprintf(name, sizeof name, "states/%s-%d.state", sixer_rom_describe(p->rom).md5, p->slot);
  return session_data_path(name, path, size);
}

static void save_slot(player *p) {
  char path[4096];
  size_t size = sixer_env_state_size(p->env, STATE_FLAGS);
  uint8_t *state = malloc(size);
  bool ok = state && slot_path(p, path, sizeof path);
  if (ok) {
    sixer_env_save(p->env, STATE_FLAGS, state);
    ok = replace_bytes(path, state, size);
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
  uint8_t *state = malloc(size + 1);
  FILE *file = state && slot_path(p, path, sizeof path) ? fopen(path, "rb") : NULL;
  if (!file) {
    player_say(p, "slot %d is empty", p->slot);
  } else {
    size_t got = fread(state, 1, size + 1, file);
    if (sixer_env_load(p->env, state, got, &error)) {
      player_say(p, "slot %d: %s", p->slot, error.message);
    } else {
      player_say(p, "loaded slot %d", p->slot);
      if (p->past) history_jump(p->past, p->env);
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
    int mode = next_of(sixer_rom_modes(p->rom), status.mode, by);
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

static void screenshot(player *p) {
  char path[200];
  sixer_error error;
  sixer_rom_info info = sixer_rom_describe(p->rom);
  snprintf(path, sizeof path, "%.100s-%" PRId64 ".png", info.game ? info.game : "sixer",
           sixer_env_status(p->env).frames);
  if (sixer_env_save_png(p->env, path, &error))
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
      } else if (what == PLAYER_LOAD) {
        load_slot(p);
      } else {
        change_flavor(p, what, argument);
      }
  }
}

void player_status(const player *p, char *line, size_t size) {
  sixer_status s = sixer_env_status(p->env);
  double seconds = s.episode_frames / session_frame_rate(sixer_rom_describe(p->rom).format);
  char level[20] = "";
  if (sixer_rom_level_count(p->rom) > 1) snprintf(level, sizeof level, "  level %d", s.level);
  snprintf(line, size, "score %.0f  reward %d  lives %d  %s  %d:%02d  mode %d.%d%s%s%s", p->score,
           p->last_reward, p->result.lives, sixer_action_name(p->input.action_a), (int)seconds / 60,
           (int)seconds % 60, s.mode, s.difficulty, level,
           p->rewinding && p->past ? "  <<"
           : p->paused             ? "  ||"
           : p->speed > 1          ? "  >>"
                                   : "",
           p->recorder ? "  REC" : "");
}
