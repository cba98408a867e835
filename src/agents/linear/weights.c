/* Weights with lazy or eager traces; see weights.h. */
#include "agents/linear/weights.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int weights_window(double decay, double cutoff) {
  int window = 1;
  for (double trace = decay; trace >= cutoff && trace > 0 && window < 1000000; trace *= decay)
    window++;
  return window;
}

static sixer_err out_of_memory(sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for the weights of a learner");
}

sixer_err weights_create(weights *w, const weights_settings *settings, int lanes,
                         sixer_error *error) {
  *w = (weights){.settings = *settings, .lanes = lanes};
  w->window = weights_window(settings->decay, settings->cutoff);
  if (settings->accumulate || w->window > WEIGHTS_WINDOW) w->settings.eager = true;
  if (w->settings.eager) w->window = 0; /* no cohorts: masks stay empty but for bit 0 */
  double power = 1;
  for (int k = 0; k < w->window; k++, power *= settings->decay) w->decay[k] = power;
  size_t floats = (size_t)lanes * (w->settings.eager ? 2 : 1);
  w->stride = 8 + (floats + 1) / 2 * 8;
  w->kernel = weights_kernel(settings->set, lanes);
  w->now = (uint32_t)w->window + 2;
  w->first = w->now + 1;
  w->limit = (1u << WEIGHTS_STEP_BITS) - 1;
  if (settings->period && w->now + settings->period < w->limit)
    w->limit = w->now + settings->period;
  w->sum = calloc(w->limit + 1, sizeof *w->sum);
  w->lane = calloc(w->limit + 1, sizeof *w->lane);
  if (!w->sum || !w->lane) return out_of_memory(error);
  if (!region_reserve(&w->records, ((size_t)settings->max_count + 2) * w->stride))
    return sixer_fail(error, SIXER_ERR_MEMORY,
                      "%zu MB of address space cannot be reserved for weights; is it limited "
                      "(ulimit -v)?",
                      (size_t)settings->max_count * w->stride >> 20);
  if (settings->numbered) region_fill_densely(&w->records);
  return SIXER_OK;
}

void weights_destroy(weights *w) {
  region_free(&w->records);
  feature_list_free(&w->phi);
  free(w->sum);
  free(w->lane);
  free(w->traces);
  *w = (weights){0};
}

bool weights_grow(weights *w, uint32_t count) {
  if (count <= w->count) return true;
  /* kernels load whole vectors: one record more than there are */
  if (!region_commit(&w->records, ((size_t)count + 2) * w->stride)) return false;
  w->count = count;
  return true;
}

void weights_begin(weights *w) {
  w->first = w->now + 1;
  w->phi.count = 0;
  w->taken = false;
  memset(w->lane_mask, 0, sizeof w->lane_mask);
  for (size_t i = 0; i < w->trace_count; i++)
    record_weights(weights_record(w, w->traces[i].id))[w->lanes + (int)w->traces[i].lane] = 0;
  w->trace_count = 0;
}

bool weights_visit(weights *w, const feature_list *raw) {
  if (w->now >= w->limit) weights_compact(w);
  if (w->phi.capacity < raw->count) feature_list_grow(&w->phi, raw->count);
  if (w->phi.failed) return false;
  w->now++;
  w->taken = false;
  w->sum[w->now] = 0;
  w->lane[w->now] = 0;
  assert(w->window >= 0 && w->window < 63);
  const uint64_t every = ((uint64_t)1 << (w->window + 1)) - 1;
  for (int a = 0; a < w->lanes; a++) w->lane_mask[a] = w->lane_mask[a] << 1 & every;
  memset(w->q, 0, sizeof w->q);
  memset(w->cohorts, 0, sizeof w->cohorts);
  w->raw = raw;
  w->kernel(w, raw);
  /* add what the weights of the active features do not contain yet: the sums of their cohorts */
  for (int k = 1; k <= w->window && w->now - (uint32_t)k >= w->first; k++) {
    uint32_t s = w->now - (uint32_t)k;
    w->q[w->lane[s]] += w->sum[s] * (double)w->cohorts[k];
  }
  return true;
}

/* ---- Lazy traces ----------------------------------------------------------------------------------------------- */

