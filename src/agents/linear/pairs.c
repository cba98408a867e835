/* Weights and traces of pairs of bits: see pairs.h. */
#include "agents/linear/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "util/region.h"
#include "util/os_cpu.h"

enum {
  ACTIONS = PAIR_ACTIONS,
  WORDS_MAX = PAIR_BITS_MAX / 64,
  /* Steps that a record can stay active before all records are visited once: longer than an episode of 18,000
   * frames. */
  STAY = 3800,
  RECENT = 4096,   /* steps whose partial sums are kept; more than STAY + PAIR_WINDOW_MAX */
  PAST = 1 << 16,  /* steps whose final sums are kept */
  SWEEP = 1 << 14, /* steps after which all records are freed of sums that would be forgotten */
  GROUPS_BEGIN = 64,
  SUMS = 8 /* masks whose sums a stay remembers */
};

/* One pair of groups. While it is inactive, bit k of `set` says that the trace of the action of step since - k was set
 * then and has not been settled. While it is active, the same as of the step in which it became active. */
typedef struct record {
  float w[ACTIONS];
  uint32_t set_low, set_high; /* two halves, so that records need no padding */
  uint32_t since;
} record;
_Static_assert(sizeof(record) == 4 * (ACTIONS + 3), "numbers of 32 bits");

typedef struct group {
  int32_t size;     /* bits in it */
  uint32_t entered; /* the step since which it is active */
  bool active;
} group;

/* What is the same for all records that leave now and became active at step `entered`. */
typedef struct stay {
  int64_t seen[ACTIONS];  /* -1: the action was chosen since, 0: it was not */
  double before[ACTIONS]; /* gain when it was first chosen; 0 if it was not */
  double change[ACTIONS]; /* what its weights have gained since */
  double count;           /* features */
  uint64_t last;          /* the mask of the traces that were set since */
  uint32_t entered;
  bool filled; /* below, by steps before `entered` */
  uint64_t alive;
  float gained[64];
  uint8_t action[64];
  /* the sums of some masks of traces that are not alive, by action */
  struct {
    uint64_t mask;
    float add[ACTIONS];
  } sums[SUMS];
} stay;

typedef struct stay_place {
  uint32_t mark, number;
} stay_place;

typedef struct visit {
  record *r;
  double count; /* pairs of bits that the record stands for */
  stay *since;  /* of a record that leaves */
} visit;

typedef void visit_kernel(pair_store *s, const visit *visits, int count);

struct pair_store {
  int bits, words, window;
  double powers[PAIR_WINDOW_MAX + 1];
  uint64_t now_bits[WORDS_MAX];
  uint16_t group_of[PAIR_BITS_MAX];

  group *groups;
  /* A triangle: the records of group g with the groups h <= g stand at g (g + 1) / 2 + h. It grows in place, and its
   * large pages matter: a step visits tens of thousands of records all over it. */
  region records;
  int group_count, group_capacity;
  uint16_t *active; /* groups, in ascending order */
  int active_count;
  visit *visits; /* scratch: one for each group */
  visit_kernel *enter, *leave;

  /* scratch of a step's leaving; stay_of is by step modulo RECENT, valid if its mark is the present one */
  stay *stays; /* one for each group */
  stay_place stay_of[RECENT];
  uint32_t stay_count, stay_mark;
  double settled[ACTIONS];
  uint64_t pending;

  uint32_t now;   /* the step whose screen was seen last; steps are numbered over all episodes */
  uint32_t first; /* step at which no record was active before */
  uint32_t swept;
  uint32_t acted; /* the step of the last choice */
  bool looked;    /* a screen of this episode was seen */

  /* sums over the active records, by action */
  double total; /* active features */
  /* of weights of records that have not seen the action since they became active */
  double fresh[ACTIONS];
  double base[ACTIONS]; /* of the others, each without `gain` */
  double seen[ACTIONS]; /* how many features those are */
  /* by step, those in the window: features whose trace of that step is alive and that have not seen its action since */
  double left[RECENT];

  double gain[ACTIONS];        /* of a feature that is always active */
  double gain_before[ACTIONS]; /* as it was before the last choice of the action */
  uint32_t chosen[ACTIONS];    /* the step of the last choice; 0: never */

