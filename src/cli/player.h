/* A game on display, played by a person, an agent or a tape, with pause, speeds, rewinding, save slots and recording.
 * It does not depend on the window or the terminal: those translate their events into commands and buttons, ask for
 * frames when they are due, and draw what the player reports. */
#ifndef SIXER_CLI_PLAYER_H
#define SIXER_CLI_PLAYER_H

#include "cli/history.h"
#include "cli/insight.h"
#include "cli/keys.h"
#include "cli/model_files.h"
#include "cli/seats.h"
#include "cli/session.h"
#include "sixer/tape.h"
#include "util/error.h"
#include "util/os.h"

enum { BUTTON_UP = 1, BUTTON_DOWN = 2, BUTTON_LEFT = 4, BUTTON_RIGHT = 8, BUTTON_FIRE = 16 };

typedef enum player_command {
  PLAYER_SWITCH,     /* flip a SIXER_SWITCH_... of the console: a difficulty or color */
  PLAYER_PAUSE,      /* or go on */
  PLAYER_STEP,       /* one frame, while paused */
  PLAYER_RESET,      /* new episode */
  PLAYER_MODE,       /* next (+1) or previous (-1) mode, and reset */
  PLAYER_DIFFICULTY, /* likewise */
  PLAYER_LEVEL,      /* likewise, in games with levels */
  PLAYER_SLOT,       /* choose slot 0..9 */
  PLAYER_SAVE,       /* to the slot */
  PLAYER_LOAD,       /* from it */
  PLAYER_SCREENSHOT,
  PLAYER_OVERLAY, /* next kind of overlay */
  PLAYER_INSIGHT, /* next of what a trained network shows */
  PLAYER_HELP,    /* show or hide the keys */
  PLAYER_QUIT,
} player_command;

typedef enum player_overlay {
  OVERLAY_NONE,
  OVERLAY_STATUS,
  OVERLAY_RAM,
  OVERLAY_KINDS
} player_overlay;

typedef struct player {
  sixer_rom *rom;
  sixer_env *env;
  sixer_recorder *recorder; /* NULL: not recording */
  sixer_agent *agent; /* NULL: a person or a tape; of several players, that of the first seat */
  seats seats;        /* of several players */
  sixer_tape *tape;
  history *past;      /* of a person's play; NULL otherwise */
  sixer_list actions; /* that the agent chooses from */
  insight insight;    /* into the agent's network */

  /* what is held down, by the front end */
  int buttons[2]; /* BUTTON_... of players A and B */
  int pressed;    /* SIXER_SWITCH_SELECT and _RESET */
  double turn;    /* of the paddle, not applied yet; in ohms, right is negative */
  bool rewinding;
  double speed; /* 1, or a turbo */

  bool paused, finished;
  player_overlay overlay;
  bool help;
  int slot;
  int64_t steps, episodes, episode_limit;
  int over_frames;   /* frames shown since the episode was over, for agents */
  sixer_input input; /* of the last step */
  sixer_result result;
  double score;    /* sum of the rewards of this episode */
  int last_reward; /* the last that was not 0 */
  int flipped;     /* SIXER_SWITCH_... that a person has flipped; new games keep them */
  bool
      by_hand; /* SELECT or RESET was pressed since the game began: the console runs on after a game's end */
  bool rewound; /* the env was rewound, and this is not on the tape yet */
  char notice[300];
  int notice_frames; /* frames for which it is still shown */
  sixer_error failure;
} player;

typedef struct player_settings {
  const char *command;    /* for messages */
  const char *rom, *game; /* of a person or agent */
  const sixer_config *config;
  const char *agent, *tape; /* one of them, or none: a person */
  const sixer_model
      *model;          /* a trained agent, in place of `agent`; of several players, the first one,
                             * with `agent` its path */
  const char *record;  /* file of the tape to write; NULL: none */
  seats seats;         /* as seats_apply() has filled it */
  const char *against; /* the agent of the other seats, a name or a checkpoint; NULL: people, or
                             * copies of `agent` */
  bool minimal;
  int64_t episodes; /* to play; 0: no limit */
  insight_shown shown;
} player_settings;

/* Begin. On failure everything is freed and `error` says why. */
sixer_err player_create(player *p, const player_settings *settings, sixer_error *error);

/* End the tape and free all; the error is that of the tape. */
sixer_err player_destroy(player *p, sixer_error *error);

void player_do(player *p, player_command what, int argument);

/* Do what a key stands for, if it is the same in window and terminal; false if not. */
bool player_key(player *p, key_command pressed);

/* Advance by one frame, by one step of several frames, or backward while rewinding. Returns the frames that passed, 0
 * while paused. `finished` is set when the play has ended. */
int player_advance(player *p);

/* Look into the agent's network, if that is shown: before every drawing. */
void player_look(player *p);

void player_say(player *p, const char *format, ...) OS_PRINTF(2, 3);

/* A status line: score, reward, lives, action, time, flavor. At most 79 characters: without the reward if need be. */
void player_status(const player *p, char *line, size_t size);

/* The action that buttons stand for. */
int player_action(int buttons);

#endif