static void take_lazy(weights *w, int lane) {
  w->lane[w->now] = (uint8_t)lane;
  /* the older cohorts that the features must leave */
  uint64_t leave = w->lane_mask[lane];
  if (w->settings.clear_other) {
    for (int a = 0; a < w->lanes; a++) leave |= w->lane_mask[a];
  }
  w->lane_mask[lane] |= 1;
  if (!leave) return;
  for (int i = 0; i < w->phi.count; i++) {
    uint8_t *record = weights_record(w, w->phi.ids[i]);
    uint64_t bits = meta_mask(*record_meta(record)) & leave;
    if (!bits) continue;
    *record_meta(record) ^= bits << WEIGHTS_STEP_BITS;
    for (; bits; bits &= bits - 1) {
      uint32_t s = w->now - (uint32_t)__builtin_ctzll(bits);
      record_weights(record)[w->lane[s]] += (float)w->sum[s];
    }
  }
}

static void update_lazy(weights *w, double change, bool visited) {
  const uint32_t then = visited ? w->now - 1 : w->now; /* the step that is learned from */
  for (int k = 0; k < w->window && then - (uint32_t)k >= w->first; k++) {
    uint32_t s = then - (uint32_t)k;
    double part = change * w->decay[k];
    w->sum[s] += part;
    if (visited) w->q[w->lane[s]] += part * (double)w->cohorts[k + 1];
  }
}

/* Add the final cohorts of a record to its weights, which may be a copy. Returns the mask as of step `now`. */
static uint64_t settle(const weights *w, uint64_t meta, float *values) {
  uint64_t mask = meta_mask(meta), left = 0;
  for (; mask; mask &= mask - 1) {
    uint32_t s = meta_step(meta) - (uint32_t)__builtin_ctzll(mask);
    if (s >= w->first && w->now - s <= (uint32_t)w->window)
      left |= (uint64_t)1 << (w->now - s);
    else
      values[w->lane[s]] += (float)w->sum[s];
  }
  return left;
}

void weights_compact(weights *w) {
  const uint32_t now = (uint32_t)w->window + 2;
  for (uint32_t id = 0; id < w->count; id++) {
    uint8_t *record = weights_record(w, id);
    uint64_t meta = *record_meta(record), mask;
    if (!meta_step(meta)) continue; /* never visited */
    mask = settle(w, meta, record_weights(record));
    /* a record without cohorts only needs a step that is not `now` */
    uint64_t new_meta = mask ? meta_make(mask, now) : meta_make(0, 1);
    if (meta != new_meta) *record_meta(record) = new_meta;
  }
  uint32_t back = w->now - now;
  for (uint32_t s = 1; s <= now; s++) w->sum[s] = w->sum[s + back], w->lane[s] = w->lane[s + back];
  w->first = w->first > back + 1 ? w->first - back : 1;
  w->now = now;
}

float weights_value(const weights *w, uint32_t id, int lane) {
  uint8_t *record = weights_record(w, id);
  uint64_t meta = *record_meta(record);
  if (!meta_step(meta)) return w->settings.initial;
  float value = record_weights(record)[lane];
  for (uint64_t mask = meta_mask(meta); mask; mask &= mask - 1) {
    uint32_t s = meta_step(meta) - (uint32_t)__builtin_ctzll(mask);
    if (w->lane[s] == lane) value += (float)w->sum[s];
  }
  return value;
}

/* ---- Eager traces ---------------------------------------------------------------------------------------------- */

static inline float *trace_of(const weights *w, uint32_t id, int lane) {
  return record_weights(weights_record(w, id)) + w->lanes + lane;
}

static bool take_eager(weights *w, int lane) {
  size_t kept = 0;
  for (size_t i = 0; i < w->trace_count; i++) {
    float *trace = trace_of(w, w->traces[i].id, (int)w->traces[i].lane);
    *trace = (float)(*trace * w->settings.decay);
    if ((double)*trace < w->settings.cutoff)
      *trace = 0;
    else
      w->traces[kept++] = w->traces[i];
  }
  w->trace_count = kept;
  if (w->trace_count + (size_t)w->phi.count > w->trace_capacity) {
    size_t capacity = (w->trace_count + (size_t)w->phi.count) * 3 / 2 + 64;
    weights_trace *traces = realloc(w->traces, capacity * sizeof *traces);
    if (!traces) return false;
    w->traces = traces;
    w->trace_capacity = capacity;
  }
  for (int i = 0; i < w->phi.count; i++) {
    uint32_t id = w->phi.ids[i];
    /* cleared traces leave the list at the next decay, before they could be listed again */
    for (int a = 0; w->settings.clear_other && a < w->lanes; a++) {
      if (a != lane) *trace_of(w, id, a) = 0;
    }
    float *trace = trace_of(w, id, lane);
    if (*trace == 0) w->traces[w->trace_count++] = (weights_trace){id, (uint32_t)lane};
    *trace = w->settings.accumulate ? *trace + 1 : 1;
  }
  return true;
}