  /* by step, modulo their size */
  double tails[PAST];
  uint8_t actions[PAST];
  double (*parts)[PAIR_WINDOW_MAX];  /* RECENT: the tail after each step of its window */
  double (*gain_at)[ACTIONS];        /* RECENT: gain before the first choice at or after the step */
  uint32_t (*first_choice)[ACTIONS]; /* RECENT: and when that was */
};

/* ---- Life ------------------------------------------------------------------------------------------------------ */

static bool add_group(pair_store *s) {
  if (s->group_count == s->group_capacity) {
    int capacity = s->group_capacity ? 2 * s->group_capacity : GROUPS_BEGIN;
    size_t n = (size_t)capacity;
    group *groups = realloc(s->groups, n * sizeof *groups);
    if (groups) s->groups = groups;
    uint16_t *active = realloc(s->active, n * sizeof *active);
    if (active) s->active = active;
    visit *visits = realloc(s->visits, n * sizeof *visits);
    if (visits) s->visits = visits;
    stay *stays = realloc(s->stays, n * sizeof *stays);
    if (stays) s->stays = stays;
    if (!groups || !active || !visits || !stays) return false;
    s->group_capacity = capacity;
  }
  size_t count = (size_t)s->group_count + 1;
  if (!region_commit(&s->records, count * (count + 1) / 2 * sizeof(record))) return false;
  s->groups[s->group_count++] = (group){0};
  return true;
}

static void find_kernels(visit_kernel **enter, visit_kernel **leave);

pair_store *pair_store_create(int bits, double decay, int window) {
  pair_store *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->bits = bits;
  s->words = bits / 64;
  s->window = window;
  s->powers[0] = 1;
  for (int i = 1; i <= window; i++) s->powers[i] = s->powers[i - 1] * decay;
  s->now = 2 * PAIR_WINDOW_MAX; /* so that steps before the first have numbers */
  s->first = s->swept = s->acted = s->now;
  s->parts = calloc(RECENT, sizeof *s->parts);
  s->gain_at = calloc(RECENT, sizeof *s->gain_at);
  s->first_choice = calloc(RECENT, sizeof *s->first_choice);
  size_t most = (size_t)bits * ((size_t)bits + 1) / 2;
  bool reserved = region_reserve(&s->records, most * sizeof(record));
  if (reserved) region_fill_densely(&s->records);
  if (!reserved || !s->parts || !s->gain_at || !s->first_choice || !add_group(s)) {
    pair_store_destroy(s);
    return NULL;
  }
  s->groups[0].size = bits;
  find_kernels(&s->enter, &s->leave);
  return s;
}

void pair_store_destroy(pair_store *s) {
  if (!s) return;
  region_free(&s->records);
  free(s->groups);
  free(s->active);
  free(s->visits);
  free(s->stays);
  free(s->parts);
  free(s->gain_at);
  free(s->first_choice);
  free(s);
}

/* The records of group g with the groups up to itself. */
static record *row_of(const pair_store *s, int g) {
  return (record *)(void *)s->records.data + (size_t)g * ((size_t)g + 1) / 2;
}

static record *record_of(const pair_store *s, int g, int h) {
  return g >= h ? row_of(s, g) + h : row_of(s, h) + g;
}

static double count_of(const pair_store *s, int g, int h) {
  double a = s->groups[g].size, b = s->groups[h].size;
  return g == h ? a * (a + 1) / 2 : a * b;
}

int pair_store_groups(const pair_store *s) { return s->group_count; }

size_t pair_store_memory(const pair_store *s) {
  size_t n = (size_t)s->group_count;
  return sizeof *s + n * (n + 1) / 2 * sizeof(record) +
         RECENT * (sizeof *s->parts + sizeof *s->gain_at + sizeof *s->first_choice) +
         (size_t)s->group_capacity * (sizeof(group) + sizeof(visit) + sizeof(stay) + 2);
}

/* ---- Records that become active or inactive -------------------------------------------------------------------- */

