/* The bytes of tapes: numbers, packed actions, and the digest of a second. */
#include "env/tape_code.h"

#include <string.h>
#include <zlib.h>

#include "sixer/players.h"

/* ---- Numbers --------------------------------------------------------------------------------------------------- */

size_t tape_put_varint(uint8_t *out, uint64_t value) {
  size_t n = 0;
  for (; value > 0x7F; value >>= 7) out[n++] = (uint8_t)(value | 0x80);
  out[n++] = (uint8_t)value;
  return n;
}

uint8_t tape_get_byte(tape_bytes *in) {
  if (in->at == in->end) {
    in->bad = true;
    return 0;
  }
  return *in->at++;
}

uint64_t tape_get_varint(tape_bytes *in) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    uint8_t byte = tape_get_byte(in);
    value |= (uint64_t)(byte & 0x7F) << shift;
    if (!(byte & 0x80)) return value;
  }
  in->bad = true;
  return 0;
}

uint32_t tape_get_u32(tape_bytes *in) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++) value |= (uint32_t)tape_get_byte(in) << 8 * i;
  return value;
}

uint16_t tape_get_u16(tape_bytes *in) {
  int low = tape_get_byte(in);
  return (uint16_t)(low | tape_get_byte(in) << 8);
}

uint16_t tape_checksum(const uint8_t *bytes, size_t size) {
  unsigned crc = 0xFFFF;
  for (size_t i = 0; i < size; i++) {
    crc ^= (unsigned)bytes[i] << 8;
    for (int bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
  }
  return (uint16_t)crc;
}

/* ---- Packed actions -------------------------------------------------------------------------------------------- */

enum { GROUP = 15 }; /* 18^15 is just below 2^63 */

/* Bytes that a group of `count` actions needs: each takes log 18 / log 256 = 0.5213 bytes. */
static int group_bytes(int count) {
  uint64_t largest = 1;
  for (int i = 0; i < count; i++) largest *= SIXER_ACTION_COUNT;
  int bytes = 0;
  for (largest--; largest; largest >>= 8) bytes++;
  return bytes;
}

size_t tape_packed_size(int count) {
  return (size_t)(count / GROUP) * 8 + (size_t)group_bytes(count % GROUP);
}

size_t tape_pack(const uint8_t *actions, int count, uint8_t *out) {
  size_t n = 0;
  for (int first = 0; first < count; first += GROUP) {
    int members = count - first < GROUP ? count - first : GROUP;
    uint64_t value = 0;
    for (int i = members - 1; i >= 0; i--) value = value * SIXER_ACTION_COUNT + actions[first + i];
    for (int i = group_bytes(members); i > 0; i--, value >>= 8) out[n++] = (uint8_t)value;
  }
  return n;
}

bool tape_unpack(tape_bytes *in, uint8_t *actions, int count) {
  for (int first = 0; first < count; first += GROUP) {
    int members = count - first < GROUP ? count - first : GROUP, bytes = group_bytes(members);
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint64_t)tape_get_byte(in) << 8 * i;
    for (int i = 0; i < members; i++, value /= SIXER_ACTION_COUNT)
      actions[first + i] = (uint8_t)(value % SIXER_ACTION_COUNT);
    if (value) in->bad = true;
  }
  return !in->bad;
}

/* ---- Digest ---------------------------------------------------------------------------------------------------- */

int tape_frames_per_second(const sixer_env *env) {
  return !strcmp(env->format, "PAL") || !strcmp(env->format, "SECAM") ? 50 : 60;
}

static uint32_t add(uint32_t digest, const void *bytes, size_t size) {
  return (uint32_t)crc32(digest, bytes, (uInt)size);
}

static uint32_t add_number(uint32_t digest, int64_t value) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)((uint64_t)value >> 8 * i);
  return add(digest, bytes, sizeof bytes);
}

uint32_t tape_digest_step(uint32_t digest, const sixer_result *result) {
  digest = add_number(digest, result->reward);
  int flags = result->over | result->terminal << 1 | result->truncated << 2;
  /* a product: lives of -1 must not be shifted */
  return add_number(digest, (int64_t)result->lives * 65536 | result->executed << 8 | flags);
}

uint32_t tape_digest_players(uint32_t digest, const sixer_env *env) {
  if (!env->seated) return digest;
  sixer_players_result r = sixer_env_players_result(env);
  for (int i = 0; i < r.players; i++) {
    digest = add_number(digest, r.reward[i]);
    digest = add_number(digest, (int64_t)r.lives[i] * 65536 | r.executed[i]);
  }
  return digest;
}

uint32_t tape_digest_second(uint32_t digest, sixer_env *env, bool with_screen) {
  sixer_status status = sixer_env_status(env);
  digest = add_number(digest, status.frames);
  digest = add_number(digest, status.episode_frames);
  digest = add_number(digest, status.score);
  digest = add(digest, sixer_env_ram(env), 128);
  /* NULL right after a state without picture was loaded; recording and replay agree on that */
  const uint8_t *screen = with_screen ? sixer_env_screen(env) : NULL;
  return screen ? add(digest, screen, (size_t)sixer_env_height(env) * SCREEN_WIDTH) : digest;
}