/* The values of the state visited last, once more. */
static void sum_again(weights *w) {
  float sums[WEIGHTS_LANES] = {0};
  memset(w->q, 0, sizeof w->q);
  const feature_list *list = w->settings.counts ? w->raw : &w->phi;
  for (int i = 0; i < list->count; i++) {
    const float *values = record_weights(weights_record(w, list->ids[i]));
    for (int a = 0; a < w->lanes; a++) sums[a] += values[a];
    if ((i + 1) % WEIGHTS_FLUSH && i + 1 < list->count) continue;
    for (int a = 0; a < w->lanes; a++) w->q[a] += (double)sums[a], sums[a] = 0;
  }
}

static void update_eager(weights *w, double change, bool visited) {
  for (size_t i = 0; i < w->trace_count; i++) {
    uint32_t id = w->traces[i].id, lane = w->traces[i].lane;
    record_weights(weights_record(w, id))[lane] +=
        (float)(change * (double)*trace_of(w, id, (int)lane));
  }
  if (visited) sum_again(w);
}

/* ---------------------------------------------------------------------------------------------------------------- */

bool weights_take(weights *w, int lane) {
  if (w->taken) return true;
  w->taken = true;
  if (w->settings.eager) return take_eager(w, lane);
  take_lazy(w, lane);
  return true;
}

void weights_update(weights *w, double change, bool visited) {
  if (w->settings.eager)
    update_eager(w, change, visited);
  else
    update_lazy(w, change, visited);
}

void weights_forget(weights *w, uint32_t count) {
  if (count >= w->count) return;
  for (uint32_t id = count; id < w->count; id++)
    w->visited -= meta_step(*record_meta(weights_record(w, id))) != 0;
  memset(weights_record(w, count), 0, (size_t)(w->count - count) * w->stride);
  w->count = count;
}

size_t weights_memory(const weights *w) {
  return w->count * w->stride + (w->limit + 1) * 9u + w->trace_capacity * sizeof *w->traces +
         (size_t)w->phi.capacity * sizeof(uint32_t);
}

/* ---- Saving ----------------------------------------------------------------------------------------------------
 *
 * What is saved does not depend on when cohorts were settled: weights with all final cohorts added, and masks by age.
 * A record is its id, a word that says which of its weights are not zero (as bits) and whether a mask follows, these
 * weights, the mask, and with eager traces those of them that are not zero in the same form. */

enum { HAS_MASK = 1 << 30 };

static uint32_t put_floats(const float *values, int lanes, float *out) {
  uint32_t which = 0;
  for (int a = 0; a < lanes; a++) {
    uint32_t bits;
    memcpy(&bits, &values[a], sizeof bits);
    if (!bits) continue;
    *out++ = values[a];
    which |= 1u << a;
  }
  return which;
}

void weights_save(const weights *w, sections_writer *out) {
  sections_begin(out, "agent.cohorts");
  uint32_t length = w->now >= w->first ? w->now - w->first + 1 : 0;
  if (length > (uint32_t)w->window + 1) length = (uint32_t)w->window + 1;
  sections_put_u64(out, length);
  sections_put_u64(out, w->taken);
  for (uint32_t k = 0; k < length; k++) {
    sections_put_f64(out, w->sum[w->now - k]);
    sections_put_u64(out, w->lane[w->now - k]);
  }
  sections_put_u64(out, (uint64_t)w->phi.count);
  sections_put_array(out, w->phi.ids, (size_t)w->phi.count);

  sections_begin(out, "agent.weights");
  for (uint32_t id = 0; id < w->count; id++) {
    uint8_t *record = weights_record(w, id);
    uint64_t meta = *record_meta(record);
    if (!meta_step(meta)) continue;
    float values[WEIGHTS_LANES];
    memcpy(values, record_weights(record), (size_t)w->lanes * sizeof *values);
    uint64_t mask = settle(w, meta, values);
    struct {
      uint32_t id, which;
      float values[WEIGHTS_LANES + 2];
    } entry = {.id = id};
    entry.which = put_floats(values, w->lanes, entry.values);
    int floats = __builtin_popcount(entry.which);
    if (mask) entry.which |= HAS_MASK;
    little_numbers(&entry, 2 + (size_t)floats, sizeof(float));
    if (mask) {
      mask = little_64(mask);
      memcpy(entry.values + floats, &mask, sizeof mask);
      floats += 2;
    }
    sections_put(out, &entry, 8 + (size_t)floats * sizeof(float));
  }

  sections_begin(out, "agent.traces");
  for (size_t i = 0; i < w->trace_count; i++) {
    sections_put_numbers(out, &w->traces[i], 2, sizeof(uint32_t));
    sections_put_array(out, trace_of(w, w->traces[i].id, (int)w->traces[i].lane), 1);
  }
}