static inline uint64_t set_of(const record *r) { return (uint64_t)r->set_high << 32 | r->set_low; }
static inline void put_set(record *r, uint64_t set) {
  r->set_low = (uint32_t)set;
  r->set_high = (uint32_t)(set >> 32);
}

/* A bit of `set` is alive as long as its trace can still be added to: at the steps s .. s + window - 1, of which the
 * last before the screen of step `now` has not been added when that screen is looked at. */
static inline bool alive(const pair_store *s, uint32_t step) {
  return s->now - step <= (uint32_t)s->window;
}

/* The first step whose traces can still be alive. */
static uint32_t window_begin(const pair_store *s) { return s->now - (uint32_t)s->window; }

/* Traces that were set while the record was active before: add those that are final. Returns the rest, as of now. */
static uint64_t settle_past(pair_store *s, record *r) {
  uint64_t rest = 0;
  for (uint64_t set = set_of(r); set; set &= set - 1) {
    uint32_t step = r->since - (uint32_t)__builtin_ctzll(set);
    if (alive(s, step))
      rest |= (uint64_t)1 << (s->now - step);
    else
      r->w[s->actions[step % PAST]] += (float)s->tails[step % PAST];
  }
  return rest;
}

/* Records that leave at the same step have a `stay` in common if they became active at the same step. Which of the
 * traces of steps before that are replaced, final or alive depends on the step alone; the table is filled for the first
 * record that has one. */
static void fill_traces(pair_store *s, stay *t) {
  for (uint32_t k = 0; k < 64; k++) {
    uint32_t step = t->entered - k;
    int a = s->actions[step % PAST];
    t->action[k] = (uint8_t)a;
    if (s->chosen[a] >= t->entered) {
      /* the choice of the action replaced it */
      uint32_t last = s->first_choice[t->entered % RECENT][a] - 1 - step;
      if (last >= (uint32_t)s->window) last = (uint32_t)s->window - 1;
      t->gained[k] = (float)s->parts[step % RECENT][last];
    } else if (alive(s, step)) {
      t->alive |= (uint64_t)1 << k;
    } else {
      t->gained[k] = (float)s->tails[step % PAST];
    }
  }
  t->filled = true;
}

/* Adding -0 leaves every number as it is; 0 would not: -0 + 0 is 0. */
#define NOTHING4 -0.0f, -0.0f, -0.0f, -0.0f
static const float nothing[ACTIONS] = {NOTHING4, NOTHING4, NOTHING4, NOTHING4, -0.0f, -0.0f};

/* What the traces of a mask add to the weights of a record. As a record has one trace for each action, that is one
 * number for each; NULL if there are more, which only a damaged file can contain. Records with the same mask are many,
 * so the sums of the last few are kept: with them a record is changed by wide additions alone. Scalar stores into it
 * would stall the wide loads that follow, because a store is forwarded only to loads of its own bytes. */
static const float *sums_of(stay *t, uint64_t mask) {
  int place = (int)((mask * 0x9E3779B97F4A7C15u) >> 61);
  if (t->sums[place].mask == mask) return t->sums[place].add;
  float *add = t->sums[place].add;
  uint32_t seen = 0;
  t->sums[place].mask = 0;
  memcpy(add, nothing, sizeof nothing);
  for (uint64_t left = mask; left; left &= left - 1) {
    int k = __builtin_ctzll(left);
    if (seen >> t->action[k] & 1) return NULL;
    seen |= (uint32_t)1 << t->action[k];
    add[t->action[k]] = t->gained[k];
  }
  t->sums[place].mask = mask;
  return add;
}

/* The traces that a record had when it became active: those whose action was chosen since were replaced then; of the
 * others, some are final. *add is what both add to the weights. What is neither stays in the mask, which is returned as
 * of now. */
static uint64_t settle_present(pair_store *s, record *r, stay *t, double n, const float **add) {
  if (!t->filled) fill_traces(s, t);
  const uint64_t set = set_of(r), rest = set & t->alive, ended = set & ~t->alive;
  if (ended) *add = sums_of(t, ended);
  if (!*add) {
    *add = nothing;
    for (uint64_t left = ended; left; left &= left - 1) {
      int k = __builtin_ctzll(left);
      r->w[t->action[k]] += t->gained[k];
    }
  }
  for (uint64_t left = rest; left; left &= left - 1)
    s->left[(t->entered - (uint32_t)__builtin_ctzll(left)) % RECENT] -= n;
  /* an alive trace is of one of the last 60 steps, so this loses nothing */
  return rest ? rest << (s->now - t->entered) : 0;
}

