/* The Atari 2600: what its parts hold and how they are driven.
 *
 * A `cartridge` is what never changes: the image and how its type wires it. A `console` is everything that changes
 * when time passes, one plain struct without pointers: copying it copies the machine. A `machine` binds the two to
 * inputs and outputs: switches and sticks, the picture, the sound registers. Nothing here allocates, prints or looks
 * at the clock on the wall.
 *
 * The machine modeled is the one of the reference emulator, not the hardware: docs/console.md has every rule.
 * Units: 1 processor cycle = 3 color clocks; a scanline is 228 clocks = 76 cycles, of which clocks 0..67 are blank
 * and 68..227 show pixels 0..159. */
#ifndef SIXER_MACHINE_MACHINE_H
#define SIXER_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/tia_frame.h" /* SCREEN_MAX_LINES, too */
#include "util/mt19937.h"

enum {
  SCREEN_WIDTH = 160,
  LINE_CLOCKS = 228,
  LINE_CYCLES = LINE_CLOCKS / 3,
  LINE_BLANK = 68,            /* clocks of horizontal blank at the start of a line */
  FRAME_INSTRUCTIONS = 25000, /* a frame is interrupted after so many instructions */
  ENDLESS_CYCLES =
      1 << 24, /* a frame that has so many is counted from a later line (tia_begin_frame) */
  NEVER = 0x7FFFFFFF
};

/* ---- Cartridges: cart.c ---------------------------------------------------------------------------------------- */

typedef enum cart_type {
  CART_UNKNOWN,
  CART_2K,
  CART_4K,
  CART_F8,
  CART_F8SW,
  CART_F8SC,
  CART_F6,
  CART_F6SC,
  CART_F4,
  CART_F4SC,
  CART_FASC,
  CART_FE,
  CART_E0,
  CART_E7,
  CART_3F,
  CART_3E,
  CART_DPC,
  CART_UA,
  CART_CV,
  CART_MB,
  CART_MC,
  CART_AR,
  CART_TYPES
} cart_type;

enum {
  CART_PAGES = 64,
  CART_PAGE_SHIFT = 6,
  CART_MAX_BANKS = 16,
  CART_MAX_IMAGE = 524288,
  CART_MAX_XRAM = 32768
};

typedef struct cartridge {
  const uint8_t *image; /* owned by whoever made the cartridge */
  uint32_t size;
  cart_type type;
  uint32_t xram_size; /* bytes of memory on the cartridge */
  /* For types whose 4K window shows one bank at a time: where each 64-byte page of each bank can be read without the
   * cartridge noticing; NULL where it would (hotspots, memory). */
  const uint8_t *pages[CART_MAX_BANKS][CART_PAGES];
} cartridge;

/* The type of an image by its contents (CART_UNKNOWN if none fits), by name, and the name of a type. */
cart_type cart_detect(const uint8_t *image, uint32_t size, const char *md5_hex);
cart_type cart_type_by_name(const char *name);
const char *cart_type_name(cart_type type);

/* Wire an image. False if the type cannot work with so many bytes. */
bool cart_wire(cartridge *cart, const uint8_t *image, uint32_t size, cart_type type);

/* ---- State ----------------------------------------------------------------------------------------------------- */

/* The display chip of Pitfall II: eight data fetchers over 2K of graphics, three of which can make music. */
typedef struct cart_dpc {
  uint16_t counter[8];
  uint8_t top[8], bottom[8], flag[8];
  uint8_t music[3]; /* fetchers 5, 6, 7 */
  uint8_t random;
  int32_t stamp;   /* cycle of the last music update */
  double fraction; /* of a music clock */
} cart_dpc;

/* Objects of the TIA, in the order of their position registers and of enable and collision bits. */
enum { P0, P1, M0, M1, BL, PF };

/* Collision latches: bit 2k is bit 6 and bit 2k+1 is bit 7 of read register k. */
enum {
  CX_M0P0 = 1 << 0,
  CX_M0P1 = 1 << 1,
  CX_M1P1 = 1 << 2,
  CX_M1P0 = 1 << 3,
  CX_P0BL = 1 << 4,
  CX_P0PF = 1 << 5,
  CX_P1BL = 1 << 6,
  CX_P1PF = 1 << 7,
  CX_M0BL = 1 << 8,
  CX_M0PF = 1 << 9,
  CX_M1BL = 1 << 10,
  CX_M1PF = 1 << 11,
  CX_BLPF = 1 << 13,
  CX_M0M1 = 1 << 14,
  CX_P0P1 = 1 << 15
};

