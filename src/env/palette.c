/* The colors of the three television systems, as the reference has them. Index = hue * 16 + luminance * 2; the odd
 * entries are the even ones in gray, which PAL sets show on frames with an odd number of lines. */
#include "env/palette.h"

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

/* Even entries only: 16 hues of 8 luminances. */
static const uint32_t ntsc[128] = {
    0x000000, 0x4A4A4A, 0x6F6F6F, 0x8E8E8E, 0xAAAAAA, 0xC0C0C0, 0xD6D6D6, 0xECECEC, 0x484800,
    0x69690F, 0x86861D, 0xA2A22A, 0xBBBB35, 0xD2D240, 0xE8E84A, 0xFCFC54, 0x7C2C00, 0x904811,
    0xA26221, 0xB47A30, 0xC3903D, 0xD2A44A, 0xDFB755, 0xECC860, 0x901C00, 0xA33915, 0xB55328,
    0xC66C3A, 0xD5824A, 0xE39759, 0xF0AA67, 0xFCBC74, 0x940000, 0xA71A1A, 0xB83232, 0xC84848,
    0xD65C5C, 0xE46F6F, 0xF08080, 0xFC9090, 0x840064, 0x97197A, 0xA8308F, 0xB846A2, 0xC659B3,
    0xD46CC3, 0xE07CD2, 0xEC8CE0, 0x500084, 0x68199A, 0x7D30AD, 0x9246C0, 0xA459D0, 0xB56CE0,
    0xC57CEE, 0xD48CFC, 0x140090, 0x331AA3, 0x4E32B5, 0x6848C6, 0x7F5CD5, 0x956FE3, 0xA980F0,
    0xBC90FC, 0x000094, 0x181AA7, 0x2D32B8, 0x4248C8, 0x545CD6, 0x656FE4, 0x7580F0, 0x8490FC,
    0x001C88, 0x183B9D, 0x2D57B0, 0x4272C2, 0x548AD2, 0x65A0E1, 0x75B5EF, 0x84C8FC, 0x003064,
    0x185080, 0x2D6D98, 0x4288B0, 0x54A0C5, 0x65B7D9, 0x75CCEB, 0x84E0FC, 0x004030, 0x18624E,
    0x2D8169, 0x429E82, 0x54B899, 0x65D1AE, 0x75E7C2, 0x84FCD4, 0x004400, 0x1A661A, 0x328432,
    0x48A048, 0x5CBA5C, 0x6FD26F, 0x80E880, 0x90FC90, 0x143C00, 0x355F18, 0x527E2D, 0x6E9C42,
    0x87B754, 0x9ED065, 0xB4E775, 0xC8FC84, 0x303800, 0x505916, 0x6D762B, 0x88923E, 0xA0AB4F,
    0xB7C25F, 0xCCD86E, 0xE0EC7C, 0x482C00, 0x694D14, 0x866A26, 0xA28638, 0xBB9F47, 0xD2B656,
    0xE8CC63, 0xFCE070,
};

static const uint32_t pal[128] = {
    0x000000, 0x2B2B2B, 0x525252, 0x767676, 0x979797, 0xB6B6B6, 0xD2D2D2, 0xECECEC, 0x000000,
    0x2B2B2B, 0x525252, 0x767676, 0x979797, 0xB6B6B6, 0xD2D2D2, 0xECECEC, 0x805800, 0x96711A,
    0xAB8732, 0xBE9C48, 0xCFAF5C, 0xDFC06F, 0xEED180, 0xFCE090, 0x445C00, 0x5E791A, 0x769332,
    0x8CAC48, 0xA0C25C, 0xB3D76F, 0xC4EA80, 0xD4FC90, 0x703400, 0x89511A, 0xA06B32, 0xB68448,
    0xC99A5C, 0xDCAF6F, 0xECC280, 0xFCD490, 0x006414, 0x1A8035, 0x329852, 0x48B06E, 0x5CC587,
    0x6FD99E, 0x80EBB4, 0x90FCC8, 0x700014, 0x891A35, 0xA03252, 0xB6486E, 0xC95C87, 0xDC6F9E,
    0xEC80B4, 0xFC90C8, 0x005C5C, 0x1A7676, 0x328E8E, 0x48A4A4, 0x5CB8B8, 0x6FCBCB, 0x80DCDC,
    0x90ECEC, 0x70005C, 0x841A74, 0x963289, 0xA8489E, 0xB75CB0, 0xC66FC1, 0xD380D1, 0xE090E0,
    0x003C70, 0x195A89, 0x2F75A0, 0x448EB6, 0x57A5C9, 0x68BADC, 0x79CEEC, 0x88E0FC, 0x580070,
    0x6E1A89, 0x8332A0, 0x9648B6, 0xA75CC9, 0xB76FDC, 0xC680EC, 0xD490FC, 0x002070, 0x193F89,
    0x2F5AA0, 0x4474B6, 0x578BC9, 0x68A1DC, 0x79B5EC, 0x88C8FC, 0x340080, 0x4A1A96, 0x5F32AB,
    0x7248BE, 0x835CCF, 0x936FDF, 0xA280EE, 0xB090FC, 0x000088, 0x1A1A9D, 0x3232B0, 0x4848C2,
    0x5C5CD2, 0x6F6FE1, 0x8080EF, 0x9090FC, 0x000000, 0x2B2B2B, 0x525252, 0x767676, 0x979797,
    0xB6B6B6, 0xD2D2D2, 0xECECEC, 0x000000, 0x2B2B2B, 0x525252, 0x767676, 0x979797, 0xB6B6B6,
    0xD2D2D2, 0xECECEC,
};