enum { AHEAD = 12 };

/* A macro: gcc 12 finds that a function with nothing but prefetches has no effect, and drops the calls. */
#define FETCH_AHEAD(visits, i, count)                                                         \
  do {                                                                                        \
    const char *ahead_ = (const char *)(visits)[(i) + AHEAD < (count) ? (i) + AHEAD : (i)].r; \
    __builtin_prefetch(ahead_, 1);                                                            \
    __builtin_prefetch(ahead_ + 64, 1);                                                       \
    __builtin_prefetch(ahead_ + sizeof(record) - 1, 1); /* some are in three lines */         \
  } while (0)

#define SET    plain
#define WIDTH  2
#define TARGET /* the compiler's default */
#include "agents/linear/pairs_body.h"

#if OS_X86_64
#define SET    avx2
#define WIDTH  4
#define TARGET __attribute__((target("avx2")))
#include "agents/linear/pairs_body.h"

#define SET    avx512
#define WIDTH  8
#define TARGET __attribute__((target("avx512f,avx512vl,avx512dq")))
#include "agents/linear/pairs_body.h"

static void find_kernels(visit_kernel **enter, visit_kernel **leave) {
  *enter = enter_plain, *leave = leave_plain;
  if (os_cpu_has(OS_CPU_AVX2)) *enter = enter_avx2, *leave = leave_avx2;
  if (os_cpu_has(OS_CPU_AVX512DQ) && os_cpu_has(OS_CPU_AVX512VL))
    *enter = enter_avx512, *leave = leave_avx512;
}
#else
static void find_kernels(visit_kernel **enter, visit_kernel **leave) {
  *enter = enter_plain, *leave = leave_plain;
}
#endif

/* ---- Stays ----------------------------------------------------------------------------------------------------- */

/* Begin a step's leaving. What a feature has gained is taken without the part of the last trace that its mask will
 * stand for. */
static void begin_leaving(pair_store *s) {
  s->stay_count = 0;
  s->stay_mark++;
  s->pending = 0;
  for (int a = 0; a < ACTIONS; a++) {
    bool pending = s->chosen[a] && alive(s, s->chosen[a]);
    s->settled[a] = pending ? s->gain_before[a] : s->gain[a];
    if (pending) s->pending |= (uint64_t)1 << (s->now - s->chosen[a]);
  }
}

static stay *stay_since(pair_store *s, uint32_t entered) {
  stay_place *place = &s->stay_of[entered % RECENT];
  if (place->mark == s->stay_mark) return &s->stays[place->number];
  *place = (stay_place){s->stay_mark, s->stay_count};
  stay *t = &s->stays[s->stay_count++];
  uint32_t age = s->now - entered;
  t->entered = entered;
  t->count = 0;
  t->alive = 0;
  t->filled = false;
  for (int i = 0; i < SUMS; i++) t->sums[i].mask = 0;
  t->last = s->pending & (age >= 63 ? ~(uint64_t)0 : ((uint64_t)2 << age) - 1);
  for (int a = 0; a < ACTIONS; a++) {
    double seen = s->chosen[a] >= entered;
    t->seen[a] = seen != 0 ? -1 : 0;
    t->before[a] = s->gain_at[entered % RECENT][a] * seen;
    t->change[a] = s->settled[a] * seen - t->before[a];
  }
  return t;
}

/* Counts of features are whole numbers, so that their sum is exact in any order. */
static void end_leaving(pair_store *s) {
  for (uint32_t i = 0; i < s->stay_count; i++) {
    for (int a = 0; a < ACTIONS; a++) {
      if (s->stays[i].seen[a]) s->seen[a] -= s->stays[i].count;
    }
  }
}

/* ---- Groups that change ---------------------------------------------------------------------------------------- */