/* How missile 0 is drawn while the Cosmic Ark effect runs. */
enum { STAR_NORMAL, STAR_WIDE, STAR_HIDDEN };

/* What decides the pixels to the right of the beam. Kept together and small because the fast TIA copies and compares
 * it; only values that show are in it. */
typedef struct tia_look {
  uint8_t pos[5];     /* first pixel of each object, 0..159 */
  uint8_t color[4];   /* P0, P1, playfield and ball, background */
  uint8_t graphic[2]; /* of the players as displayed: delayed and reflected already */
  uint8_t nusiz[2];   /* bits 0..2 copies and width, bits 4..5 missile width */
  /* CTRLPF: bit 1 score, bit 2 priority, bits 4..5 ball width. Bit 0 is `reflect`. */
  uint8_t ctrl;
  uint8_t blank;      /* HMOVE was strobed: pixels 0..7 of this line are black */
  uint8_t vblank;     /* the beam is off: everything is black and nothing collides */
  uint8_t enabled;    /* bits M0, M1, BL: missiles and ball as displayed */
  uint8_t reflect;    /* the right half of the playfield is mirrored */
  uint8_t skip_first; /* bit n: player n's first copy is not drawn until the line ends */
  uint8_t star;       /* STAR_ how missile 0 is drawn */
  uint8_t pf[3];      /* PF0 (bits 4..7), PF1, PF2 */
  /* The machine does not blank after HMOVE. Set by the fast TIA while a frame runs, 0 in states: machines with and
   * without it share working memory, and what is known of a line of one does not hold for the other. */
  uint8_t no_blanks;
} tia_look;
enum { COLOR_P0, COLOR_P1, COLOR_PF, COLOR_BK };

typedef struct tia_state {
  int32_t frame_start;  /* clock at which line 0 of this frame began, <= 0 after a frame's start */
  int32_t last;         /* clock up to which the picture is drawn */
  int32_t to_end;       /* clocks left in the line of `last` */
  int32_t vsync_ready;  /* clock from which clearing VSYNC ends the frame; NEVER: it was not set */
  int32_t last_hmove;   /* clock of the last HMOVE */
  int32_t dump_off;     /* cycle at which the paddle capacitors began to charge */
  uint32_t row;         /* pixel of the picture buffer to be drawn next */
  uint16_t frame_lines; /* of the last complete frame */
  uint16_t collisions;  /* CX_ latches */
  /* The 48 bytes from here to star_count are what a line depends on and changes; their order matters to the fast TIA
   * (tia_work.h, docs/fast-core.md) and to saved states. */
  uint8_t hm[5], refp[2];
  tia_look look;
  uint8_t grp[2], old_grp[2];
  uint8_t vdel[2], vdel_bl, resmp[2], enam[2], enabl, old_enabl;
  uint8_t ctrlpf;
  uint8_t vblank; /* the register */
  uint8_t star_on, star_count;
  uint8_t dump;    /* paddle capacitors are held empty */
  uint8_t partial; /* the frame was interrupted and will be continued */
  uint8_t grayed;  /* its undrawn rows were dimmed already */
  uint8_t pad[3];
} tia_state;

typedef struct riot_state {
  int32_t set_cycle, read_cycle; /* when the timer was written, and first read after it expired */
  uint8_t value, shift;          /* as written; the interval is 1 << shift cycles */
  uint8_t read_after;            /* it was read after it expired */
  uint8_t ddra;
} riot_state;

typedef struct console {
  int32_t cycles; /* since the frame's reset of the counter */
  uint16_t pc;
  uint8_t a, x, y, sp;
  uint8_t p;         /* status: N V 1 B D I Z C; bits 4 and 5 always set */
  uint8_t bus;       /* last byte on the data bus */
  uint8_t jammed;    /* an opcode stopped the processor until the next reset */
  uint8_t last_read; /* the processor's last access was a read */
  uint8_t pad[2];
  uint64_t draws; /* of the system generator since power-on */
  riot_state riot;
  tia_state tia;
  uint16_t bank[4]; /* what the cartridge's windows show, by type */
  union {
    cart_dpc dpc;
    uint8_t bytes[72];
  } chip;
  uint8_t ram[128];
  uint8_t xram[]; /* cartridge->xram_size bytes */
} console;

