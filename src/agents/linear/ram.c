/* RAM features (Bellemare et al. 2013, appendix A.5): the 1,024 bits of the console's memory and all pairs of bits that
 * are set. Bit k of byte b has the id 8 * b + 7 - k: the most significant bit first. */
#include <string.h>

#include "agents/linear/pair_index.h"

enum { BYTES = 128, BITS = 8 * BYTES };

typedef struct ram_set {
  feature_set base;
  bool bias;
} ram_set;

void pair_index_list(const uint64_t *words, int n, feature_list *out) {
  uint16_t set[PAIR_INDEX_BITS];
  int count = 0;
  for (int i = 0; i < n / 64; i++) {
    for (uint64_t word = words[i]; word; word &= word - 1)
      set[count++] = (uint16_t)(64 * i + __builtin_ctzll(word));
  }
  if (!feature_list_room(out, count * (count + 1) / 2)) return;
  uint32_t *ids = out->ids + out->count;
  out->count += count * (count + 1) / 2;
  for (int i = 0; i < count; i++) *ids++ = set[i];
  for (int i = 0; i < count; i++) {
    uint32_t base = pair_index((uint32_t)n, set[i], set[i] + 1u) - set[i] - 1;
    for (int k = i + 1; k < count; k++) *ids++ = base + set[k];
  }
}

static sixer_err create(feature_set *set, const feature_settings *settings, sixer_error *error) {
  (void)error;
  ((ram_set *)set)->bias = settings->bias;
  set->count = pair_index_count(BITS) + settings->bias;
  return SIXER_OK;
}

/* The bits of a byte in reverse order. */
static uint8_t reversed(uint8_t byte) {
  byte = (uint8_t)(byte >> 4 | byte << 4);
  byte = (uint8_t)((byte & 0xCC) >> 2 | (byte & 0x33) << 2);
  return (uint8_t)((byte & 0xAA) >> 1 | (byte & 0x55) << 1);
}

static sixer_err look(feature_set *set, sixer_env *env, uint64_t *bits, sixer_error *error) {
  (void)set, (void)error;
  const uint8_t *ram = sixer_env_ram(env);
  memset(bits, 0, BITS / 8);
  for (int i = 0; i < BYTES; i++) bits[i / 8] |= (uint64_t)reversed(ram[i]) << (i % 8 * 8);
  return SIXER_OK;
}

static sixer_err active(feature_set *set, sixer_env *env, feature_list *out, sixer_error *error) {
  uint64_t bits[BITS / 64];
  look(set, env, bits, error);
  pair_index_list(bits, BITS, out);
  if (((ram_set *)set)->bias) feature_list_add(out, pair_index_count(BITS));
  return SIXER_OK;
}

const feature_class features_ram = {
    .name = "ram",
    .summary = "bits of the memory and pairs of them (Bellemare et al. 2013)",
    .size = sizeof(ram_set),
    .max_count = BITS * (BITS + 1) / 2 + 1,
    .dense = true,
    .ram = true,
    .pair_bits = BITS,
    .look = look,
    .create = create,
    .active = active};