/* The pairs of group g with itself and with the active groups, except those that `done` says were visited. */
static int list_visits(pair_store *s, int g, const uint8_t *done, bool leaving) {
  int count = 0;
  for (int i = 0; i < s->active_count; i++) {
    int h = s->active[i];
    if (done[h]) continue;
    uint32_t a = s->groups[g].entered, b = s->groups[h].entered;
    s->visits[count++] = (visit){record_of(s, g, h), count_of(s, g, h),
                                 leaving ? stay_since(s, a > b ? a : b) : NULL};
  }
  return count;
}

static void leave_all(pair_store *s) {
  uint8_t done[PAIR_BITS_MAX] = {0};
  begin_leaving(s);
  for (int i = 0; i < s->active_count; i++) {
    int g = s->active[i];
    s->leave(s, s->visits, list_visits(s, g, done, true));
    done[g] = 1;
  }
  end_leaving(s);
}

static void clear_sums(pair_store *s) {
  s->total = 0;
  memset(s->fresh, 0, sizeof s->fresh);
  memset(s->base, 0, sizeof s->base);
  memset(s->seen, 0, sizeof s->seen);
  memset(s->left, 0, sizeof s->left);
}

/* No record is active. Add what is final to all of them, before it is forgotten. */
static void sweep(pair_store *s) {
  for (int g = 0; g < s->group_count; g++) {
    for (int h = 0; h <= g; h++) {
      record *r = row_of(s, g) + h;
      if (set_of(r)) put_set(r, settle_past(s, r));
      r->since = s->now;
    }
  }
  s->swept = s->now;
}

/* Move the bits of group g that changed, `moved` of them, to a new group, which has been active whenever g was. */
static bool split(pair_store *s, int g, const uint64_t *changed, int moved) {
  if (!add_group(s)) return false;
  int fresh = s->group_count - 1;
  for (int h = 0; h < fresh; h++) row_of(s, fresh)[h] = *record_of(s, g, h);
  row_of(s, fresh)[fresh] = row_of(s, g)[g];
  s->groups[fresh] = s->groups[g];
  s->groups[fresh].size = moved;
  s->groups[g].size -= moved;
  for (int i = 0; i < s->bits; i++) {
    if (s->group_of[i] == g && changed[i / 64] >> (i % 64) & 1) s->group_of[i] = (uint16_t)fresh;
  }
  if (s->groups[fresh].active) s->active[s->active_count++] = (uint16_t)fresh;
  return true;
}

/* Which groups change: those with all bits in `changed`, after those with only some are split. */
static bool find_changes(pair_store *s, const uint64_t *changed, uint8_t *changes) {
  uint16_t counts[PAIR_BITS_MAX] = {0};
  int known = s->group_count;
  for (int i = 0; i < s->words; i++) {
    for (uint64_t word = changed[i]; word; word &= word - 1)
      counts[s->group_of[64 * i + __builtin_ctzll(word)]]++;
  }
  for (int g = 0; g < known; g++) {
    if (!counts[g]) continue;
    bool whole = counts[g] == s->groups[g].size;
    if (!whole && !split(s, g, changed, counts[g])) return false;
    changes[whole ? g : s->group_count - 1] = 1;
  }
  return true;
}

static void list_active(pair_store *s) {
  s->active_count = 0;
  for (int g = 0; g < s->group_count; g++) {
    if (s->groups[g].active) s->active[s->active_count++] = (uint16_t)g;
  }
}

static void leave_groups(pair_store *s, const uint8_t *changes) {
  uint8_t done[PAIR_BITS_MAX] = {0};
  begin_leaving(s);
  for (int i = 0; i < s->active_count; i++) {
    int g = s->active[i];
    if (!changes[g]) continue;
    s->leave(s, s->visits, list_visits(s, g, done, true));
    done[g] = 1;
    s->groups[g].active = false;
  }
  end_leaving(s);
}

static void enter_groups(pair_store *s, const uint8_t *changes) {
  uint8_t done[PAIR_BITS_MAX] = {0};
  for (int g = 0; g < s->group_count; g++) {
    if (changes[g] != 2) continue;
    s->groups[g].active = true;
    s->groups[g].entered = s->now;
  }
  list_active(s);
  for (int i = 0; i < s->active_count; i++) {
    int g = s->active[i];
    if (changes[g] != 2) continue;
    s->enter(s, s->visits, list_visits(s, g, done, false));
    done[g] = 1;
  }
}

