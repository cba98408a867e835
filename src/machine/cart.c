/* Cartridges: the 4K window at 0x1000 and what is behind it.
 *
 * The console addresses 4K of cartridge at a time. Larger images switch slices into this window when the processor
 * accesses certain addresses ("hotspots"); a read of a hotspot already returns the byte of the new slice. Some types
 * have memory, with one range of addresses to write to and another to read from, because the slot has no read/write
 * line. Reading and writing are one switch each over the types. console.bank holds what the windows show:
 *
 *   F8 F6 F4 FA DPC UA MB   bank[0] is the 4K bank
 *   E0                      bank[0..2] are the 1K slices of the three switchable windows
 *   E7                      bank[0] is the 2K slice (7: memory), bank[1] the 256-byte block of memory
 *   3F                      bank[0] is the 2K slice of the low window
 *   3E                      bank[0] likewise; bank[1] is 1 when it is a block of memory
 *   MC                      bank[0..3] are the block registers; chip.bytes[0] is set while slot 3 is forced
 *   AR                      see cart_ar below */
#include "machine/cart.h"

#include <string.h>

#include "machine/tia.h"

static bool is_banked(cart_type type) {
  switch (type) {
    case CART_2K:
    case CART_4K:
    case CART_F8:
    case CART_F8SW:
    case CART_F8SC:
    case CART_F6:
    case CART_F6SC:
    case CART_F4:
    case CART_F4SC:
    case CART_FASC:
    case CART_DPC:
    case CART_UA:
    case CART_MB: return true;
    default: return false;
  }
}

/* The hotspots of the types that switch the whole window: offsets first .. first + banks - 1. */
static int first_hotspot(cart_type type) {
  switch (type) {
    case CART_F8:
    case CART_F8SW:
    case CART_F8SC:
    case CART_FASC:
    case CART_DPC: return 0xFF8;
    case CART_F6:
    case CART_F6SC: return 0xFF6;
    case CART_F4:
    case CART_F4SC: return 0xFF4;
    default: return 0x1000;
  }
}

static int bank_count(const cartridge *cart) {
  switch (cart->type) {
    case CART_F8:
    case CART_F8SW:
    case CART_F8SC:
    case CART_DPC:
    case CART_UA: return 2;
    case CART_FASC: return 3;
    case CART_F6:
    case CART_F6SC: return 4;
    case CART_F4:
    case CART_F4SC: return 8;
    case CART_MB: return 16;
    default: return 1;
  }
}

/* Bytes at the start of the window that are memory instead of the bank's bytes: write half, then read half. */
static int superchip_size(cart_type type) {
  switch (type) {
    case CART_F8SC:
    case CART_F6SC:
    case CART_F4SC: return 128;
    case CART_FASC: return 256;
    default: return 0;
  }
}

static uint32_t min_image(cart_type type) {
  switch (type) {
    case CART_2K:
    case CART_CV: return 2048;
    case CART_4K: return 4096;
    case CART_F8:
    case CART_F8SW:
    case CART_F8SC:
    case CART_FE:
    case CART_E0:
    case CART_UA: return 8192;
    case CART_FASC: return 12288;
    case CART_F6:
    case CART_F6SC:
    case CART_E7: return 16384;
    case CART_F4:
    case CART_F4SC: return 32768;
    case CART_MB: return 65536;
    case CART_DPC: return 10240;
    case CART_AR: return 8448;
    default: return 2048;
  }
}

static uint32_t xram_size(cart_type type, uint32_t size) {
  switch (type) {
    case CART_F8SC:
    case CART_F6SC:
    case CART_F4SC: return 128;
    case CART_FASC: return 256;
    case CART_CV: return 1024;
    case CART_E7: return 2048;
    case CART_3E:
    case CART_MC: return 32768;
    case CART_AR: return 6144;
    default: return size * 0;
  }
}