static const uint32_t secam[8] = {
    0x000000, 0x2121FF, 0xF03C79, 0xFF50FF, 0x7FFF00, 0x7FFFFF, 0xFFFF3F, 0xFFFFFF,
};

uint8_t palette_gray(uint32_t rgb) {
  double gray = 0.2989 * (rgb >> 16 & 0xFF) + 0.5870 * (rgb >> 8 & 0xFF) + 0.1140 * (rgb & 0xFF);
  return (uint8_t)(gray + 0.5);
}

void palette_make(palette *p, const char *format) {
  bool is_pal = !strncmp(format, "PAL", 3), is_secam = !strncmp(format, "SECAM", 5);
  p->number = is_secam ? 2 : is_pal;
  for (int i = 0; i < 128; i++) {
    uint32_t rgb = is_secam ? secam[i % 8] : is_pal ? pal[i] : ntsc[i];
    p->rgb[2 * i] = rgb;
    p->rgb[2 * i + 1] = palette_gray(rgb) * 0x010101u;
  }
  /* the reference reads the low byte of the entry after: gray for even values, blue of the next color for odd ones */
  for (int i = 0; i < 256; i++) p->gray[i] = (uint8_t)(i < 255 ? p->rgb[i + 1] : 0);
  for (int i = 0; i < 128; i++) p->even_gray[i] = p->gray[2 * i];
}

static int distance(uint32_t a, uint32_t b) {
  int sum = 0;
  for (int shift = 0; shift < 24; shift += 8)
    sum += abs((int)(a >> shift & 0xFF) - (int)(b >> shift & 0xFF));
  return sum;
}

/* The palette entry nearest to what two frames look like on a slow screen: 77 % of the way to the brighter one. */
static uint8_t blend(const palette *p, uint32_t a, uint32_t b) {
  uint32_t mixed = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    int x = a >> shift & 0xFF, y = b >> shift & 0xFF, high = x > y ? x : y, low = x > y ? y : x;
    mixed |= (uint32_t)(((high - low) * 77 / 100 + low) & ~3) << shift;
  }
  int best = 0, least = distance(p->rgb[0], mixed);
  for (int i = 2; i < 256; i += 2) {
    int found = distance(p->rgb[i], mixed);
    if (found < least) best = i, least = found;
  }
  return (uint8_t)best;
}

void palette_make_blend(const palette *p, blend_table *table) {
  table->keeps_equal = true;
  for (int a = 0; a < 128; a++) {
    for (int b = 0; b <= a; b++)
      table->of[a][b] = table->of[b][a] = blend(p, p->rgb[2 * a], p->rgb[2 * b]);
    if (table->of[a][a] != 2 * a) table->keeps_equal = false;
  }
}

enum { WORDS = SCREEN_WIDTH / 8 };

/* Nonzero unless the 8 pixels of both words are equal and even. */
static uint64_t changes(uint64_t now, uint64_t before) {
  return (now ^ before) | (now & 0x0101010101010101u);
}

void palette_blend_row(const blend_table *table, const uint8_t *now, const uint8_t *before,
                       uint8_t *out) {
  uint64_t a[WORDS], b[WORDS], any = 0;
  memcpy(a, now, sizeof a);
  memcpy(b, before, sizeof b);
  for (int i = 0; i < WORDS; i++) any |= changes(a[i], b[i]);
  /* most rows did not change since the last frame, and in the others most pixels did not */
  memcpy(out, a, sizeof a);
  if (!any && table->keeps_equal) return;
  for (int i = 0; i < WORDS; i++) {
    if (table->keeps_equal && !changes(a[i], b[i])) continue;
    for (int x = 8 * i; x < 8 * i + 8; x++)
      out[x] = (now[x] | before[x]) & 1 ? 0 : table->of[now[x] >> 1][before[x] >> 1];
  }
}
