/* Weights and traces of pairs of bits: see pairs.h. */
#include "agents/linear/pairs.h"

#include <stdlib.h>
#include <string.h>

enum {
  ACTIONS = PAIR_ACTIONS,
  WORDS_MAX = PAIR_BITS_MAX / 64,
  /* Steps that a record can stay active before all records are visited once: longer than an episode of 18,000
   * frames. */
  STAY = 3800,
  RECENT = 4096,   /* steps whose partial sums are kept; more than STAY + PAIR_WINDOW_MAX */
  PAST = 1 << 16,  /* steps whose final sums are kept */
  SWEEP = 1 << 14, /* steps after which all records are freed of sums that would be forgotten */
  GROUPS_BEGIN = 64
};

/* One pair of groups. While it is inactive, bit k of `set` says that the trace of the action of step since - k was set
 * then and has not been settled. While it is active, the same as of the step in which it became active. */
typedef struct record {
  float w[ACTIONS];
  uint32_t set_low, set_high; /* two halves, so that records need no padding */
  uint32_t since;
} record;

typedef struct group {
  int32_t size;     /* bits in it */
  uint32_t entered; /* the step since which it is active */
  bool active;
} group;

typedef struct visit {
  record *r;
  double count; /* pairs of bits that the record stands for */
  uint32_t entered;
} visit;

struct pair_store {
  int bits, words, window;
  double powers[PAIR_WINDOW_MAX + 1];
  uint64_t now_bits[WORDS_MAX];
  uint16_t group_of[PAIR_BITS_MAX];

  group *groups;
  record **rows; /* rows[g][h], h <= g */
  int group_count, group_capacity;
  uint16_t *active; /* groups, in ascending order */
  int active_count;
  visit *visits; /* scratch: one for each group */

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
    record **rows = realloc(s->rows, n * sizeof *rows);
    if (rows) s->rows = rows;
    uint16_t *active = realloc(s->active, n * sizeof *active);
    if (active) s->active = active;
    visit *visits = realloc(s->visits, n * sizeof *visits);
    if (visits) s->visits = visits;
    if (!groups || !rows || !active || !visits) return false;
    s->group_capacity = capacity;
  }
  record *row = calloc((size_t)s->group_count + 1, sizeof *row);
  if (!row) return false;
  s->groups[s->group_count] = (group){0};
  s->rows[s->group_count++] = row;
  return true;
}

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
  if (!s->parts || !s->gain_at || !s->first_choice || !add_group(s)) {
    pair_store_destroy(s);
    return NULL;
  }
  s->groups[0].size = bits;
  return s;
}

void pair_store_destroy(pair_store *s) {
  if (!s) return;
  for (int g = 0; g < s->group_count; g++) free(s->rows[g]);
  free(s->rows);
  free(s->groups);
  free(s->active);
  free(s->visits);
  free(s->parts);
  free(s->gain_at);
  free(s->first_choice);
  free(s);
}