bool cart_wire(cartridge *cart, const uint8_t *image, uint32_t size, cart_type type) {
  if (type == CART_UNKNOWN || size < min_image(type) || (type == CART_MC && size > 131072))
    return false;
  *cart =
      (cartridge){.image = image, .size = size, .type = type, .xram_size = xram_size(type, size)};
  if (!is_banked(type)) return true;
  int first_direct = 2 * superchip_size(type) >> CART_PAGE_SHIFT;
  int end_direct = CART_PAGES;
  if (first_hotspot(type) < 0x1000 || type == CART_MB) end_direct = CART_PAGES - 1;
  if (type == CART_DPC) first_direct = 0x080 >> CART_PAGE_SHIFT;
  for (int bank = 0; bank < bank_count(cart); bank++) {
    for (int page = first_direct; page < end_direct; page++) {
      uint32_t offset = (uint32_t)bank * 4096 + ((uint32_t)page << CART_PAGE_SHIFT);
      cart->pages[bank][page] = image + (type == CART_2K ? offset & 0x7FF : offset);
    }
  }
  return true;
}

enum { TAIL = (CART_PAGES - 1) << CART_PAGE_SHIFT }; /* the last page, where hotspots are */

int cart_quiet_end(cart_type type) {
  switch (type) {
    case CART_E0:
    case CART_E7: return 0xFE0;
    case CART_MB: return 0xFF0;
    case CART_DPC: return TAIL; /* every access there clocks its random register */
    default: return is_banked(type) ? first_hotspot(type) : TAIL;
  }
}

static void map_e0(machine *m, int window) {
  const uint8_t *slice = m->cart->image + m->c->bank[window] * 1024;
  for (int page = 0; page < 16; page++)
    m->own_pages[16 * window + page] = slice + (page << CART_PAGE_SHIFT);
}

void cart_map(machine *m) {
  const cartridge *cart = m->cart;
  m->tail_size = cart_quiet_end(cart->type) - TAIL;
  m->tail = NULL;
  if (is_banked(cart->type)) {
    m->pages = cart->pages[m->c->bank[0]];
    if (cart->size < 4096) m->tail_size = 0;
    if (m->tail_size) m->tail = cart->image + m->c->bank[0] * 4096 + TAIL;
    return;
  }
  if (cart->type == CART_E0) m->tail = cart->image + 7 * 1024 + 0x3C0;
  if (cart->type == CART_E7) m->tail = cart->image + 7 * 2048 + 0x7C0;
  /* several windows: list the pages that can be read without a side effect */
  m->pages = m->own_pages;
  memset(m->own_pages, 0, sizeof m->own_pages);
  const uint16_t *bank = m->c->bank;
  switch (cart->type) {
    case CART_E0:
      for (int window = 0; window < 3; window++) map_e0(m, window);
      for (int page = 48; page < 63; page++) {
        m->own_pages[page] = cart->image + 7 * 1024 + ((page & 15) << CART_PAGE_SHIFT);
      }
      break;
    case CART_E7:
      for (int page = 0; page < 32 && bank[0] != 7; page++) {
        m->own_pages[page] = cart->image + bank[0] * 2048 + (page << CART_PAGE_SHIFT);
      }
      for (int page = 40; page < 63; page++) {
        m->own_pages[page] = cart->image + 7 * 2048 + ((page & 31) << CART_PAGE_SHIFT);
      }
      break;
    case CART_3F:
    case CART_3E:
      for (int page = 0; page < 32 && !(cart->type == CART_3E && bank[1]); page++) {
        m->own_pages[page] = cart->image + bank[0] * 2048 + (page << CART_PAGE_SHIFT);
      }
      for (int page = 32; page < 64; page++) {
        m->own_pages[page] =
            cart->image + (cart->size / 2048 - 1) * 2048 + ((page & 31) << CART_PAGE_SHIFT);
      }
      break;
    case CART_CV:
      for (int page = 32; page < 64; page++) {
        m->own_pages[page] =
            cart->image + (cart->size >= 4096 ? 2048 : 0) + ((page & 31) << CART_PAGE_SHIFT);
      }
      break;
    default:
      break; /* FE uses address bit 13, MC and AR react to every access: no page can be read directly */
  }
}

