/* In which bytes of memory does a game keep its score? Play actions, and see which bytes they change.
 *
 *     build/release/examples/ram ROM
 *
 * reads lines such as "RIGHTFIRE 30" (an action and how many frames to hold it) and prints the bytes that differ
 * afterwards. docs/games.md explains how to use them. */
#include <sixer/sixer.h>
#include <stdio.h>
#include <string.h>

static int find_action(const char *name) {
  for (int i = 0; i < SIXER_ACTION_COUNT; i++) {
    if (!strcmp(name, sixer_action_name(i))) return i;
  }
  return -1;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: ram ROM\n");
    return 2;
  }
  sixer_error error;
  sixer_rom *rom = NULL;
  sixer_env *env = NULL;
  sixer_config config = sixer_config_default();
  config.sticky = 0; /* every action is executed as typed */
  if (sixer_rom_open(argv[1], NULL, &rom, &error) || sixer_env_create(rom, &config, &env, &error)) {
    fprintf(stderr, "ram: %s\n", error.message);
    sixer_rom_close(rom);
    return 1;
  }

  char line[100], name[20];
  uint8_t before[128];
  while (printf("> "), fflush(stdout), fgets(line, sizeof line, stdin)) {
    int frames = 1, action;
    if (sscanf(line, "%19s %d", name, &frames) < 1) continue;
    if ((action = find_action(name)) < 0) {
      printf("no action is called %s; try NOOP, FIRE, UP, DOWNRIGHT, LEFTFIRE ...\n", name);
      continue;
    }
    memcpy(before, sixer_env_ram(env), sizeof before);
    sixer_result result = {0};
    int reward = 0;
    for (int i = 0; i < frames && !result.over; i++) {
      sixer_env_step(env, action, &result);
      reward += result.reward;
    }
    const uint8_t *ram = sixer_env_ram(env);
    for (int i = 0; i < 128; i++) {
      if (ram[i] != before[i]) printf("0x%02X: %02x -> %02x\n", 0x80 + i, before[i], ram[i]);
    }
    printf("reward %d, lives %d%s\n", reward, result.lives, result.over ? ", over" : "");
    if (result.over) sixer_env_reset(env);
  }
  putchar('\n');
  sixer_env_destroy(env);
  sixer_rom_close(rom);
  return 0;
}