static record *record_of(const pair_store *s, int g, int h) {
  return g >= h ? &s->rows[g][h] : &s->rows[h][g];
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
         (size_t)s->group_capacity * (sizeof(group) + sizeof(record *) + sizeof(visit) + 2);
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

/* Vectors of the compiler: element by element, so that every instruction set gives the same. */
typedef double lanes __attribute__((vector_size(64)));
typedef float narrow __attribute__((vector_size(32)));
typedef double lanes2 __attribute__((vector_size(16)));
typedef float narrow2 __attribute__((vector_size(8)));
typedef struct all_lanes {
  lanes a, b;
  lanes2 c;
} all_lanes;

#define BODY static inline __attribute__((always_inline))

BODY all_lanes load_weights(const float *w) {
  narrow a, b;
  narrow2 c;
  memcpy(&a, w, sizeof a);
  memcpy(&b, w + 8, sizeof b);
  memcpy(&c, w + 16, sizeof c);
  return (all_lanes){__builtin_convertvector(a, lanes), __builtin_convertvector(b, lanes),
                     __builtin_convertvector(c, lanes2)};
}

BODY void store_weights(float *w, all_lanes x) {
  narrow a = __builtin_convertvector(x.a, narrow), b = __builtin_convertvector(x.b, narrow);
  narrow2 c = __builtin_convertvector(x.c, narrow2);
  memcpy(w, &a, sizeof a);
  memcpy(w + 8, &b, sizeof b);
  memcpy(w + 16, &c, sizeof c);
}

BODY all_lanes load_lanes(const double *from) {
  all_lanes x;
  memcpy(&x.a, from, sizeof x.a);
  memcpy(&x.b, from + 8, sizeof x.b);
  memcpy(&x.c, from + 16, sizeof x.c);
  return x;
}

BODY void store_lanes(double *to, all_lanes x) {
  memcpy(to, &x.a, sizeof x.a);
  memcpy(to + 8, &x.b, sizeof x.b);
  memcpy(to + 16, &x.c, sizeof x.c);
}

BODY all_lanes plus(all_lanes x, all_lanes y) {
  return (all_lanes){x.a + y.a, x.b + y.b, x.c + y.c};
}
BODY all_lanes minus(all_lanes x, all_lanes y) {
  return (all_lanes){x.a - y.a, x.b - y.b, x.c - y.c};
}
BODY all_lanes times(all_lanes x, double f) { return (all_lanes){x.a * f, x.b * f, x.c * f}; }
BODY all_lanes times_lanes(all_lanes x, all_lanes y) {
  return (all_lanes){x.a * y.a, x.b * y.b, x.c * y.c};
}

enum { AHEAD = 12 };

BODY void fetch_ahead(const visit *visits, int i, int count) {
  if (i + AHEAD >= count) return;
  __builtin_prefetch(visits[i + AHEAD].r, 1);
  __builtin_prefetch((const char *)visits[i + AHEAD].r + 64, 1);
}

BODY void enter_body(pair_store *s, const visit *visits, int count) {
  all_lanes fresh = load_lanes(s->fresh);
  for (int i = 0; i < count; i++) {
    record *r = visits[i].r;
    double n = visits[i].count;
    fetch_ahead(visits, i, count);
    if (set_of(r)) {
      uint64_t set = settle_past(s, r);
      put_set(r, set);
      for (; set; set &= set - 1) s->left[(s->now - (uint32_t)__builtin_ctzll(set)) % RECENT] += n;
    }
    r->since = s->now;
    s->total += n;
    fresh = plus(fresh, times(load_weights(r->w), n));
  }
  store_lanes(s->fresh, fresh);
}

/* The traces that a record had when it became active, at step `entered`: those whose action was chosen since were
 * replaced then; of the others, some are final. What is neither stays in the mask. */
static uint64_t settle_present(pair_store *s, record *r, uint32_t entered, double n) {
  uint64_t rest = 0;
  for (uint64_t set = set_of(r); set; set &= set - 1) {
    uint32_t step = entered - (uint32_t)__builtin_ctzll(set);
    int a = s->actions[step % PAST];
    if (s->chosen[a] >= entered) {
      uint32_t last = s->first_choice[entered % RECENT][a] - 1 - step;
      if (last >= (uint32_t)s->window) last = (uint32_t)s->window - 1;
      r->w[a] += (float)s->parts[step % RECENT][last];
    } else if (alive(s, step)) {
      rest |= (uint64_t)1 << (s->now - step);
      s->left[step % RECENT] -= n;
    } else {
      r->w[a] += (float)s->tails[step % PAST];
    }
  }
  return rest;
}

BODY void leave_body(pair_store *s, const visit *visits, int count) {
  /* what a feature has gained without the part of the last trace that its mask will stand for */
  double settled[ACTIONS];
  uint64_t last = 0;
  for (int a = 0; a < ACTIONS; a++) {
    bool pending = s->chosen[a] && alive(s, s->chosen[a]);
    settled[a] = pending ? s->gain_before[a] : s->gain[a];
    if (pending) last |= (uint64_t)1 << (s->now - s->chosen[a]);
  }
  all_lanes gained = load_lanes(settled);
  all_lanes fresh = load_lanes(s->fresh), base = load_lanes(s->base), seen = load_lanes(s->seen);
  uint32_t known = 0; /* the step for which `yes` holds; steps are never 0 */
  all_lanes yes = {0}, no = {0}, before = {0};
  for (int i = 0; i < count; i++) {
    record *r = visits[i].r;
    double n = visits[i].count;
    uint32_t entered = visits[i].entered;
    fetch_ahead(visits, i, count);
    if (entered != known) {
      double is[ACTIONS], is_not[ACTIONS];
      for (int a = 0; a < ACTIONS; a++) {
        is[a] = s->chosen[a] >= entered;
        is_not[a] = 1 - is[a];
      }
      yes = load_lanes(is), no = load_lanes(is_not);
      before = times_lanes(load_lanes(s->gain_at[entered % RECENT]), yes);
      known = entered;
    }
    uint64_t rest = set_of(r) ? settle_present(s, r, entered, n) : 0;
    uint32_t age = s->now - entered;
    put_set(r, rest | (last & (age >= 63 ? ~(uint64_t)0 : ((uint64_t)2 << age) - 1)));
    r->since = s->now;
    s->total -= n;
    all_lanes w = load_weights(r->w);
    fresh = minus(fresh, times(times_lanes(w, no), n));
    base = minus(base, times(minus(times_lanes(w, yes), before), n));
    seen = minus(seen, times(yes, n));
    store_weights(r->w, plus(w, minus(times_lanes(gained, yes), before)));
  }
  store_lanes(s->fresh, fresh);
  store_lanes(s->base, base);
  store_lanes(s->seen, seen);
}

#if defined(__x86_64__)
#define WIDE(set, name)                                                                         \
  static __attribute__((target(set))) void enter_##name(pair_store *s, const visit *v, int n) { \
    enter_body(s, v, n);                                                                        \
  }                                                                                             \
  static __attribute__((target(set))) void leave_##name(pair_store *s, const visit *v, int n) { \
    leave_body(s, v, n);                                                                        \
  }