/* All active records leave and come back, so that the sums of earlier steps can be forgotten. */
static void renew(pair_store *s) {
  uint8_t all[PAIR_BITS_MAX];
  leave_all(s);
  clear_sums(s);
  if (s->now - s->swept >= SWEEP) sweep(s);
  s->first = s->now;
  for (int g = 0; g < s->group_count; g++) all[g] = s->groups[g].active ? 2 : 0;
  enter_groups(s, all);
}

static void next_step(pair_store *s) {
  uint32_t recent = ++s->now % RECENT;
  s->tails[s->now % PAST] = 0;
  s->actions[s->now % PAST] = 0;
  s->left[recent] = 0;
  memset(s->parts[recent], 0, sizeof s->parts[recent]);
  memset(s->gain_at[recent], 0, sizeof s->gain_at[recent]);
  memset(s->first_choice[recent], 0, sizeof s->first_choice[recent]);
}

int64_t pair_store_look(pair_store *s, const uint64_t *bits) {
  uint64_t changed[WORDS_MAX];
  uint8_t changes[PAIR_BITS_MAX] = {0};
  if (s->looked) next_step(s);
  s->looked = true;
  /* in case there is no update before the next choice */
  for (uint32_t step = window_begin(s); step < s->now; step++)
    s->parts[step % RECENT][s->now - 1 - step] = s->tails[step % PAST];
  if (s->now - s->first >= STAY) renew(s);
  for (int i = 0; i < s->words; i++) changed[i] = bits[i] ^ s->now_bits[i];
  if (!find_changes(s, changed, changes)) return -1;
  memcpy(s->now_bits, bits, (size_t)s->words * sizeof *bits);
  /* 1: leaves, 2: comes */
  for (int g = 0; g < s->group_count; g++) changes[g] *= s->groups[g].active ? 1 : 2;
  list_active(s);
  leave_groups(s, changes);
  enter_groups(s, changes);
  return (int64_t)s->total;
}

void pair_store_begin(pair_store *s) {
  if (s->looked) {
    for (int i = 0; i <= s->window; i++) next_step(s); /* all traces are of the past */
    leave_all(s);
  }
  for (int g = 0; g < s->group_count; g++) s->groups[g].active = false;
  s->active_count = 0;
  clear_sums(s);
  memset(s->now_bits, 0, sizeof s->now_bits);
  memset(s->chosen, 0, sizeof s->chosen);
  memset(s->gain, 0, sizeof s->gain);
  memset(s->gain_before, 0, sizeof s->gain_before);
  if (s->now - s->swept >= SWEEP) sweep(s);
  s->first = s->now;
  s->looked = false;
}

bool pair_store_traced(const pair_store *s) {
  bool traced = false;
  for (int a = 0; a < ACTIONS; a++) traced |= s->chosen[a] != 0;
  return traced;
}

/* ---- Values and learning --------------------------------------------------------------------------------------- */

void pair_store_values(const pair_store *s, double values[ACTIONS]) {
  for (int a = 0; a < ACTIONS; a++) values[a] = s->base[a] + s->seen[a] * s->gain[a] + s->fresh[a];
  for (uint32_t step = window_begin(s); step < s->now; step++) {
    double left = s->left[step % RECENT];
    if (left != 0) values[s->actions[step % PAST]] += left * s->tails[step % PAST];
  }
}

void pair_store_update(pair_store *s, double alpha_delta) {
  uint32_t window = (uint32_t)s->window, last = s->acted;
  for (uint32_t step = last + 1 - window; step <= last; step++) {
    s->tails[step % PAST] += alpha_delta * s->powers[last - step];
    s->parts[step % RECENT][last - step] = s->tails[step % PAST];
  }
  for (int a = 0; a < ACTIONS; a++) {
    if (s->chosen[a] && last - s->chosen[a] < window)
      s->gain[a] += alpha_delta * s->powers[last - s->chosen[a]];
  }
  /* the oldest trace is final now */
  uint32_t step = last + 1 - window;
  s->fresh[s->actions[step % PAST]] += s->left[step % RECENT] * s->tails[step % PAST];
  s->left[step % RECENT] = 0;
}

