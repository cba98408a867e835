/* Turning numbers on big-endian machines: see little.h. */
#include "util/little.h"

static void turn(uint8_t *number, size_t width) {
  for (size_t i = 0; i < width / 2; i++) {
    uint8_t byte = number[i];
    number[i] = number[width - 1 - i];
    number[width - 1 - i] = byte;
  }
}

void little_turn(void *numbers, size_t count, size_t width) {
  if (width > 1) {
    for (size_t i = 0; i < count; i++) turn((uint8_t *)numbers + i * width, width);
  }
}

void little_turn_structs(void *structs, size_t count, size_t size, const little_run *form) {
  for (size_t i = 0; i < count; i++) {
    uint8_t *at = (uint8_t *)structs + i * size;
    for (const little_run *run = form; run->width; run++) {
      little_turn(at, run->count, run->width);
      at += (size_t)run->width * run->count;
    }
  }
}
