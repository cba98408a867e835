/* Scripted events for tests: a file takes the place of the person and the clock. Each line is a frame number and what
 * happens before it:
 *
 *     0 clock 0.004          time goes on by 4 ms whenever the window would wait (default 0.001)
 *     0 listen               all sound is to be heard: the window waits for the device
 *     10 key down Left       SDL's names of keys; also: key up
 *     20 mouse 40            motion; also: button down, button up
 *     30 pad 0 down a        SDL's names of buttons; also: pad 0 up a, pad 0 axis leftx 32000
 *     40 dump file.ppm       what the window shows
 *     50 state file          the env's state
 *     55 time file           the clock
 *     60 size 700 500        of the window
 *     90 quit
 *
 * Frames count what the player was asked for, also while paused or going back. */
#ifndef SIXER_CLI_WINDOW_SCRIPT_H
#define SIXER_CLI_WINDOW_SCRIPT_H

#ifdef SIXER_HAVE_SDL

#include <SDL.h>

#include "cli/player.h"

typedef struct window_script window_script;

window_script *window_script_open(const char *path); /* NULL: cannot be read, or a line is wrong */
void window_script_close(window_script *s);          /* NULL is allowed */
double window_script_time(const window_script *s);
bool window_script_listens(const window_script *s); /* NULL: no */
void window_script_wait(window_script *s);
void window_script_frame(window_script *s); /* a frame has passed */

/* Push the events that are due; after the picture is drawn, do the dumps that are due. The player is NULL where nothing
 * is played yet. */
void window_script_push(window_script *s, SDL_Renderer *renderer);
void window_script_drawn(window_script *s, SDL_Renderer *renderer, player *p);

#endif
#endif