void pair_store_choose(pair_store *s, int a) {
  double value = s->fresh[a];
  for (uint32_t step = window_begin(s); step < s->now; step++) {
    if (s->actions[step % PAST] != a || s->left[step % RECENT] == 0) continue;
    value += s->left[step % RECENT] * s->tails[step % PAST];
    s->left[step % RECENT] = 0;
  }
  s->base[a] += value - (s->total - s->seen[a]) * s->gain[a];
  s->seen[a] = s->total;
  s->fresh[a] = 0;
  uint32_t from = s->chosen[a] >= s->first ? s->chosen[a] + 1 : s->first;
  for (uint32_t step = from; step <= s->now; step++) {
    s->gain_at[step % RECENT][a] = s->gain[a];
    s->first_choice[step % RECENT][a] = s->now;
  }
  s->gain_before[a] = s->gain[a];
  s->chosen[a] = s->acted = s->now;
  s->actions[s->now % PAST] = (uint8_t)a;
  s->tails[s->now % PAST] = 0;
}

float pair_store_weight(const pair_store *s, int bit, int other, int action) {
  const record *r = record_of(s, s->group_of[bit], s->group_of[other]);
  float w = r->w[action];
  for (uint64_t set = set_of(r); set; set &= set - 1) {
    uint32_t step = r->since - (uint32_t)__builtin_ctzll(set);
    if (s->actions[step % PAST] == action) w += (float)s->tails[step % PAST];
  }
  return w;
}

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

/* The steps whose final sums, and whose partial sums, can still be asked for: from here to now. */
static uint32_t past_begin(const pair_store *s) { return s->swept - (uint32_t)s->window; }
static uint32_t recent_begin(const pair_store *s) { return s->first - (uint32_t)s->window; }

void pair_store_put(const pair_store *s, sections_writer *w) {
  sections_begin(w, "agent.pairs");
  sections_put_u64(w, (uint64_t)s->bits);
  sections_put_u64(w, (uint64_t)s->window);
  sections_put_u64(w, (uint64_t)s->group_count);
  sections_put_u64(w, s->now);
  sections_put_u64(w, s->first);
  sections_put_u64(w, s->swept);
  sections_put_u64(w, s->acted);
  sections_put_u64(w, s->looked);
  sections_put_array(w, s->now_bits, (size_t)s->words);
  sections_put_array(w, s->group_of, (size_t)s->bits);
  for (int g = 0; g < s->group_count; g++) {
    sections_put_u64(w, s->groups[g].active ? s->groups[g].entered : 0);
    sections_put_numbers(w, row_of(s, g), ((size_t)g + 1) * (ACTIONS + 3), 4);
  }
  sections_put_f64(w, s->total);
  sections_put_array(w, s->fresh, ACTIONS);
  sections_put_array(w, s->base, ACTIONS);
  sections_put_array(w, s->seen, ACTIONS);
  sections_put_array(w, s->gain, ACTIONS);
  sections_put_array(w, s->gain_before, ACTIONS);
  sections_put_array(w, s->chosen, ACTIONS);
  for (uint32_t step = past_begin(s); step <= s->now; step++) {
    sections_put_array(w, &s->tails[step % PAST], 1);
    sections_put(w, &s->actions[step % PAST], 1);
  }
  for (uint32_t step = recent_begin(s); step <= s->now; step++) {
    sections_put_array(w, &s->left[step % RECENT], 1);
    sections_put_array(w, s->parts[step % RECENT], (size_t)s->window);
    sections_put_array(w, s->gain_at[step % RECENT], ACTIONS);
    sections_put_array(w, s->first_choice[step % RECENT], ACTIONS);
  }
}

static bool fits(const pair_store *s, const record *r) {
  uint64_t set = set_of(r);
  uint64_t possible = ((uint64_t)2 << s->window) - 2;
  return !(set & ~possible) && (!set || (r->since >= s->swept && r->since <= s->now));
}

