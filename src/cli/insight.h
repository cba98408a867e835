/* What a trained agent predicts and its network looks at, beside the picture of a game: the value of each action, or
 * the distribution of the return where the network predicts one, and the parts of the picture that values depend on. */
#ifndef SIXER_CLI_INSIGHT_H
#define SIXER_CLI_INSIGHT_H

#include "sixer/agents.h"

typedef enum insight_shown {
  INSIGHT_NONE,
  INSIGHT_VALUES,   /* the panel */
  INSIGHT_SALIENCY, /* and the picture is tinted */
  INSIGHT_KINDS
} insight_shown;

enum {
  INSIGHT_CELLS = 12, /* of the saliency map: 144 passes of the network for a picture */
  INSIGHT_BINS = 64,  /* of a distribution, at most */
  INSIGHT_WIDTH = 160,
  INSIGHT_HEIGHT = 210 /* of the panel, in its own pixels */
};

typedef struct insight {
  bool able; /* the agent predicts values */
  bool maps; /* it has a network, which a saliency map can be made of */
  insight_shown shown;
  insight_shown known; /* what is computed for the env as it was at `frames` */
  int64_t frames;
  int actions[SIXER_ACTION_COUNT], count, best; /* best: position of the largest value */
  double values[SIXER_ACTION_COUNT];
  double low,
      high; /* of everything that was predicted so far: the scale of bars and distributions */
  sixer_distribution kind;
  int bins;
  float distribution[SIXER_ACTION_COUNT][INSIGHT_BINS]; /* largest of each action: 1 */
  float saliency[INSIGHT_CELLS * INSIGHT_CELLS];        /* largest: 1 */
} insight;

/* "none", "values" or "saliency"; false for other words. */
bool insight_by_name(const char *name, insight_shown *shown);

/* Find out what the agent predicts. */
void insight_begin(insight *in, sixer_agent *agent, sixer_env *env, sixer_list actions);

/* Ask the agent before the env, if something is shown and the env has changed. After the end of an
 * episode the last prediction stays. */
void insight_update(insight *in, sixer_agent *agent, sixer_env *env, sixer_list actions);

/* The next kind: none, values, and saliency of agents with a network. */
void insight_next(insight *in);

static inline bool insight_has_panel(const insight *in) {
  return in->able && in->shown != INSIGHT_NONE;
}

/* What the panel shows, in words: "values 0.1 to 2.4". */
void insight_title(const insight *in, char *text, size_t size);

/* The place of a number on the scale from low to high, 0 to 1. */
double insight_place(const insight *in, double value);

/* The color 0xRRGGBB of a pixel at (x, y), each from 0 to 1, with the tint of the saliency map. */
uint32_t insight_tint(const insight *in, uint32_t color, double x, double y);

/* Draw the panel into INSIGHT_WIDTH x INSIGHT_HEIGHT pixels 0xFFRRGGBB. */
void insight_panel(const insight *in, uint32_t *pixels);

/* The whole: picture, 320 pixels wide, and panel, as pixels 0xFFRRGGBB. */
int insight_picture_width(const insight *in);
int insight_picture_height(const insight *in, const sixer_env *env);
bool insight_picture(const insight *in, sixer_env *env, uint32_t *pixels);

#endif
