/* The smallest program: open a cartridge, play random actions, print the score and write a picture.
 *
 *     build/release/examples/hello ROM [PICTURE.png] */
#include <sixer/sixer.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: hello ROM [PICTURE.png]\n");
    return 2;
  }
  sixer_error error;
  sixer_rom *rom = NULL;
  sixer_env *env = NULL;
  sixer_config config = sixer_config_default(); /* sticky actions, Machado et al. 2018 */
  config.frame_skip = 4;                        /* as in DQN, Mnih et al. 2015 */
  if (sixer_rom_open(argv[1], NULL, &rom, &error) || sixer_env_create(rom, &config, &env, &error)) {
    fprintf(stderr, "hello: %s\n", error.message);
    sixer_rom_close(rom);
    return 1;
  }

  sixer_list actions = sixer_rom_minimal_actions(rom);
  sixer_result result = {0};
  uint32_t random = 1;
  int steps = 0, score = 0;
  while (!result.over && steps < 5000) {
    random = random * 1664525 + 1013904223;
    sixer_env_step(env, actions.items[(random >> 16) % (unsigned)actions.count], &result);
    score += result.reward;
    steps++;
  }
  printf("%s: score %d after %d steps\n", sixer_rom_describe(rom).title, score, steps);

  int status = 0;
  if (argc > 2 && sixer_env_save_png(env, argv[2], &error)) {
    fprintf(stderr, "hello: %s\n", error.message);
    status = 1;
  }
  sixer_env_destroy(env);
  sixer_rom_close(rom);
  return status;
}