static void select_bank(machine *m, int window, int bank) {
  if (m->c->bank[window] == bank) return;
  m->c->bank[window] = (uint16_t)bank;
  if (m->cart->type == CART_E0)
    map_e0(m, window);
  else
    cart_map(m);
}

/* ---- Windows of several slices --------------------------------------------------------------------------------- */

static void e0_touch(machine *m, uint16_t offset) {
  if (offset >= 0xFE0 && offset <= 0xFF7) select_bank(m, (offset - 0xFE0) >> 3, offset & 7);
}

static uint8_t e0_read(machine *m, uint16_t offset) {
  e0_touch(m, offset);
  int window = offset >> 10, slice = window == 3 ? 7 : m->c->bank[window];
  return m->cart->image[slice * 1024 + (offset & 0x3FF)];
}

static void e7_touch(machine *m, uint16_t offset) {
  if (offset >= 0xFE0 && offset <= 0xFE7) select_bank(m, 0, offset & 7);
  if (offset >= 0xFE8 && offset <= 0xFEB) select_bank(m, 1, offset & 3);
}

static uint8_t e7_read(machine *m, uint16_t offset) {
  const console *c = m->c;
  e7_touch(m, offset);
  if (offset < 0x800) {
    if (c->bank[0] == 7 && offset >= 0x400) return c->xram[offset & 0x3FF];
    return m->cart->image[c->bank[0] * 2048 + offset];
  }
  if (offset >= 0x900 && offset < 0xA00) return c->xram[1024 + c->bank[1] * 256 + (offset & 0xFF)];
  return m->cart->image[7 * 2048 + (offset & 0x7FF)];
}

static void e7_write(machine *m, uint16_t offset, uint8_t value) {
  console *c = m->c;
  e7_touch(m, offset);
  if (offset < 0x400 && c->bank[0] == 7) c->xram[offset] = value;
  if (offset >= 0x800 && offset < 0x900) c->xram[1024 + c->bank[1] * 256 + (offset & 0xFF)] = value;
}

/* 3F and 3E: writes to the TIA's addresses below 0x40 switch the low 2K. */
static int slices_2k(const machine *m) { return (int)(m->cart->size / 2048); }

static uint8_t x3_read(machine *m, uint16_t offset) {
  const console *c = m->c;
  if (offset >= 0x800) return m->cart->image[(slices_2k(m) - 1) * 2048 + (offset & 0x7FF)];
  if (m->cart->type == CART_3E && c->bank[1]) return c->xram[c->bank[0] * 1024 + (offset & 0x3FF)];
  return m->cart->image[c->bank[0] * 2048 + offset];
}

static void x3_select(machine *m, bool memory, uint8_t value) {
  m->c->bank[0] = (uint16_t)(memory ? value % 32 : value % slices_2k(m));
  m->c->bank[1] = memory;
  cart_map(m);
}

static void x3_write(machine *m, uint16_t address, uint8_t value) {
  console *c = m->c;
  uint16_t offset = address & 0xFFF;
  if (m->cart->type == CART_3F) {
    if (offset < 0x40) x3_select(m, false, value);
  } else if (offset == 0x3F) {
    x3_select(m, false, value);
  } else if (offset == 0x3E) {
    x3_select(m, true, value);
  } else if ((address & 0x1000) && c->bank[1] && offset >= 0x400 && offset < 0x800) {
    c->xram[c->bank[0] * 1024 + (offset & 0x3FF)] = value;
    return;
  }
  m->tia_write(m, offset & 0x3F, value);
}

/* ---- MC: four 1K slots chosen by four registers ---------------------------------------------------------------- */

/* Index into chip.bytes. An access to the reset vector makes slot 3 show the last block, until the program runs in
 * another slot. */
enum { MC_FORCED = 0 };

