/* `sixer serve` plays as the library does: same seed, same rewards, lives, ends, screens and RAM, in both forms of
 * messages; save, restore and vectors too. Requests that are wrong, cut off or too large are answered by a sentence or
 * end the connection, and the environment is as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sixer/serve.h"
#include "sixer/vec.h"
#include "util/message.h"
#include "util/os_thread.h"

enum { STEPS = 400, ENVS = 3 };
#define GAME "duskrain"

typedef struct client {
  int socket, far;
  bool packed;
  pthread_t thread;
  sixer_serve_settings settings;
  sixer_err err; /* how the server's side ended */
  sixer_error error;
  message_stream stream;
  message reply;
  message_writer request;
} client;

static void *serve(void *context) {
  client *c = context;
  c->err = sixer_serve_talk(c->far, c->far, &c->settings, &c->error);
  shutdown(c->far, SHUT_RDWR);
  return NULL;
}

static ptrdiff_t read_some(void *context, void *bytes, size_t size) {
  return read(((client *)context)->socket, bytes, size);
}

static bool write_all(void *context, const void *bytes, size_t size) {
  return send(((client *)context)->socket, bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static client *connect_client(bool packed) {
  client *c = calloc(1, sizeof *c);
  int pair[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  c->socket = pair[0];
  c->far = pair[1];
  c->packed = packed;
  c->settings = sixer_serve_settings_default();
  c->stream = (message_stream){.context = c,
                               .read = read_some,
                               .write = write_all,
                               .limit = 1 << 24,
                               .packed = packed,
                               .begun = true};
  assert_int_equal(os_thread_start(&c->thread, serve, c), 0);
  if (packed) assert_true(write_all(c, "msgpack 1\n", 10));
  return c;
}

/* The client goes; how the server took it. */
static sixer_err leave(client *c, char *why) {
  shutdown(c->socket, SHUT_WR);
  pthread_join(c->thread, NULL);
  close(c->socket);
  close(c->far);
  sixer_err err = c->err;
  if (why) strcpy(why, err ? c->error.message : "");
  message_stream_free(&c->stream);
  message_free(&c->reply);
  message_writer_free(&c->request);
  free(c);
  return err;
}

static message_writer *begin(client *c, const char *word) {
  message_begin(&c->request, c->packed);
  message_put_text(&c->request, "do", word);
  return &c->request;
}

static bool send_request(client *c) {
  sixer_error error;
  assert_int_equal(message_end(&c->request, &error), SIXER_OK);
  assert_int_equal(message_send(&c->stream, &c->request, &error), SIXER_OK);
  if (message_receive(&c->stream, &c->reply, &error) != MESSAGE_GOT) fail_msg("%s", error.message);
  bool ok = false;
  assert_int_equal(message_get_flag(&c->reply, "ok", &ok, &error), SIXER_OK);
  return ok;
}

static void ask(client *c) {
  if (!send_request(c)) fail_msg("%s", message_find(&c->reply, "error")->text);
}

static int64_t number(const client *c, const char *key) {
  const message_field *f = message_find(&c->reply, key);
  if (!f) fail_msg("the reply has no %s", key);
  return (int64_t)f->number;
}

static const uint8_t *bytes(client *c, const char *key, size_t size) {
  const uint8_t *out = NULL;
  size_t found = 0;
  assert_int_equal(message_get_bytes(&c->reply, key, &out, &found, NULL), SIXER_OK);
  assert_int_equal(found, size);
  return out;
}

/* ---- Equal to the library -------------------------------------------------------------------------------------- */

static void compare(client *c, sixer_env *env, const char *screen) {
  sixer_status status = sixer_env_status(env);
  assert_int_equal(number(c, "lives"), status.lives);
  assert_int_equal(number(c, "frames"), status.frames);
  assert_int_equal(number(c, "episode_frames"), status.episode_frames);
  assert_int_equal(number(c, "level"), status.level);
  size_t size = (size_t)sixer_env_height(env) * 160 * (screen[0] == 'r' ? 3 : 1);
  uint8_t *own = malloc(size);
  if (screen[0] == 'i')
    memcpy(own, sixer_env_screen(env), size);
  else if (screen[0] == 'g')
    sixer_env_gray(env, own);
  else
    sixer_env_rgb(env, own);
  assert_memory_equal(bytes(c, "screen", size), own, size);
  free(own);
  assert_memory_equal(bytes(c, "ram", 128), sixer_env_ram(env), 128);
}

static void make(client *c, const char *screen, int seed) {
  message_writer *w = begin(c, "make");
  message_put_text(w, "game", GAME);
  message_put_text(w, "screen", screen);
  message_put_flag(w, "ram", true);
  message_put_int(w, "seed", seed);
  message_put_int(w, "frame_skip", 4);
  message_put_int(w, "max_frames", 700);
  message_put_int(w, "mode", 1);
  ask(c);
}

static sixer_env *make_own(const sixer_rom *rom, int seed, int mode, int difficulty) {
  sixer_config config = sixer_config_default();
  sixer_env *env;
  config.seed = (uint32_t)seed;
  config.frame_skip = 4;
  config.max_frames = 700;
  config.mode = mode;
  config.difficulty = difficulty;
  assert_int_equal(sixer_env_create(rom, &config, &env, NULL), SIXER_OK);
  return env;
}

static bool step_both(client *c, sixer_env *env, int action) {
  sixer_result result;
  message_put_int(begin(c, "step"), "action", action);
  ask(c);
  sixer_env_step(env, action, &result);
  assert_int_equal(number(c, "reward"), result.reward);
  assert_int_equal(number(c, "over"), result.over);
  if (result.over) assert_int_equal(number(c, "truncated"), result.truncated);
  return result.over;
}

static void play_equal(bool packed, const char *screen) {
  sixer_rom *rom;
  assert_int_equal(sixer_rom_open(GAME, NULL, &rom, NULL), SIXER_OK);
  client *c = connect_client(packed);
  sixer_env *env = make_own(rom, 7, 1, 0);
  make(c, screen, 7);
  assert_int_equal(number(c, "height"), sixer_env_height(env));
  assert_int_equal(message_find(&c->reply, "actions")->size, sixer_rom_minimal_actions(rom).count);
  compare(c, env, screen);
  int ends = 0;
  for (int i = 0; i < STEPS; i++) {
    bool over = step_both(c, env, i * 7 % 18);
    compare(c, env, screen);
    if (!over) continue;
    ends++;
    begin(c, "reset");
    ask(c);
    sixer_env_reset(env);
    compare(c, env, screen);
  }
  assert_true(ends > 1);
  /* a reset with a seed and a flavor is as a new environment */
  message_writer *w = begin(c, "reset");
  message_put_int(w, "seed", 11);
  message_put_int(w, "mode", 2);
  message_put_int(w, "difficulty", 1);
  ask(c);
  sixer_env_destroy(env);
  env = make_own(rom, 11, 2, 1);
  compare(c, env, screen);
  /* a flavor alone is chosen as at the switches */
  message_put_int(begin(c, "reset"), "mode", 0);
  ask(c);
  sixer_env_set_mode(env, 0, NULL);
  sixer_env_reset(env);
  for (int i = 0; i < 20; i++) step_both(c, env, i % 18);
  compare(c, env, screen);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
  assert_int_equal(leave(c, NULL), SIXER_OK);
}

static void test_equal(void **state) {
  (void)state;
  play_equal(false, "gray");
  play_equal(true, "gray");
  play_equal(true, "rgb");
  play_equal(true, "indexed");
}

static void test_save(void **state) {
  (void)state;
  for (int packed = 0; packed < 2; packed++) {
    client *c = connect_client(packed);
    make(c, "gray", 3);
    for (int i = 0; i < 30; i++) {
      message_put_int(begin(c, "step"), "action", i % 18);
      ask(c);
    }
    message_put_flag(begin(c, "save"), "picture", true);
    ask(c);
    const uint8_t *saved;
    size_t size;
    assert_int_equal(message_get_bytes(&c->reply, "state", &saved, &size, NULL), SIXER_OK);
    uint8_t *kept = malloc(size);
    memcpy(kept, saved, size);
    uint8_t first[210 * 160];
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 30; i++) {
        message_put_int(begin(c, "step"), "action", i % 5);
        ask(c);
      }
      const uint8_t *screen = bytes(c, "screen", sizeof first);
      if (!round)
        memcpy(first, screen, sizeof first);
      else
        assert_memory_equal(screen, first, sizeof first);
      message_put_bytes(begin(c, "load"), "state", kept, size);
      ask(c);
    }
    message_put_bytes(begin(c, "load"), "state", kept, size / 2);
    assert_false(send_request(c));
    free(kept);
    leave(c, NULL);
  }
}

static void play_vector(bool packed) {
  sixer_rom *rom;
  sixer_vec *vec;
  sixer_vec_slot slots[ENVS];
  assert_int_equal(sixer_rom_open(GAME, NULL, &rom, NULL), SIXER_OK);
  for (int i = 0; i < ENVS; i++) slots[i] = (sixer_vec_slot){rom, SIXER_MODE_DEFAULT, 0};
  sixer_vec_config config = sixer_vec_config_default();
  config.env.seed = 5;
  config.env.max_frames = 400;
  config.height = config.width = 42;
  config.stack = 2;
  assert_int_equal(sixer_vec_create(slots, ENVS, &config, &vec, NULL), SIXER_OK);
  size_t size = ENVS * sixer_vec_describe(vec).obs_size;
  uint8_t *obs = malloc(size);
  int32_t rewards[ENVS], actions[ENVS];
  sixer_vec_out out = {.rows = ENVS, .obs = obs, .rewards = rewards};
  client *c = connect_client(packed);
  message_writer *w = begin(c, "make");
  message_put_text(w, "game", GAME);
  message_put_int(w, "count", ENVS);
  message_put_int(w, "seed", 5);
  message_put_int(w, "max_frames", 400);
  message_put_int(w, "height", 42);
  message_put_int(w, "width", 42);
  message_put_int(w, "stack", 2);
  ask(c);
  assert_int_equal(message_find(&c->reply, "shape")->numbers[0], ENVS);
  message_put_int(begin(c, "save"), "env", 1); /* nothing to save yet */
  assert_false(send_request(c));
  assert_non_null(strstr(message_find(&c->reply, "error")->text, "never reset"));
  begin(c, "reset");
  ask(c);
  sixer_vec_reset(vec, NULL, NULL, &out, NULL);
  assert_memory_equal(bytes(c, "obs", size), obs, size);
  for (int i = 0; i < 200; i++) {
    for (int k = 0; k < ENVS; k++) actions[k] = (i + k) % 4;
    message_put_ints(begin(c, "step"), "actions", actions, ENVS);
    ask(c);
    assert_int_equal(sixer_vec_step(vec, actions, NULL, &out, NULL), SIXER_OK);
    for (int k = 0; k < ENVS; k++)
      assert_int_equal(message_find(&c->reply, "rewards")->numbers[k], rewards[k]);
    assert_memory_equal(bytes(c, "obs", size), obs, size);
  }
  /* copy env 0 to env 2 by its state */
  message_put_int(begin(c, "save"), "env", 0);
  ask(c);
  const uint8_t *saved;
  size_t length;
  assert_int_equal(message_get_bytes(&c->reply, "state", &saved, &length, NULL), SIXER_OK);
  uint8_t *kept = malloc(length);
  memcpy(kept, saved, length);
  w = begin(c, "load");
  message_put_int(w, "env", 2);
  message_put_bytes(w, "state", kept, length);
  ask(c);
  free(kept);
  begin(c, "look");
  ask(c);
  const uint8_t *all = bytes(c, "obs", size);
  assert_memory_equal(all, all + 2 * (size / ENVS), size / ENVS);
  free(obs);
  sixer_vec_destroy(vec);
  sixer_rom_close(rom);
  leave(c, NULL);
}

static void test_vector(void **state) {
  (void)state;
  play_vector(false);
  play_vector(true);
}

/* ---- Bad input ------------------------------------------------------------------------------------------------- */

static const struct {
  const char *request, *reply;
} refused[] = {
    {"nonsense", "is expected"},
    {"{\"do\": \"step\"", "ends where"},
    {"{\"do\": \"step\"} x", "the end of the line"},
    {"{\"do\": {\"a\": 1}}", "objects in objects"},
    {"{\"do\": 3}", "'do' is a text"},
    {"{}", "'do' is missing"},
    {"{\"do\": \"stepp\"}", "did you mean 'step'"},
    {"{\"do\": \"step\", \"do\": \"step\"}", "twice"},
    {"{\"do\": \"step\"}", "'action' is missing"},
    {"{\"do\": \"step\", \"action\": 18}", "from 0 to 17, found 18"},
    {"{\"do\": \"step\", \"action\": 1.5}", "whole number"},
    {"{\"do\": \"step\", \"action\": \"1\"}", "'action' is a number"},
    {"{\"do\": \"step\", \"action\": 1e999}", "is expected"},
    {"{\"do\": \"step\", \"actoin\": 1}", "did you mean 'action'"},
    {"{\"do\": \"step\", \"action\": 1, \"switches\": 16}", "no such switch"},
    {"{\"do\": \"reset\", \"mode\": 77}", "mode"},
    {"{\"do\": \"reset\", \"mode\": 1, \"difficulty\": 9}", "difficult"},
    {"{\"do\": \"load\"}", "'state' is missing"},
    {"{\"do\": \"load\", \"state\": \"@@\"}", "not base64"},
    {"{\"do\": \"load\", \"state\": \"AAAA\"}", "state"},
    {"{\"do\": \"make\", \"game\": \"duskrian\"}", "did you mean 'duskrain'"},
    {"{\"do\": \"make\", \"game\": \"./x.bin\"}", "--paths"},
    {"{\"do\": \"make\"}", "name a game"},
    {"{\"do\": \"make\", \"game\": \"duskrain\", \"screen\": \"gry\"}", "did you mean 'gray'"},
    {"{\"do\": \"make\", \"game\": \"duskrain\", \"mode\": 200}", "mode"},
    {"{\"do\": \"make\", \"game\": \"duskrain\", \"stack\": 4}", "not a value"},
    {"{\"do\": \"make\", \"game\": \"duskrain\", \"count\": 2000}", "from 1 to 1024"},
    {"{\"do\": \"make\", \"game\": \"duskrain\", \"count\": 1024, \"height\": 1000, \"width\": "
     "1000}",
     "fewer or smaller"},
    {"{\"do\": \"hello\", \"protocol\": 2}", "this is protocol 1"},
    {"msgpack 1", "is expected"}, /* only as the first line */
};

static void expect_line(client *c, const char *line, const char *words) {
  sixer_error error;
  assert_true(write_all(c, line, strlen(line)) && write_all(c, "\n", 1));
  if (message_receive(&c->stream, &c->reply, &error) != MESSAGE_GOT) fail_msg("%s", error.message);
  if (number(c, "ok")) fail_msg("%s is accepted", line);
  const char *text = message_find(&c->reply, "error")->text;
  if (!strstr(text, words)) fail_msg("%s: %s", line, text);
}

static void test_refused(void **state) {
  (void)state;
  client *c = connect_client(false);
  expect_line(c, "{\"do\": \"step\", \"action\": 0}", "there is no environment yet");
  make(c, "gray", 1);
  uint8_t before[210 * 160];
  int64_t frames = number(c, "frames");
  memcpy(before, bytes(c, "screen", sizeof before), sizeof before);
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
    expect_line(c, refused[i].request, refused[i].reply);
  begin(c, "look");
  ask(c);
  assert_memory_equal(bytes(c, "screen", sizeof before), before, sizeof before);
  assert_int_equal(number(c, "frames"), frames);
  begin(c, "bye");
  ask(c);
  assert_int_equal(leave(c, NULL), SIXER_OK);
}

static void test_cut_off(void **state) {
  (void)state;
  char why[500];
  client *c = connect_client(false);
  make(c, "rgb", 1);
  write_all(c, "{\"do\": \"st", 10);
  assert_int_equal(leave(c, why), SIXER_ERR_FILE);
  assert_non_null(strstr(why, "in the middle of a message"));
  c = connect_client(true);
  write_all(c, "\x10\0\0", 3);
  assert_int_equal(leave(c, why), SIXER_ERR_FILE);
  /* a client that asks and dies without reading the replies */
  c = connect_client(false);
  make(c, "rgb", 1);
  int one = 4096;
  setsockopt(c->far, SOL_SOCKET, SO_SNDBUF, &one, sizeof one);
  for (int i = 0; i < 20; i++) write_all(c, "{\"do\": \"step\", \"action\": 1}\n", 29);
  shutdown(c->socket, SHUT_RDWR);
  assert_int_equal(leave(c, why), SIXER_ERR_FILE);
}

static void test_too_large(void **state) {
  (void)state;
  char why[500];
  for (int packed = 0; packed < 2; packed++) {
    client *c = connect_client(packed);
    sixer_error error;
    char block[4096];
    memset(block, ' ', sizeof block);
    if (packed) {
      write_all(c, "\xFF\xFF\xFF\x7F", 4);
    } else {
      for (int i = 0; i < 300; i++) {
        if (!write_all(c, block, sizeof block)) break;
      }
    }
    assert_int_equal(message_receive(&c->stream, &c->reply, &error), MESSAGE_GOT);
    assert_non_null(strstr(message_find(&c->reply, "error")->text, "larger than 1048576 bytes"));
    assert_int_equal(leave(c, why), SIXER_ERR_ARGUMENT);
  }
}

/* Packed messages that are not what is read here. */
static void test_packed(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t size;
    const char *reply;
  } rows[] = {{"", 0, "it is empty"},
              {"\xC0", 1, "not a map"},
              {"\x81", 1, "a name is missing"},
              {"\x81\xA2"
               "do",
               4, "a value is missing"},
              {"\x81\xA2"
               "do\xA9st",
               7, "cut off"},
              {"\x81\xA2"
               "do\x81",
               5, "another kind"},
              {"\x81\xA2"
               "d\0\x01",
               5, "zero byte"},
              {"\x81\xA2"
               "do\xA4step\x01",
               10, "behind the map"},
              {"\x82\xA2"
               "do\xA4step\xA6"
               "action\xCB\x7F\xF0\0\0\0\0\0\0",
               25, "another kind"},
              {"\x81\xA2"
               "do\xA4step",
               9, "no environment yet"}};
  client *c = connect_client(true);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char length[4] = {(char)rows[i].size, 0, 0, 0};
    sixer_error error;
    assert_true(write_all(c, length, 4));
    if (rows[i].size) assert_true(write_all(c, rows[i].bytes, rows[i].size));
    assert_int_equal(message_receive(&c->stream, &c->reply, &error), MESSAGE_GOT);
    const char *text = message_find(&c->reply, "error")->text;
    if (!strstr(text, rows[i].reply)) fail_msg("%zu: %s", i, text);
  }
  leave(c, NULL);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equal),   cmocka_unit_test(test_save),
      cmocka_unit_test(test_vector),  cmocka_unit_test(test_refused),
      cmocka_unit_test(test_cut_off), cmocka_unit_test(test_too_large),
      cmocka_unit_test(test_packed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
