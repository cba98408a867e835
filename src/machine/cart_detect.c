/* Detects the type of a cartridge from its bytes: first by size, then by signatures of code that switches banks.
 * The order of the tests is that of the reference. */
#include <string.h>

#include "machine/machine.h"

static const char *const type_names[CART_TYPES] = {
    [CART_UNKNOWN] = "unknown", [CART_2K] = "2K",     [CART_4K] = "4K",     [CART_F8] = "F8",
    [CART_F8SW] = "F8SW",       [CART_F8SC] = "F8SC", [CART_F6] = "F6",     [CART_F6SC] = "F6SC",
    [CART_F4] = "F4",           [CART_F4SC] = "F4SC", [CART_FASC] = "FASC", [CART_FE] = "FE",
    [CART_E0] = "E0",           [CART_E7] = "E7",     [CART_3F] = "3F",     [CART_3E] = "3E",
    [CART_DPC] = "DPC",         [CART_UA] = "UA",     [CART_CV] = "CV",     [CART_MB] = "MB",
    [CART_MC] = "MC",           [CART_AR] = "AR",
};

const char *cart_type_name(cart_type type) { return type_names[type]; }

cart_type cart_type_by_name(const char *name) {
  for (int type = CART_UNKNOWN + 1; type < CART_TYPES; type++) {
    if (!strcmp(type_names[type], name)) return (cart_type)type;
  }
  return CART_UNKNOWN;
}

typedef struct bytes {
  const uint8_t *image;
  uint32_t size;
} bytes;

/* Does the signature occur `hits` times? As in the reference, the last possible position is not examined, and the byte
 * after a match is skipped. */
static bool find(bytes b, const uint8_t *signature, uint32_t length, int hits) {
  int count = 0;
  for (uint32_t i = 0; i + length < b.size; i++) {
    if (memcmp(b.image + i, signature, length) == 0) {
      if (++count >= hits) return true;
      i += length;
    }
  }
  return false;
}
#define FIND(b, hits, ...) \
  find(b, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), hits)

static bool is_cv(bytes b) { return FIND(b, 1, 0x9D, 0xFF, 0xF3) || FIND(b, 1, 0x99, 0x00, 0xF4); }
static bool is_3e(bytes b) { return FIND(b, 1, 0x85, 0x3E, 0xA9, 0x00); }
static bool is_3f(bytes b) { return FIND(b, 2, 0x85, 0x3F); }
static bool is_ua(bytes b) { return FIND(b, 1, 0x8D, 0x40, 0x02); }

static bool is_e0(bytes b) {
  return FIND(b, 1, 0x8D, 0xE0, 0x1F) || FIND(b, 1, 0x8D, 0xE0, 0x5F) ||
         FIND(b, 1, 0x8D, 0xE9, 0xFF) || FIND(b, 1, 0xAD, 0xE9, 0xFF) ||
         FIND(b, 1, 0xAD, 0xED, 0xFF) || FIND(b, 1, 0xAD, 0xF3, 0xBF);
}

static bool is_fe(bytes b) {
  return FIND(b, 1, 0x20, 0x00, 0xD0, 0xC6, 0xC5) || FIND(b, 1, 0x20, 0xC3, 0xF8, 0xA5, 0x82) ||
         FIND(b, 1, 0xD0, 0xFB, 0x20, 0x73, 0xFE) || FIND(b, 1, 0x20, 0x00, 0xF0, 0x84, 0xD6);
}

static bool all_equal(const uint8_t *p, int count) {
  for (int i = 1; i < count; i++) {
    if (p[i] != p[0]) return false;
  }
  return true;
}

/* A cartridge has memory (SC) if the first 256 bytes of every bank are all equal, that is, unused. */
static bool is_superchip(bytes b) {
  for (uint32_t bank = 0; bank < b.size; bank += 4096) {
    if (!all_equal(b.image + bank, 256)) return false;
  }
  return true;
}

static bool is_e7(bytes b) {
  const uint8_t *hole = b.image + 0x3800;
  if (!all_equal(hole, 512)) return false;
  for (int i = 1; i <= 32; i++) {
    if (hole[-i] != hole[0] || hole[511 + i] != hole[0]) return true;
  }
  return false;
}

static bool halves_equal(bytes b) { return memcmp(b.image, b.image + b.size / 2, b.size / 2) == 0; }

static cart_type detect_8k(bytes b) {
  if (is_superchip(b)) return CART_F8SC;
  if (halves_equal(b)) return CART_4K;
  if (is_e0(b)) return CART_E0;
  if (is_3e(b)) return CART_3E;
  if (is_3f(b)) return CART_3F;
  if (is_ua(b)) return CART_UA;
  return is_fe(b) ? CART_FE : CART_F8;
}

cart_type cart_detect(const uint8_t *image, uint32_t size, const char *md5_hex) {
  bytes b = {image, size};
  /* two F8 games that start in bank 0 instead of 1 */
  if (!strcmp(md5_hex, "bc24440b59092559a1ec26055fd1270e") ||
      !strcmp(md5_hex, "75ee371ccfc4f43e7d9b8f24e1266b55")) {
    return CART_F8SW;
  }
  if (size && size % 8448 == 0) return CART_AR;
  if (size == 2048 || (size == 4096 && halves_equal(b))) return is_cv(b) ? CART_CV : CART_2K;
  if (size == 4096) return is_cv(b) ? CART_CV : CART_4K;
  if (size == 8192) return detect_8k(b);
  if (size == 10240 || size == 10495 || size == 10496) return CART_DPC;
  if (size == 12288) return CART_FASC;
  if (size == 16384 && is_superchip(b)) return CART_F6SC;
  if (size == 16384 && is_e7(b)) return CART_E7;
  if (size == 32768 && is_superchip(b)) return CART_F4SC;
  if (is_3e(b)) return CART_3E;
  if (is_3f(b)) return CART_3F;
  switch (size) {
    case 16384: return CART_F6;
    case 32768: return CART_F4;
    case 65536: return CART_MB;
    case 131072: return CART_MC;
    default: return CART_UNKNOWN;
  }
}
