/* Opening cartridge images for commands that score. A file can have the name of one game and the content of another:
 * its scores then look like those of a game that was never played. */
#ifndef SIXER_CLI_IMAGE_H
#define SIXER_CLI_IMAGE_H

#include "sixer/sixer.h"

/* What is done about an image whose MD5 is not one of the game that its name, or --game, says. */
typedef enum image_rule {
  IMAGE_WARN,  /* a warning on stderr */
  IMAGE_REFUSE /* an error: results under a protocol are compared with others */
} image_rule;

/* Open an image as sixer_rom_open() does: a file, or the id of a game; `rules` is the argument of --game, or NULL. */
sixer_err image_open(const char *command_name, const char *path_or_id, const char *rules,
                     image_rule rule, sixer_rom **rom, sixer_error *error);

#endif