static uint8_t mc_access(machine *m, uint16_t offset, bool write, uint8_t value) {
  console *c = m->c;
  if (offset == 0xFFC || offset == 0xFFD) c->chip.bytes[MC_FORCED] = 1;
  if (offset < 0xC00) c->chip.bytes[MC_FORCED] = 0;
  int slot = offset >> 10;
  uint8_t block = slot == 3 && c->chip.bytes[MC_FORCED] ? 0xFF : (uint8_t)c->bank[slot];
  if (block & 0x80) {
    /* an image of less than 128K is at the end of that space */
    uint32_t at = (uint32_t)(block & 0x7F) * 1024 + (offset & 0x3FF), hole = 131072 - m->cart->size;
    return at < hole ? 0 : m->cart->image[at - hole];
  }
  uint32_t at = (uint32_t)(block & 0x3F) * 512 + (offset & 0x1FF);
  if (offset & 0x200) return c->xram[at];
  c->xram[at] = write ? value : 0; /* reading the write port clears the byte */
  return c->xram[at];
}

/* ---- AR: the Supercharger, 6K of memory loaded from tape ------------------------------------------------------- */

/* The reference reads an unrelated memory location here, so its behavior is undefined and cannot be reproduced. This
 * follows the documented device in outline. A load is 8192 bytes and a header of 256. */
typedef struct ar_chip {
  uint8_t config, hold, pending, distance; /* distance: distinct accesses since `hold` was loaded */
  uint16_t last_address;
} ar_chip; /* console_little.c knows its form */

static ar_chip *ar(machine *m) { return (ar_chip *)(void *)m->c->chip.bytes; }

static void ar_load(machine *m) {
  const uint8_t *load = m->cart->image, *header = load + 8192;
  memset(m->c->xram, 0, 6144);
  for (int i = 0; i < header[3] && i < 32; i++) {
    int bank = header[16 + i] & 3, page = (header[16 + i] >> 2) & 7;
    if (bank < 3) memcpy(m->c->xram + bank * 2048 + page * 256, load + i * 256, 256);
  }
  ar(m)->config = header[2];
}

/* Offset into xram of a window's byte, or -1 for the (absent) BIOS. */
static int ar_memory(machine *m, uint16_t offset) {
  static const int8_t low[8] = {2, 0, 2, 0, 2, 1, 2, 1}, high[8] = {-1, -1, 0, 2, -1, -1, 1, 2};
  int setting = (ar(m)->config >> 2) & 7;
  int bank = offset < 0x800 ? low[setting] : high[setting];
  return bank < 0 ? -1 : bank * 2048 + (offset & 0x7FF);
}

static uint8_t ar_access(machine *m, uint16_t offset) {
  ar_chip *chip = ar(m);
  if (offset != chip->last_address) {
    chip->last_address = offset;
    if (chip->distance < 255) chip->distance++;
  }
  int at = ar_memory(m, offset);
  if (offset < 0x100 && !chip->pending) {
    chip->hold = (uint8_t)offset;
    chip->distance = 0;
    chip->pending = 1;
  } else if (offset == 0xFF8) {
    chip->config = chip->hold;
    chip->pending = 0;
  } else if (chip->pending && chip->distance == 5) {
    if ((chip->config & 2) && at >= 0) m->c->xram[at] = chip->hold;
    chip->pending = 0;
  }
  if (at >= 0) return m->c->xram[at];
  /* the BIOS is replaced by a jump to the program's start address */
  const uint8_t *header = m->cart->image + 8192;
  switch (offset) {
    case 0xFFC: return 0x00;
    case 0xFFD: return 0xF8;
    case 0x800: return 0x4C;
    case 0x801: return header[0];
    case 0x802: return header[1];
    default: return 0;
  }
}

/* ---- The window ------------------------------------------------------------------------------------------------ */

static void touch_banked(machine *m, uint16_t offset) {
  int first = first_hotspot(m->cart->type);
  if (offset >= first && offset < first + bank_count(m->cart)) select_bank(m, 0, offset - first);
}

