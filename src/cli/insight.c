/* What a trained agent predicts and its network looks at. See insight.h. */
#include "cli/insight.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/font.h"

enum { SCREEN = 160, PICTURE = 320 };

bool insight_by_name(const char *name, insight_shown *shown) {
  static const char *const names[INSIGHT_KINDS] = {"none", "values", "saliency"};
  for (int i = 0; i < INSIGHT_KINDS; i++) {
    if (strcmp(names[i], name) != 0) continue;
    *shown = (insight_shown)i;
    return true;
  }
  return false;
}

void insight_begin(insight *in, sixer_agent *agent, sixer_env *env, sixer_list actions) {
  sixer_agent_view view;
  sixer_error error;
  in->able = !sixer_agent_look(agent, env, actions, &view, &error);
  in->maps = in->able && view.frames > 0;
  in->low = INFINITY;
  in->high = -INFINITY;
}

void insight_next(insight *in) {
  in->shown = (insight_shown)((in->shown + 1) % INSIGHT_KINDS);
  if (in->shown == INSIGHT_SALIENCY && !in->maps) in->shown = INSIGHT_NONE;
}

/* ---- Looking --------------------------------------------------------------------------------------------------- */

static void widen(insight *in, double value) {
  if (value < in->low) in->low = value;
  if (value > in->high) in->high = value;
}

/* Probabilities of the atoms, as they are, or several to a bin. */
static void take_atoms(insight *in, const sixer_agent_view *v) {
  in->bins = v->points < INSIGHT_BINS ? v->points : INSIGHT_BINS;
  in->low = (double)v->at[0];
  in->high = (double)v->at[v->points - 1];
  for (int a = 0; a < v->actions; a++) {
    for (int i = 0; i < v->points; i++)
      in->distribution[a][i * in->bins / v->points] += v->distribution[a * v->points + i];
  }
}

/* Between two neighboring quantiles the return lies with a fixed probability: it is spread over the bins between. */
static void take_quantiles(insight *in, const sixer_agent_view *v) {
  in->bins = 48;
  for (int i = 0; i < v->actions * v->points; i++) widen(in, (double)v->distribution[i]);
  for (int a = 0; a < v->actions; a++) {
    const float *z = v->distribution + a * v->points;
    for (int i = 0; i + 1 < v->points; i++) {
      double from = insight_place(in, (double)fminf(z[i], z[i + 1])) * in->bins;
      double to = insight_place(in, (double)fmaxf(z[i], z[i + 1])) * in->bins;
      double mass = (double)(v->at[i + 1] - v->at[i]);
      int first = (int)from < in->bins ? (int)from : in->bins - 1;
      int last = (int)to < in->bins ? (int)to : in->bins - 1;
      for (int k = first; k <= last; k++) {
        double share = 1;
        if (first != last) share = (fmin(to, k + 1) - fmax(from, k)) / (to - from);
        in->distribution[a][k] += (float)(mass * share);
      }
    }
  }
}

static void take_view(insight *in, const sixer_agent_view *v, sixer_list actions) {
  in->count = v->actions;
  in->best = 0;
  in->kind = v->kind;
  in->bins = 0;
  memset(in->distribution, 0, sizeof in->distribution);
  for (int a = 0; a < v->actions; a++) {
    in->actions[a] = actions.items[a];
    in->values[a] = v->values[a];
    if (v->values[a] > in->values[in->best]) in->best = a;
    if (v->kind == SIXER_DISTRIBUTION_NONE) widen(in, v->values[a]);
  }
  if (v->kind == SIXER_DISTRIBUTION_ATOMS) take_atoms(in, v);
  if (v->kind == SIXER_DISTRIBUTION_QUANTILES) take_quantiles(in, v);
  for (int a = 0; a < v->actions; a++) {
    float most = 0;
    for (int i = 0; i < in->bins; i++) most = fmaxf(most, in->distribution[a][i]);
    for (int i = 0; i < in->bins && most > 0; i++) in->distribution[a][i] /= most;
  }
}

void insight_update(insight *in, sixer_agent *agent, sixer_env *env, sixer_list actions) {
  sixer_status status = sixer_env_status(env);
  if (!insight_has_panel(in) || status.over) return;
  if (in->known >= in->shown && in->frames == status.frames) return;
  sixer_agent_view view;
  if (sixer_agent_look(agent, env, actions, &view, NULL)) return;
  take_view(in, &view, actions);
  in->frames = status.frames;
  in->known = INSIGHT_VALUES;
  if (in->shown != INSIGHT_SALIENCY ||
      sixer_agent_saliency(agent, env, actions, INSIGHT_CELLS, in->saliency, NULL))
    return;
  in->known = INSIGHT_SALIENCY;
  float most = 0;
  for (int i = 0; i < INSIGHT_CELLS * INSIGHT_CELLS; i++) most = fmaxf(most, in->saliency[i]);
  for (int i = 0; i < INSIGHT_CELLS * INSIGHT_CELLS && most > 0; i++) in->saliency[i] /= most;
}

/* ---- Scales and words ------------------------------------------------------------------------------------------ */

double insight_place(const insight *in, double value) {
  double place = in->high > in->low ? (value - in->low) / (in->high - in->low) : 0.5;
  return place < 0 ? 0 : place > 1 ? 1 : place;
}

void insight_title(const insight *in, char *text, size_t size) {
  static const char *const what[] = {"values", "atoms", "quantiles"};
  snprintf(text, size, "%s %.3g to %.3g", what[in->kind], in->low, in->high);
}

/* ---- Drawing --------------------------------------------------------------------------------------------------- */

