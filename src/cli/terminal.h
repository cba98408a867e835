/* Play in the terminal: pictures made of half blocks, two pixels per character, in the colors that it supports. */
#ifndef SIXER_CLI_TERMINAL_H
#define SIXER_CLI_TERMINAL_H

#include "cli/player.h"

typedef enum terminal_colors { COLORS_24BIT, COLORS_256, COLORS_16, COLORS_NONE } terminal_colors;

/* The colors that the terminal supports, by $COLORTERM and $TERM; or by name: "auto", "24bit", "256", "16", "none".
 * False if there is no such name. */
bool terminal_colors_by_name(const char *name, terminal_colors *colors);

/* Pixels as text, rows ending in a line feed: `width` characters wide and `height` high, each two pixels high. The rgb
 * picture is scaled down by averaging. */
void terminal_picture(FILE *out, const uint8_t *rgb, int rgb_width, int rgb_height, int width,
                      int height, terminal_colors colors);

/* Play in the terminal until the player is finished. `keys` as of keys_open(). */
sixer_err terminal_run(player *p, terminal_colors colors, const char *keys, sixer_error *error);

#endif
