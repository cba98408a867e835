/* A cartridge for tests that need no game: 248 lines whose color follows the stick, and two bytes of memory that depend
 * on every position the stick ever had. */
#ifndef TESTS_STICK_CARTRIDGE_H
#define TESTS_STICK_CARTRIDGE_H

#include <string.h>

#include "sixer/sixer.h"

static inline void stick_cartridge_image(uint8_t image[4096]) {
  static const uint8_t program[] = {
      0x78, 0xD8, 0xA2, 0xFF, 0x9A,       /*       SEI CLD LDX #$FF TXS */
      0xA9, 0x02, 0x85, 0x00,             /* frame LDA #2 STA VSYNC */
      0x85, 0x02, 0x85, 0x02, 0x85, 0x02, /*       STA WSYNC, three times */
      0xA9, 0x00, 0x85, 0x00,             /*       LDA #0 STA VSYNC */
      0xA2, 0xF8,                         /*       LDX #248 */
      0x85, 0x02,                         /* line  STA WSYNC */
      0xAD, 0x80, 0x02, 0x45, 0x81,       /*       LDA SWCHA EOR $81 */
      0x85, 0x09,                         /*       STA COLUBK */
      0xCA, 0xD0, 0xF4,                   /*       DEX BNE line */
      0xE6, 0x80,                         /*       INC $80 */
      0xAD, 0x80, 0x02, 0x18, 0x65, 0x80, /*       LDA SWCHA CLC ADC $80 */
      0x2A, 0x45, 0x81, 0x85, 0x81,       /*       ROL EOR $81 STA $81 */
      0x4C, 0x05, 0xF0};                  /*       JMP frame */
  memset(image, 0xEA, 4096);
  memcpy(image, program, sizeof program);
  image[0xFFC] = 0x00;
  image[0xFFD] = 0xF0;
}

static inline sixer_err stick_cartridge_open(const char *rules, sixer_rom **rom,
                                             sixer_error *error) {
  uint8_t image[4096];
  stick_cartridge_image(image);
  return sixer_rom_create(image, sizeof image, "scene", rules, rom, error);
}

#endif