/* The groups and their records; the header has been checked. */
static void get_groups(pair_store *s, int count, sections_reader *r) {
  bool good = true;
  sections_get_array(r, s->now_bits, (size_t)s->words);
  sections_get_array(r, s->group_of, (size_t)s->bits);
  while (s->group_count < count && good) good = add_group(s);
  if (!good) {
    sections_fail(r, "there is not enough memory for its weights");
    return;
  }
  for (int g = 0; g < count; g++) {
    uint64_t entered = sections_get_u64(r);
    good &= entered == 0 || (entered >= s->first && entered <= s->now);
    s->groups[g] = (group){0, (uint32_t)entered, entered != 0};
    sections_get_numbers(r, row_of(s, g), ((size_t)g + 1) * (ACTIONS + 3), 4);
    for (int h = 0; h <= g; h++) good &= fits(s, row_of(s, g) + h);
  }
  for (int i = 0; i < s->bits && good; i++) {
    good &= s->group_of[i] < count;
    if (!good) break;
    group *g = &s->groups[s->group_of[i]];
    g->size++;
    good &= g->active == (s->now_bits[i / 64] >> (i % 64) & 1);
  }
  for (int g = 0; g < count; g++) good &= s->groups[g].size > 0;
  if (!good) sections_fail(r, "its groups of bits contradict each other");
  list_active(s);
}

static void get_sums(pair_store *s, sections_reader *r) {
  bool good = true;
  s->total = sections_get_f64(r);
  sections_get_array(r, s->fresh, ACTIONS);
  sections_get_array(r, s->base, ACTIONS);
  sections_get_array(r, s->seen, ACTIONS);
  sections_get_array(r, s->gain, ACTIONS);
  sections_get_array(r, s->gain_before, ACTIONS);
  sections_get_array(r, s->chosen, ACTIONS);
  for (int a = 0; a < ACTIONS; a++) good &= s->chosen[a] <= s->now;
  for (uint32_t step = past_begin(s); step <= s->now; step++) {
    sections_get_array(r, &s->tails[step % PAST], 1);
    sections_get(r, &s->actions[step % PAST], 1);
    good &= s->actions[step % PAST] < ACTIONS;
  }
  for (uint32_t step = recent_begin(s); step <= s->now; step++) {
    sections_get_array(r, &s->left[step % RECENT], 1);
    sections_get_array(r, s->parts[step % RECENT], (size_t)s->window);
    sections_get_array(r, s->gain_at[step % RECENT], ACTIONS);
    sections_get_array(r, s->first_choice[step % RECENT], ACTIONS);
  }
  if (!good) sections_fail(r, "its traces are of steps or actions that do not exist");
}

bool pair_store_get(pair_store *s, sections_reader *r) {
  if (!sections_find(r, "agent.pairs")) sections_fail(r, "it has no weights of pairs");
  uint64_t head[8];
  for (int i = 0; i < 8; i++) head[i] = sections_get_u64(r);
  uint64_t count = head[2], now = head[3], first = head[4], swept = head[5];
  if (head[0] != (uint64_t)s->bits || head[1] != (uint64_t)s->window)
    sections_fail(r, "its weights are of pairs of other bits or for other traces");
  if (count < 1 || count > (uint64_t)s->bits || now > UINT32_MAX || head[6] > now || head[7] > 1 ||
      swept < 2 * PAIR_WINDOW_MAX || swept > first || first > now || now - first > STAY ||
      now - swept > SWEEP + 2 * STAY || count * (count + 1) / 2 * sizeof(record) > sections_left(r))
    sections_fail(r, "its numbers of groups and steps cannot be");
  if (sections_failed(r)) return false;
  s->now = (uint32_t)now;
  s->first = (uint32_t)first;
  s->swept = (uint32_t)swept;
  s->acted = (uint32_t)head[6];
  s->looked = head[7];
  get_groups(s, (int)count, r);
  if (!sections_failed(r)) get_sums(s, r);
  if (!sections_failed(r) && sections_left(r)) sections_fail(r, "its weights have too many bytes");
  return !sections_failed(r);
}