WIDE("avx512f,avx512vl,avx512dq", avx512)
WIDE("avx2", avx2)
#endif

static void enter_records(pair_store *s, const visit *visits, int count) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    enter_avx512(s, visits, count);
    return;
  }
  if (__builtin_cpu_supports("avx2")) {
    enter_avx2(s, visits, count);
    return;
  }
#endif
  enter_body(s, visits, count);
}

static void leave_records(pair_store *s, const visit *visits, int count) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    leave_avx512(s, visits, count);
    return;
  }
  if (__builtin_cpu_supports("avx2")) {
    leave_avx2(s, visits, count);
    return;
  }
#endif
  leave_body(s, visits, count);
}

/* ---- Groups that change ---------------------------------------------------------------------------------------- */

/* The pairs of group g with itself and with the active groups, except those that `done` says were visited. */
static int list_visits(pair_store *s, int g, const uint8_t *done) {
  int count = 0;
  for (int i = 0; i < s->active_count; i++) {
    int h = s->active[i];
    if (done[h]) continue;
    uint32_t a = s->groups[g].entered, b = s->groups[h].entered;
    s->visits[count++] = (visit){record_of(s, g, h), count_of(s, g, h), a > b ? a : b};
  }
  return count;
}

static void leave_all(pair_store *s) {
  uint8_t done[PAIR_BITS_MAX] = {0};
  for (int i = 0; i < s->active_count; i++) {
    int g = s->active[i];
    leave_records(s, s->visits, list_visits(s, g, done));
    done[g] = 1;
  }
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
      record *r = &s->rows[g][h];
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
  for (int h = 0; h < fresh; h++) s->rows[fresh][h] = *record_of(s, g, h);
  s->rows[fresh][fresh] = s->rows[g][g];
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
  for (int i = 0; i < s->active_count; i++) {
    int g = s->active[i];
    if (!changes[g]) continue;
    leave_records(s, s->visits, list_visits(s, g, done));
    done[g] = 1;
    s->groups[g].active = false;
  }
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
    enter_records(s, s->visits, list_visits(s, g, done));
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
  sections_put(w, s->now_bits, (size_t)s->words * sizeof *s->now_bits);
  sections_put(w, s->group_of, (size_t)s->bits * sizeof *s->group_of);
  for (int g = 0; g < s->group_count; g++) {
    sections_put_u64(w, s->groups[g].active ? s->groups[g].entered : 0);
    sections_put(w, s->rows[g], ((size_t)g + 1) * sizeof(record));
  }
  sections_put_f64(w, s->total);
  sections_put(w, s->fresh, sizeof s->fresh);
  sections_put(w, s->base, sizeof s->base);
  sections_put(w, s->seen, sizeof s->seen);
  sections_put(w, s->gain, sizeof s->gain);
  sections_put(w, s->gain_before, sizeof s->gain_before);
  sections_put(w, s->chosen, sizeof s->chosen);
  for (uint32_t step = past_begin(s); step <= s->now; step++) {
    sections_put(w, &s->tails[step % PAST], sizeof *s->tails);
    sections_put(w, &s->actions[step % PAST], 1);
  }
  for (uint32_t step = recent_begin(s); step <= s->now; step++) {
    sections_put(w, &s->left[step % RECENT], sizeof *s->left);
    sections_put(w, s->parts[step % RECENT], (size_t)s->window * sizeof **s->parts);
    sections_put(w, s->gain_at[step % RECENT], sizeof *s->gain_at);
    sections_put(w, s->first_choice[step % RECENT], sizeof *s->first_choice);
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
  sections_get(r, s->now_bits, (size_t)s->words * sizeof *s->now_bits);
  sections_get(r, s->group_of, (size_t)s->bits * sizeof *s->group_of);
  while (s->group_count < count && good) good = add_group(s);
  if (!good) {
    sections_fail(r, "there is not enough memory for its weights");
    return;
  }
  for (int g = 0; g < count; g++) {
    uint64_t entered = sections_get_u64(r);
    good &= entered == 0 || (entered >= s->first && entered <= s->now);
    s->groups[g] = (group){0, (uint32_t)entered, entered != 0};
    sections_get(r, s->rows[g], ((size_t)g + 1) * sizeof(record));
    for (int h = 0; h <= g; h++) good &= fits(s, &s->rows[g][h]);
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
  sections_get(r, s->fresh, sizeof s->fresh);
  sections_get(r, s->base, sizeof s->base);
  sections_get(r, s->seen, sizeof s->seen);
  sections_get(r, s->gain, sizeof s->gain);
  sections_get(r, s->gain_before, sizeof s->gain_before);
  sections_get(r, s->chosen, sizeof s->chosen);
  for (int a = 0; a < ACTIONS; a++) good &= s->chosen[a] <= s->now;
  for (uint32_t step = past_begin(s); step <= s->now; step++) {
    sections_get(r, &s->tails[step % PAST], sizeof *s->tails);
    sections_get(r, &s->actions[step % PAST], 1);
    good &= s->actions[step % PAST] < ACTIONS;
  }
  for (uint32_t step = recent_begin(s); step <= s->now; step++) {
    sections_get(r, &s->left[step % RECENT], sizeof *s->left);
    sections_get(r, s->parts[step % RECENT], (size_t)s->window * sizeof **s->parts);
    sections_get(r, s->gain_at[step % RECENT], sizeof *s->gain_at);
    sections_get(r, s->first_choice[step % RECENT], sizeof *s->first_choice);
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
