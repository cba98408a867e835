/* The loops of pairs.c over records, for one instruction set: included with
 *
 *     SET      suffix of the functions' names
 *     TARGET   attribute of the functions, or empty
 *     WIDTH    doubles in a vector
 *
 * Vectors run over actions. If WIDTH does not divide their number, the last vector overlaps the one before it and both
 * compute the same for the actions that they share; hence all weights of a record are loaded before any is stored.
 * Every operation is element by element, so that all sets give the same bytes. */
#define JOIN2(a, b) a##_##b
#define JOIN(a, b)  JOIN2(a, b)
#define NAME(name)  JOIN(name, SET)
#define VECTORS     ((ACTIONS + WIDTH - 1) / WIDTH)
#define OFFSET(k)   ((k)*WIDTH <= ACTIONS - WIDTH ? (k)*WIDTH : ACTIONS - WIDTH)
#define EACH_VECTOR _Pragma("GCC unroll 9") for (int k = 0; k < VECTORS; k++)

typedef double NAME(reals) __attribute__((vector_size(8 * WIDTH)));
typedef float NAME(floats) __attribute__((vector_size(4 * WIDTH)));
typedef int64_t NAME(masks) __attribute__((vector_size(8 * WIDTH)));

static TARGET inline NAME(reals) NAME(load)(const double *from) {
  NAME(reals) x;
  memcpy(&x, from, sizeof x);
  return x;
}

static TARGET inline NAME(reals) NAME(load_weights)(const float *from) {
  NAME(floats) x;
  memcpy(&x, from, sizeof x);
  return __builtin_convertvector(x, NAME(reals));
}

/* Records that become active. */
static TARGET void NAME(enter)(pair_store *s, const visit *visits, int count) {
  NAME(reals) fresh[VECTORS];
  double total = 0;
  EACH_VECTOR fresh[k] = NAME(load)(s->fresh + OFFSET(k));
  for (int i = 0; i < count; i++) {
    record *r = visits[i].r;
    const double n = visits[i].count;
    FETCH_AHEAD(visits, i, count);
    if (set_of(r)) {
      uint64_t set = settle_past(s, r);
      put_set(r, set);
      for (; set; set &= set - 1) s->left[(s->now - (uint32_t)__builtin_ctzll(set)) % RECENT] += n;
    }
    r->since = s->now;
    total += n;
    EACH_VECTOR fresh[k] += NAME(load_weights)(r->w + OFFSET(k)) * n;
  }
  s->total += total;
  EACH_VECTOR memcpy(s->fresh + OFFSET(k), &fresh[k], sizeof fresh[k]);
}

/* Records that become inactive. An action that was chosen since the record became active takes part in `base`, another
 * in `fresh`. */
static TARGET void NAME(leave)(pair_store *s, const visit *visits, int count) {
  NAME(reals) fresh[VECTORS], base[VECTORS];
  double total = 0;
  EACH_VECTOR {
    fresh[k] = NAME(load)(s->fresh + OFFSET(k));
    base[k] = NAME(load)(s->base + OFFSET(k));
  }
  for (int i = 0; i < count; i++) {
    record *r = visits[i].r;
    stay *since = visits[i].since;
    const double n = visits[i].count;
    FETCH_AHEAD(visits, i, count);
    const float *add = nothing;
    uint64_t rest = set_of(r) ? settle_present(s, r, since, n, &add) : 0;
    put_set(r, rest | since->last);
    r->since = s->now;
    since->count += n;
    total += n;
    NAME(reals) w[VECTORS];
    EACH_VECTOR {
      NAME(masks) seen;
      memcpy(&seen, since->seen + OFFSET(k), sizeof seen);
      NAME(floats) old, more;
      memcpy(&old, r->w + OFFSET(k), sizeof old);
      memcpy(&more, add + OFFSET(k), sizeof more);
      w[k] = __builtin_convertvector(old + more, NAME(reals));
      NAME(masks) part = (NAME(masks))((w[k] - NAME(load)(since->before + OFFSET(k))) * n);
      fresh[k] -= (NAME(reals))(part & ~seen);
      base[k] -= (NAME(reals))(part & seen);
    }
    EACH_VECTOR {
      NAME(floats)
      x = __builtin_convertvector(w[k] + NAME(load)(since->change + OFFSET(k)), NAME(floats));
      memcpy(r->w + OFFSET(k), &x, sizeof x);
    }
  }
  s->total -= total;
  EACH_VECTOR {
    memcpy(s->fresh + OFFSET(k), &fresh[k], sizeof fresh[k]);
    memcpy(s->base + OFFSET(k), &base[k], sizeof base[k]);
  }
}

#undef JOIN2
#undef JOIN
#undef NAME
#undef VECTORS
#undef OFFSET
#undef EACH_VECTOR
#undef SET
#undef TARGET
#undef WIDTH
