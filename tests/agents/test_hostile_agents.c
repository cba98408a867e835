/* Saved agents with one field changed and the checksums right: numbers that the program itself never writes are
 * refused, with a message. Counters near the end of their range would overflow at the next step, and an index below
 * zero would be read in front of its array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/planning/tree.h"
#include "fuzz/fuzz_mend_sections.h"
#include "sixer/agents.h"

#define DEEP    "trunk=quick,hidden=16,size=24,memory=100,start=8,batch=4"
#define PLANNER "frames=20,memory=1"

/* Where the first node of a planner's tree is, after `before` bytes of its own. */
#define NODE(before, member)                                                                     \
  (before + 1 + 4 + 4 + sizeof(size_t) + sizeof(((tree *)0)->actions) + 4 + 4 + sizeof(size_t) + \
   offsetof(node, member))

typedef struct hostile_field {
  const char *agent, *options, *section;
  size_t offset, per_action; /* bytes from the beginning of the section, and more for each action */
  int64_t value;
  size_t size; /* of the field */
} hostile_field;

static const hostile_field fields[] = {
    {"sarsa", "features=ram", "agent.state", 16, 16, INT64_MAX, 8}, /* steps */
    {"sarsa", "features=blob-prost", "agent.blobs", 8, 0, -1, 2},   /* a color */
    {"brute", "", "agent.state", 16, 0, INT64_MAX, 8},              /* learned */
    {"brute", "", "agent.state", 24, 0, INT64_MAX, 8},              /* steps */
    {"brute", "", "agent.state", 32, 0, INT64_MAX, 8},              /* score */
    {"brute", "", "agent.state", 32, 0, INT64_MIN, 8},
    {"dqn", DEEP, "agent.state", 48, 8, INT64_MAX, 8},           /* played */
    {"dqn", DEEP, "agent.state", 136, 8, 0x4000000000000000, 8}, /* a power of beta: 2 */
    {"dqn", DEEP, "agent.moment2", 0, 0, 0xBF800000, 4},         /* -1, of a square */
    {"dqn", DEEP, "agent.replay", 64, 0, INT64_MIN, 8},          /* the oldest step */
    {"uct", PLANNER, "agent.state", 8 + 1, 0, INT32_MAX, 4},     /* decisions */
    {"uct", PLANNER, "agent.state", NODE(8, depth), 0, INT32_MAX, 4},
    {"uct", PLANNER, "agent.state", NODE(8, visits), 0, INT32_MAX, 4},
    {"full-tree", "frames=200,memory=1", "agent.state", NODE(0, depth), 0, INT32_MAX, 4},
};
enum { FIELDS = sizeof fields / sizeof *fields, STEPS = 40 };

/* The bytes of a section. */
static uint8_t *find_section(uint8_t *bytes, size_t size, const char *name, size_t *length) {
  for (size_t at = sizeof(sections_start); at + sizeof(section_header) <= size;) {
    section_header h;
    memcpy(&h, bytes + at, sizeof h);
    at += sizeof h;
    *length = (size_t)h.size;
    if (!strcmp(h.name, name)) return bytes + at;
    at += (size_t)h.size;
  }
  fail_msg("there is no section %s", name);
  return NULL;
}

static void load_changed(const hostile_field *f) {
  sixer_error error = {SIXER_OK, ""};
  sixer_rom *rom;
  sixer_env *env;
  sixer_agent *agent;
  void *saved;
  size_t size, length;
  assert_int_equal(sixer_rom_open("sporefall", NULL, &rom, NULL), SIXER_OK);
  assert_int_equal(sixer_agent_create(f->agent, f->options, 1, &agent, &error), SIXER_OK);
  sixer_config config = sixer_config_default();
  config.frame_skip = 5;
  sixer_agent_prepare(agent, &config);
  assert_int_equal(sixer_env_create(rom, &config, &env, &error), SIXER_OK);
  const sixer_list actions = sixer_rom_minimal_actions(rom);
  for (int i = 0; i < STEPS; i++) {
    int action;
    sixer_result result;
    assert_int_equal(sixer_agent_act(agent, env, actions, &action, &error), SIXER_OK);
    sixer_env_step(env, action, &result);
    if (sixer_agent_learns(agent)) sixer_agent_learn(agent, env, &result, &error);
  }
  assert_int_equal(sixer_agent_save(agent, &saved, &size, &error), SIXER_OK);
  assert_int_equal(sixer_agent_load(agent, env, saved, size, &error), SIXER_OK);
  uint8_t *section = find_section(saved, size, f->section, &length);
  const size_t at = f->offset + f->per_action * (size_t)actions.count;
  assert_true(at + f->size <= length);
  memcpy(section + at, &f->value, f->size);
  mend_sections(saved, size);
  error.message[0] = 0;
  if (!sixer_agent_load(agent, env, saved, size, &error))
    fail_msg("%s %s: %lld in %s at %zu is accepted", f->agent, f->options, (long long)f->value,
             f->section, at);
  assert_true(error.message[0]);
  free(saved);
  sixer_agent_destroy(agent);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
}

static void test_fields(void **state) { load_changed(*state); }

int main(void) {
  struct CMUnitTest tests[FIELDS];
  char names[FIELDS][100];
  for (int i = 0; i < FIELDS; i++) {
    snprintf(names[i], sizeof names[i], "%s %s at %zu", fields[i].agent, fields[i].section,
             fields[i].offset);
    tests[i] =
        (struct CMUnitTest){names[i], test_fields, NULL, NULL, (void *)(uintptr_t)&fields[i]};
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