static double cell(const insight *in, int row, int column) {
  row = row < 0 ? 0 : row >= INSIGHT_CELLS ? INSIGHT_CELLS - 1 : row;
  column = column < 0 ? 0 : column >= INSIGHT_CELLS ? INSIGHT_CELLS - 1 : column;
  return (double)in->saliency[row * INSIGHT_CELLS + column];
}

static uint32_t mix(uint32_t a, uint32_t b, double share) {
  uint32_t out = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    double from = a >> shift & 255, to = b >> shift & 255;
    out |= (uint32_t)(from + (to - from) * share + 0.5) << shift;
  }
  return out;
}

uint32_t insight_tint(const insight *in, uint32_t color, double x, double y) {
  if (!in->able || in->shown != INSIGHT_SALIENCY || in->known != INSIGHT_SALIENCY) return color;
  /* between the centers of four cells */
  double u = x * INSIGHT_CELLS - 0.5, v = y * INSIGHT_CELLS - 0.5;
  int column = (int)floor(u), row = (int)floor(v);
  u -= column;
  v -= row;
  double above = cell(in, row, column) * (1 - u) + cell(in, row, column + 1) * u;
  double below = cell(in, row + 1, column) * (1 - u) + cell(in, row + 1, column + 1) * u;
  /* the root shows what is weaker than the strongest spot, too */
  return mix(color, 0xFF3010, 0.75 * sqrt(above * (1 - v) + below * v));
}

static void fill(uint32_t *pixels, int x, int y, int width, int height, uint32_t color) {
  for (int row = y; row < y + height && row < INSIGHT_HEIGHT; row++) {
    for (int i = x; i < x + width && i < INSIGHT_WIDTH; i++)
      pixels[row * INSIGHT_WIDTH + i] = color;
  }
}

void insight_panel(const insight *in, uint32_t *pixels) {
  enum { TOP = 16, NAME = 4, VALUE = 58, BAR = 90, MOST = 28 };
  const int room = INSIGHT_WIDTH - BAR - 4;
  fill(pixels, 0, 0, INSIGHT_WIDTH, INSIGHT_HEIGHT, 0xFF101018);
  char text[80];
  insight_title(in, text, sizeof text);
  font_draw(pixels, INSIGHT_WIDTH, INSIGHT_HEIGHT, NAME, 4, text, 0xFFB0B0C0);
  int row = in->count ? (INSIGHT_HEIGHT - TOP - 12) / in->count : MOST;
  if (row > MOST) row = MOST;
  for (int a = 0; a < in->count; a++) {
    const int y = TOP + a * row, middle = y + (row - FONT_HEIGHT) / 2;
    const uint32_t color = a == in->best ? 0xFFFCFC54 : 0xFFB0B0C0;
    font_draw(pixels, INSIGHT_WIDTH, INSIGHT_HEIGHT, NAME, middle,
              sixer_action_name(in->actions[a]), color);
    snprintf(text, sizeof text, "%7.3f", in->values[a]);
    font_draw(pixels, INSIGHT_WIDTH, INSIGHT_HEIGHT, VALUE, middle, text, color);
    for (int i = 0; i < in->bins; i++) {
      int left = i * room / in->bins, right = (i + 1) * room / in->bins;
      int high = (int)(in->distribution[a][i] * (float)(row - 2) + 0.5f);
      fill(pixels, BAR + left, y + row - 1 - high, right - left, high, color);
    }
    int at = (int)(insight_place(in, in->values[a]) * (room - 1));
    if (in->bins) /* the mean of a distribution */
      fill(pixels, BAR + at, y + 1, 1, row - 2, 0xFFFF5040);
    else
      fill(pixels, BAR, y + 2, at + 1, row - 4, color);
  }
  if (in->shown == INSIGHT_SALIENCY)
    font_draw(pixels, INSIGHT_WIDTH, INSIGHT_HEIGHT, NAME, INSIGHT_HEIGHT - 8,
              "red: what the values depend on", 0xFFFF5040);
}

int insight_picture_width(const insight *in) {
  return PICTURE + (insight_has_panel(in) ? INSIGHT_WIDTH : 0);
}

int insight_picture_height(const insight *in, const sixer_env *env) {
  int rows = sixer_env_height(env);
  return insight_has_panel(in) && rows < INSIGHT_HEIGHT ? INSIGHT_HEIGHT : rows;
}

bool insight_picture(const insight *in, sixer_env *env, uint32_t *pixels) {
  const uint8_t *screen = sixer_env_screen(env);
  const uint32_t *colors = sixer_env_palette(env);
  const int rows = sixer_env_height(env), width = insight_picture_width(in);
  if (!screen) return false;
  for (int i = 0; i < width * insight_picture_height(in, env); i++) pixels[i] = 0xFF000000;
  for (int y = 0; y < rows; y++) {
    for (int x = 0; x < SCREEN; x++) {
      uint32_t color = insight_tint(in, colors[screen[y * SCREEN + x]] & 0xFFFFFF,
                                    (x + 0.5) / SCREEN, (y + 0.5) / rows);
      pixels[y * width + 2 * x] = pixels[y * width + 2 * x + 1] = 0xFF000000 | color;
    }
  }
  if (!insight_has_panel(in)) return true;
  uint32_t panel[INSIGHT_WIDTH * INSIGHT_HEIGHT];
  insight_panel(in, panel);
  for (int y = 0; y < INSIGHT_HEIGHT; y++)
    memcpy(pixels + y * width + PICTURE, panel + y * INSIGHT_WIDTH, INSIGHT_WIDTH * sizeof *panel);
  return true;
}
