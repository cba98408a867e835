/* A visit of the features that are active in a state, compiled once per instruction set by visit.c, which defines
 *
 *     VISIT    the name of the function
 *     TARGET   its attributes
 *     SUMS     the type of the running sums: weights by lane as floats, cohorts by age as bytes
 *     CLEAR    a SUMS of zeros
 *     ADD      add the weights of a record and a mask
 *     FLUSH    add the sums to w->q and w->cohorts and clear them; after at most 255 records
 *
 * A lane's sum runs over the features in the order of the list, whatever the instruction set. */
static TARGET void VISIT(weights *w, const feature_list *raw) {
  const uint32_t now = w->now, first = w->first, *ids = raw->ids;
  const int raw_count = raw->count, ages = w->window + 1;
  const uint64_t every = ((uint64_t)1 << ages) - 1;
  const bool repeats = w->settings.counts;
  const size_t stride = w->stride;
  uint8_t *const records = w->records.data;
  uint32_t *phi = w->phi.ids;
  int count = 0, unflushed = 0;
  SUMS sums;
  CLEAR(sums);
  for (int i = 0; i < raw_count; i++) {
    if (i + 16 < raw_count) {
      const uint8_t *soon = records + ids[i + 16] * stride;
      __builtin_prefetch(soon, 1);
      __builtin_prefetch(soon + 64, 1);
    }
    uint8_t *record = records + ids[i] * stride;
    const uint64_t meta = *record_meta(record);
    const uint32_t last = meta_step(meta);
    uint64_t mask = meta_mask(meta);
    if (last != now) {
      const uint32_t passed = now - last;
      if (mask) {
        uint64_t final;
        uint32_t youngest; /* cohort of the final ones that bit 0 stands for */
        if (last < first || passed >= (uint32_t)ages) {
          final = mask, youngest = last, mask = 0;
        } else {
          final = mask >> (ages - (int)passed), youngest = last - ((uint32_t)ages - passed);
          mask = mask << passed & every;
        }
        for (; __builtin_expect(final != 0, 0); final &= final - 1) {
          const uint32_t s = youngest - (uint32_t)__builtin_ctzll(final);
          record_weights(record)[w->lane[s]] += (float)w->sum[s];
        }
      } else if (__builtin_expect(!last, 0)) {
        w->visited++;
        for (int a = 0; a < w->lanes; a++) record_weights(record)[a] = w->settings.initial;
      }
      *record_meta(record) = meta_make(mask | 1, now); /* it joins the cohort of this step */
      phi[count++] = ids[i];
    } else if (repeats) {
      mask &= ~(uint64_t)1;
    } else {
      continue;
    }
    ADD(w, sums, record, mask);
    if (++unflushed == WEIGHTS_FLUSH) {
      FLUSH(w, sums);
      CLEAR(sums);
      unflushed = 0;
    }
  }
  FLUSH(w, sums);
  w->phi.count = count;
}
#undef VISIT
#undef TARGET
#undef SUMS
#undef CLEAR
#undef ADD
#undef FLUSH
