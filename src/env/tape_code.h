/* What the recorder and the reader of tapes share: the bytes of events, the digest, the text of the head. */
#ifndef SIXER_ENV_TAPE_CODE_H
#define SIXER_ENV_TAPE_CODE_H

#include "env/env.h"
#include "sixer/tape.h"

/* A tape is a head of text lines, then seconds:
 *
 *   second = number (varint) | content | digest (2 bytes) | checksum (2 bytes, CRC-16 of all before)
 *
 * The number's two lowest bits are the kind. For events the rest is the length of the content in bytes. For packed
 * actions it is how many there are: groups of 15 are one number in base 18 in 8 bytes, the first action in the
 * lowest digit, the last group in as few bytes as its digits need. For the last second it is the number of all
 * steps, and there is no content. Digests are chained: each goes on from the one before. */
enum { TAPE_EVENTS = 0, TAPE_PACKED = 1, TAPE_LAST = 2 };

/* The bytes of events. 0..215 is a run of up to 12 plain steps: action + 18 * (length - 1). A plain step is one of
 * player A at full strength, with player B idle. */
enum {
  EVENT_RUNS = 216,       /* below it: short runs */
  EVENT_RESET = 216,      /* no content */
  EVENT_FLAVOR = 217,     /* mode (varint), difficulty (byte): of the reset that follows */
  EVENT_STATE = 218,      /* length and compressed length (varints), a saved state by zlib */
  EVENT_RUN = 219,        /* action, length (varint) */
  EVENT_TURN = 220,       /* action, strength of A in 255ths (byte), B idle */
  EVENT_BOTH = 221,       /* actions of A and B, both at full strength */
  EVENT_INPUT = 222,      /* actions of A and B, their strengths (4 bytes each, IEEE) */
  EVENT_LEVELS = 223,     /* first and how many (varints): of this reset and those that follow */
  EVENT_SWITCHES = 224,   /* the console's switches (byte): of the steps from here on */
  EVENT_CUT = 225,        /* frames (varint): after which the one step that follows was cut off */
  EVENT_SEATS = 226,      /* number of players, the action of each, all at full strength */
  EVENT_SEATS_TURN = 227, /* the same, then the strength of each (4 bytes, IEEE) */
  TAPE_MAX_STEPS = 4096,  /* in a second */
  /* A second may have many frames if play went back in time. The recorder ends it after so many frames, of which a
   * reset counts for some; readers refuse far longer ones, so that a few bytes cannot play for hours. */
  TAPE_MAX_FRAMES = 4096,
  TAPE_RESET_FRAMES = 64,
  TAPE_REFUSE_FRAMES = 32768,
  TAPE_MAX_CUT = 10000,     /* frames of a step, as in the settings */
  TAPE_MAX_SECOND = 1 << 20 /* bytes of a second */
};

#define TAPE_MAGIC    "sixer tape 1\n"
#define TAPE_HEAD_SUM "check " /* the last line: CRC-32 of the head before it, in hexadecimal */
#define TAPE_HEAD_END "---\n"
enum { TAPE_MAX_HEAD = 8192 };

/* clang-format off */
/* The settings in the head: kind, field. Real numbers are written in hexadecimal, so they are exact. */
#define TAPE_SETTINGS(X)    \
  X(unsigned, seed)         \
  X(unsigned, system_seed)  \
  X(real, sticky)           \
  X(signed, frame_skip)     \
  X(signed, mode)           \
  X(signed, difficulty)     \
  X(signed, level)          \
  X(signed, levels)         \
  X(signed, max_frames)     \
  X(flag, end_on_life_loss) \
  X(flag, color_averaging)  \
  X(flag, sound)            \
  X(flag, picture)          \
  X(signed, reward_min)     \
  X(signed, reward_max)     \
  X(signed, paddle_min)     \
  X(signed, paddle_max)     \
  X(flag, cycle_cpu)        \
  X(choice, scoring)        \
  X(signed, noop_starts)    \
  X(real, random_action)    \
  X(signed, frame_skip_max) \
  X(signed, delay_max)      \
  X(signed, stuck_limit)

/* These stand in the head only if the rules are those for several players. */
#define TAPE_PLAYER_SETTINGS(X) \
  X(signed, players)            \
  X(dialect, dialect)           \
  X(signed, turn_limit)

/* And this one only if it is not the default. */
#define TAPE_CORRECTION_SETTINGS(X) X(signed, corrections)
/* clang-format on */

/* ---- Bytes ----------------------------------------------------------------------------------------------------- */

size_t tape_put_varint(uint8_t *out, uint64_t value); /* at most 10 bytes */

/* A cursor over bytes that may be anything: reading past the end gives zeros and sets `bad`. */
typedef struct tape_bytes {
  const uint8_t *at, *end;
  bool bad;
} tape_bytes;
uint8_t tape_get_byte(tape_bytes *in);
uint64_t tape_get_varint(tape_bytes *in);
uint32_t tape_get_u32(tape_bytes *in);
uint16_t tape_get_u16(tape_bytes *in);

/* CRC-16 (CCITT): detects every burst of errors of up to 16 bits. */
uint16_t tape_checksum(const uint8_t *bytes, size_t size);

/* Pack plain actions; returns the bytes written, tape_packed_size(count) and at most TAPE_PACKED_MAX(count). Unpack
 * reads them back. */
size_t tape_packed_size(int count);
#define TAPE_PACKED_MAX(count) (((count) / 15 + 1) * 8)
size_t tape_pack(const uint8_t *actions, int count, uint8_t *out);
bool tape_unpack(tape_bytes *in, uint8_t *actions, int count);

/* ---- Digest ---------------------------------------------------------------------------------------------------- */

/* Frames of a second of play on this env's television. */
int tape_frames_per_second(const sixer_env *env);

/* The digest is chained: each second goes on from the digest of the one before. The file has the lower 16 bits of the
 * digest at the end of each second. */
uint32_t tape_digest_step(uint32_t digest, const sixer_result *result);
/* What the other players got in this step, if there are several. */
uint32_t tape_digest_players(uint32_t digest, const sixer_env *env);
uint32_t tape_digest_second(uint32_t digest, sixer_env *env, bool with_screen);

#endif