uint8_t cart_read(machine *m, uint16_t address) {
  const cartridge *cart = m->cart;
  console *c = m->c;
  uint16_t offset = address & 0xFFF;
  switch (cart->type) {
    case CART_2K: return cart->image[offset & 0x7FF];
    case CART_4K: return cart->image[offset];
    case CART_F8:
    case CART_F8SW:
    case CART_F8SC:
    case CART_F6:
    case CART_F6SC:
    case CART_F4:
    case CART_F4SC:
    case CART_FASC: {
      int size = superchip_size(cart->type);
      if (offset >= size && offset < 2 * size) return c->xram[offset - size];
      touch_banked(m, offset);
      return cart->image[c->bank[0] * 4096 + offset];
    }
    case CART_DPC: return dpc_read(m, offset);
    case CART_UA: return cart->image[c->bank[0] * 4096 + offset];
    case CART_MB:
      if (offset == 0xFF0) select_bank(m, 0, (c->bank[0] + 1) % 16);
      return cart->image[c->bank[0] * 4096 + offset];
    case CART_FE: return cart->image[((address & 0x2000) ? 0 : 4096) + offset];
    case CART_E0: return e0_read(m, offset);
    case CART_E7: return e7_read(m, offset);
    case CART_3F:
    case CART_3E: return x3_read(m, offset);
    case CART_CV:
      if (offset < 0x400) return c->xram[offset];
      if (cart->size >= 4096) return cart->image[2048 + (offset & 0x7FF)];
      return cart->image[offset & 0x7FF];
    case CART_MC: return mc_access(m, offset, false, 0);
    case CART_AR: return ar_access(m, offset);
    default: return 0;
  }
}

void cart_write(machine *m, uint16_t address, uint8_t value) {
  const cartridge *cart = m->cart;
  console *c = m->c;
  uint16_t offset = address & 0xFFF;
  switch (cart->type) {
    case CART_F8:
    case CART_F8SW:
    case CART_F8SC:
    case CART_F6:
    case CART_F6SC:
    case CART_F4:
    case CART_FASC:
      if (offset < superchip_size(cart->type)) c->xram[offset] = value;
      touch_banked(m, offset);
      break;
    case CART_F4SC: /* the reference compares the unmasked address, so writes never switch banks */
      if (offset < 128) c->xram[offset] = value;
      break;
    case CART_DPC: dpc_write(m, offset, value); break;
    case CART_MB:
      if (offset == 0xFF0) select_bank(m, 0, (c->bank[0] + 1) % 16);
      break;
    case CART_E0: e0_touch(m, offset); break;
    case CART_E7: e7_write(m, offset, value); break;
    case CART_3F:
    case CART_3E: x3_write(m, address, value); break;
    case CART_CV:
      if (offset >= 0x400 && offset < 0x800) c->xram[offset & 0x3FF] = value;
      break;
    case CART_MC: mc_access(m, offset, true, value); break;
    case CART_AR: ar_access(m, offset); break;
    default: break;
  }
}

/* ---- Below the window ------------------------------------------------------------------------------------------ */

static void ua_touch(machine *m, uint16_t address) {
  if ((address & 0x1FFF) == 0x0220) select_bank(m, 0, 0);
  if ((address & 0x1FFF) == 0x0240) select_bank(m, 0, 1);
}

uint8_t cart_read_low(machine *m, uint16_t address) {
  switch (m->cart->type) {
    case CART_UA: ua_touch(m, address); return m->tia_read(m, address & 0x0F);
    case CART_3F:
    case CART_3E: return x3_read(m, address & 0x3F);
    default: return 0;
  }
}

void cart_write_low(machine *m, uint16_t address, uint8_t value) {
  switch (m->cart->type) {
    case CART_UA:
      ua_touch(m, address);
      m->tia_write(m, address & 0x3F, value);
      break;
    case CART_3F:
    case CART_3E: x3_write(m, address & 0x3F, value); break;
    case CART_MC:
      if ((address & 0x3F) >= 0x3C) m->c->bank[(address & 0x3F) - 0x3C] = value;
      break;
    default: break;
  }
}