static sixer_err damaged(const char *what, sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_STATE, "the %s of the saved agent are damaged", what);
}

/* The cohorts and the state that was visited last. */
static sixer_err load_cohorts(weights *w, sections_reader *in, sixer_error *error) {
  if (!sections_find(in, "agent.cohorts")) return damaged("cohorts", error);
  uint64_t length = sections_get_u64(in);
  uint64_t taken = sections_get_u64(in);
  if (length > (uint64_t)w->window + 1 || taken > 1) return damaged("cohorts", error);
  w->taken = taken;
  w->now = (uint32_t)w->window + 2;
  w->first = w->now + 1 - (uint32_t)length;
  for (uint32_t k = 0; k < length; k++) {
    double sum = sections_get_f64(in);
    uint64_t lane = sections_get_u64(in);
    if (lane >= (uint64_t)w->lanes || !(sum > -1e30 && sum < 1e30))
      return damaged("cohorts", error);
    w->sum[w->now - k] = sum;
    w->lane[w->now - k] = (uint8_t)lane;
    if (k > 0 || taken) w->lane_mask[lane] |= (uint64_t)1 << k;
  }
  uint64_t count = sections_get_u64(in);
  if (count > w->count || sections_left(in) != count * sizeof(uint32_t))
    return damaged("active features", error);
  feature_list_grow(&w->phi, (int)count);
  if (w->phi.failed) return out_of_memory(error);
  sections_get_array(in, w->phi.ids, (size_t)count);
  w->phi.count = (int)count;
  for (int i = 0; i < w->phi.count; i++) {
    if (w->phi.ids[i] >= w->count) return damaged("active features", error);
  }
  return SIXER_OK;
}

static sixer_err load_records(weights *w, sections_reader *in, uint32_t length,
                              sixer_error *error) {
  if (!sections_find(in, "agent.weights")) return damaged("weights", error);
  uint64_t next = 0;
  while (sections_left(in)) {
    uint32_t head[2];
    sections_get_array(in, head, 2);
    uint32_t which = head[1] & ~(uint32_t)HAS_MASK;
    if (head[0] < next || head[0] >= w->count || which >> w->lanes)
      return damaged("weights", error);
    next = (uint64_t)head[0] + 1;
    uint8_t *record = weights_record(w, head[0]);
    for (int a = 0; a < w->lanes; a++) {
      float value = 0;
      if (which >> a & 1) sections_get_array(in, &value, 1);
      if (!(value > -1e30f && value < 1e30f)) return damaged("weights", error);
      record_weights(record)[a] = value;
    }
    uint64_t mask = 0;
    if (head[1] & HAS_MASK) {
      sections_get_array(in, &mask, 1);
      if (!mask || mask >> length) return damaged("traces", error);
    }
    *record_meta(record) = mask ? meta_make(mask, w->now) : meta_make(0, 1);
    w->visited++;
  }
  for (int i = 0; i < w->phi.count; i++) {
    if (!meta_step(*record_meta(weights_record(w, w->phi.ids[i]))))
      return damaged("active features", error);
  }
  return SIXER_OK;
}

static sixer_err load_traces(weights *w, sections_reader *in, sixer_error *error) {
  if (!sections_find(in, "agent.traces") || sections_left(in) % 12) return damaged("traces", error);
  size_t count = (size_t)(sections_left(in) / 12);
  if (count && !w->settings.eager) return damaged("traces", error);
  if (count > (size_t)w->count * (size_t)w->lanes) return damaged("traces", error);
  w->traces = count ? malloc(count * sizeof *w->traces) : NULL;
  if (count && !w->traces) return out_of_memory(error);
  w->trace_capacity = count;
  for (size_t i = 0; i < count; i++) {
    weights_trace trace;
    float value;
    sections_get_numbers(in, &trace, 2, sizeof(uint32_t));
    sections_get_array(in, &value, 1);
    if (trace.id >= w->count || trace.lane >= (uint32_t)w->lanes || !(value >= 0 && value < 1e9f))
      return damaged("traces", error);
    float *place = trace_of(w, trace.id, (int)trace.lane);
    if (*place != 0) return damaged("traces", error);
    *place = value;
    w->traces[w->trace_count++] = trace;
  }
  return SIXER_OK;
}

sixer_err weights_load(weights *w, sections_reader *in, sixer_error *error) {
  sixer_err err = load_cohorts(w, in, error);
  if (!err) err = load_records(w, in, w->now + 1 - w->first, error);
  if (!err) err = load_traces(w, in, error);
  if (!err && sections_failed(in)) err = damaged("weights", error);
  return err;
}