/* ---- Machine --------------------------------------------------------------------------------------------------- */

enum { OHMS_INFINITE = -1 };

/* What is plugged in, as the chips see it. */
typedef struct console_input {
  uint8_t swcha, swchb; /* ports, 0 = pressed */
  uint8_t fire[2];      /* INPT4, INPT5 bit 7: 0x80 = released */
  int32_t ohms[4];      /* at INPT0..3 */
} console_input;

typedef struct machine_config {
  int32_t first_line, lines; /* the visible window */
  int32_t max_lines;         /* a frame is cut after so many: 290, or 342 for PAL */
  bool color_loss;           /* PAL: odd frames lose their color */
  bool hmove_blanks;
  bool cycle_cpu; /* the reference's other processor */
} machine_config;

/* The objects of a frame as boxes (tia_objects.c), in the order of their first lines. */
enum { OBJECTS_MAX = 64 };

typedef struct tia_object {
  int16_t kind; /* P0, P1, M0, M1 or BL */
  int16_t x, y, width, height;
  int16_t color; /* of the first line */
} tia_object;

/* A box that may go on in the next line. */
typedef struct tia_object_run {
  int16_t index, last, x; /* of the box, and where it was last */
  int16_t lines;          /* 0: there is none */
} tia_object_run;

typedef struct tia_objects {
  int count; /* of the frame; those from OBJECTS_MAX on are counted only */
  tia_object at[OBJECTS_MAX];
  /* By object; three copies, and their parts that wrap around to the left edge. */
  tia_object_run runs[5][6];
} tia_objects;

/* What made a pixel, as the plain TIA notes it: bits 0..5 the objects that are lit (1 << P0 .. 1 << PF), bits 8..11 the
 * one that is seen (or one of these), bits 12..13 whose color it has (COLOR_P0 .. COLOR_BK). */
enum { NOTE_BACKGROUND = 6, NOTE_BLANK = 7 };

typedef struct machine {
  const cartridge *cart;
  machine_config config;
  console_input input;
  mt19937 rng;        /* the system generator ... */
  uint64_t rng_draws; /* ... after so many draws; it catches up with console.draws */
  uint32_t rng_seed;
  uint8_t audio[6];      /* AUDC0, AUDC1, AUDF0, AUDF1, AUDV0, AUDV1 */
  uint8_t current;       /* which picture is being drawn */
  bool stop;             /* end the frame after this instruction */
  uint8_t *picture[2];   /* SCREEN_WIDTH * SCREEN_MAX_LINES bytes each; read by machine_picture() */
  struct tia_work *work; /* of the fast TIA; NULL for the plain one */
  tia_frame frame;       /* these three belong to the fast TIA */
  tia_beam beam;
  tia_hints hints;
  const uint8_t *const *pages; /* cartridge pages that can be read directly, as the banks are now */
  const uint8_t *own_pages[CART_PAGES]; /* where `pages` points for types with several windows */
  const uint8_t *tail;  /* the last page, of which only the first bytes can be read directly ... */
  int tail_size;        /* ... this many */
  tia_objects *objects; /* where objects are noted; NULL: nobody asks */
  uint16_t *notes;      /* where the plain TIA notes what made each pixel; NULL: nobody asks */
  bool draw;            /* pictures are wanted (fast TIA) */
  bool
      hold_endless; /* rewind an endless frame instead of running it to its end, and clear this (fast TIA) */
  bool tia_direct; /* writes to TIA addresses concern nobody else */
  /* The TIA of the core in use, for cartridges that pass accesses on to it. */
  uint8_t (*tia_read)(struct machine *m, uint16_t address);
  void (*tia_write)(struct machine *m, uint16_t address, uint8_t value);
  /* What translated code keeps while it runs (jit.c). */
  struct jit *jit;
  struct {
    uint32_t carry; /* 0 or 1 */
    uint32_t nz;    /* as in interp.c */
    uint8_t v, rest;
    uint32_t crossed; /* cycles that an index added to the address of the access under way */
  } run;
  console *c;
} machine;