/* ---- Reset ----------------------------------------------------------------------------------------------------- */

uint32_t cart_reset_draws(const cartridge *cart) {
  /* a CV image of 4K contains the initial contents of the cartridge's memory */
  return cart->type == CART_CV && cart->size >= 4096 ? 0 : cart->xram_size;
}

void cart_reset(machine *m) {
  const cartridge *cart = m->cart;
  console *c = m->c;
  memset(c->bank, 0, sizeof c->bank);
  switch (cart->type) {
    case CART_F8:
    case CART_F8SC:
    case CART_MB: c->bank[0] = 1; break;
    case CART_FASC: c->bank[0] = 2; break;
    case CART_E0: c->bank[0] = 4, c->bank[1] = 5, c->bank[2] = 6; break;
    case CART_DPC: dpc_reset(m); break;
    case CART_MC: memset(c->chip.bytes, 0, sizeof c->chip.bytes); break;
    case CART_AR: memset(c->chip.bytes, 0, sizeof c->chip.bytes); break;
    default: break;
  }
  const uint32_t drawn = cart_reset_draws(cart);
  for (uint32_t i = 0; i < drawn; i++) c->xram[i] = (uint8_t)machine_draw(m);
  if (cart->type == CART_CV && !drawn) memcpy(c->xram, cart->image, 1024);
  if (cart->type == CART_AR) ar_load(m);
  cart_map(m);
}

void cart_rebase(machine *m, int32_t cycles) {
  if (m->cart->type == CART_DPC) m->c->chip.dpc.stamp = cycle_sub(m->c->chip.dpc.stamp, cycles);
}

/* ---- States from outside --------------------------------------------------------------------------------------- */

static bool dpc_fits(const cart_dpc *d) {
  for (int i = 0; i < 8; i++) {
    if (d->counter[i] > 0x7FF || (d->flag[i] != 0x00 && d->flag[i] != 0xFF)) return false;
  }
  for (int i = 0; i < 3; i++) {
    if (d->music[i] > 1) return false;
  }
  return d->fraction > -1 && d->fraction < 1; /* negative if the stamp is in the future */
}

/* What a type keeps in console.chip; the rest of it is 0. */
static bool chip_fits(const cartridge *cart, const console *c) {
  size_t used = 0;
  if (cart->type == CART_DPC) {
    used = sizeof(cart_dpc);
    if (!dpc_fits(&c->chip.dpc)) return false;
  } else if (cart->type == CART_MC) {
    used = MC_FORCED + 1;
    if (c->chip.bytes[MC_FORCED] > 1) return false;
  } else if (cart->type == CART_AR) {
    const ar_chip *chip = (const ar_chip *)(const void *)c->chip.bytes;
    used = sizeof *chip;
    if (chip->pending > 1 || chip->last_address > 0xFFF) return false;
  }
  for (; used < sizeof c->chip.bytes; used++) {
    if (c->chip.bytes[used]) return false;
  }
  return true;
}

bool cart_fits(const cartridge *cart, const console *c) {
  /* how many values each bank register can have */
  uint32_t limits[4] = {(uint32_t)bank_count(cart), 1, 1, 1};
  switch (cart->type) {
    case CART_E0: limits[0] = limits[1] = limits[2] = 8; break;
    case CART_E7: limits[0] = 8, limits[1] = 4; break;
    case CART_MC: limits[0] = limits[1] = limits[2] = limits[3] = 256; break;
    case CART_3F: limits[0] = cart->size / 2048; break;
    case CART_3E:
      limits[0] = c->bank[1] ? 32 : cart->size / 2048;
      limits[1] = 2;
      break;
    default: break;
  }
  for (int i = 0; i < 4; i++) {
    if (c->bank[i] >= limits[i]) return false;
  }
  return chip_fits(cart, c);
}