/* The difference of two times. A program may leave a timer alone for hours, so times that a console remembers may be
 * any 32 bits: differences wrap around, as they do in the reference. */
static inline int32_t cycle_sub(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a - (uint32_t)b);
}

/* A core runs one frame, or the rest of an interrupted one. All three give the same bytes. */
typedef void machine_core(machine *m);
machine_core machine_frame_plain, machine_frame_interp, machine_frame_jit;

/* Connect the parts that the core uses; once, before anything else. */
void machine_attach(machine *m, machine_core *core);

/* The console's bytes were replaced: derive from them what is kept beside them. */
void machine_restored(machine *m);

/* The pixels of a picture were replaced. */
void machine_picture_replaced(machine *m, int which);

/* Can these bytes be the console of this machine? For states that come from outside: one that fits could have been left
 * by a frame of some program (console_check.c). */
bool machine_fits(const machine *m, const console *c);

/* Turn a console, as bytes, from the machine's byte order into that of saved states, or back (util/little.h). */
void console_little(const cartridge *cart, void *console_bytes);

/* Bring a console of saved-state layout 1 into the present layout. */
void console_from_layout_1(console *c);

/* Make `to` the equal of `from`: console, inputs, settings and generator. Pictures, working memory, translator and the
 * place for objects stay its own. Both must have the same cartridge. */
void machine_copy(machine *to, const machine *from);

/* The fast cores need working memory while they run frames. Nothing in it is state, so the machines of one thread may
 * share it: it caches lines by their contents. The plain core does without (NULL).
 * machine_work_init() makes it, for so many of them, in zeroed memory of machine_work_size() bytes, aligned to 64. */
size_t machine_work_size(int machines);
void machine_work_init(struct tia_work *work, int machines);

/* Draw into these two buffers (SCREEN_WIDTH * SCREEN_MAX_LINES bytes each), with this working memory, from now on. */
void machine_lend(machine *m, uint8_t *const picture[2], struct tia_work *work);

/* One of the two pictures with all its pixels. The fast cores put pixels of a row into it only here; until then they
 * may be elsewhere. */
uint8_t *machine_picture(const machine *m, int which);

/* A picture row by row, without waiting for pixels that nobody looks at. `stamps` has a number for each row: among all
 * pictures drawn with the same working memory, rows with equal numbers have equal pixels; 0 says nothing. They hold
 * until another frame is drawn into this picture. A picture that is not one of the machine's has none (NULL). */
typedef struct machine_rows {
  const uint8_t *pixels; /* of the picture */
  const uint32_t *stamps;
  const uint16_t *waits; /* rows whose pixels are elsewhere: 1 and more */
  const uint8_t *lines;  /* where they are then ... */
  size_t line_size;      /* ... and how far apart */
} machine_rows;
machine_rows machine_rows_of(const machine *m, const uint8_t *picture);
static inline const uint8_t *machine_row(const machine_rows *r, int y) {
  return r->waits && r->waits[y] ? r->lines + (r->waits[y] - 1) * r->line_size
                                 : r->pixels + y * SCREEN_WIDTH;
}

/* The highest of these numbers so far. They grow and are below MACHINE_STAMPS. After some hours they start again from
 * 1: a caller that sees this one become smaller forgets what it knows by number. */
#define MACHINE_STAMPS ((uint32_t)1 << 31)
uint32_t machine_newest_stamp(const machine *m);

/* Power on: fill memory from the generator, as when the console is built. Then machine_reset. */
void machine_power_on(machine *m, uint32_t system_seed);
void machine_reset(machine *m);

/* Set the cycle counter back to 0 and everything that remembers a cycle with it. */
void machine_rebase(machine *m);

/* Subtract so many cycles from the counter and from everything that remembers a cycle. */
void machine_move_origin(machine *m, int32_t cycles);

/* Take one draw of the system generator. */
uint32_t machine_draw(machine *m);

/* Read and write as the processor would: the environment's own accesses. */
uint8_t machine_peek(machine *m, uint16_t address);
void machine_poke(machine *m, uint16_t address, uint8_t value);

/* Scanlines since the frame began. */
int machine_scanlines(const machine *m);

#endif
