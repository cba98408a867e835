/* TIA sound. Each channel divides the audio clock by AUDF + 1 and then steps its shift registers in one of sixteen
 * ways, chosen by AUDC. Bit 3 of the 4-bit register is the output, AUDV its level. The registers are stored in bytes
 * that keep the bits shifted out, because some ways use bit 5 of the 5-bit register. */
#include "machine/audio.h"

#include <stdbool.h>

void audio_init(audio_state *audio) {
  for (int i = 0; i < 2; i++) audio->channel[i] = (audio_channel){1, 1, 0};
}

static int bit(uint8_t value, int index) { return value >> index & 1; }

static void poly5(audio_channel *c) {
  c->poly5 =
      (uint8_t)((c->poly5 & 0x1F) ? c->poly5 << 1 | (bit(c->poly5, 4) ^ bit(c->poly5, 2)) : 1);
}
static void poly4(audio_channel *c) {
  c->poly4 =
      (uint8_t)((c->poly4 & 0x0F) ? c->poly4 << 1 | (bit(c->poly4, 3) ^ bit(c->poly4, 2)) : 1);
}
static void div2(audio_channel *c) { c->poly4 = (uint8_t)(c->poly4 << 1 | !(c->poly4 & 1)); }
static void div6(audio_channel *c) {
  int in = !bit(c->poly4, 2) && (c->poly4 & 7);
  c->poly4 = (uint8_t)((uint8_t)~c->poly4 << 1 | in);
}

static void clock_channel(audio_channel *c, int control) {
  /* of 31 clocks, 2, 6, A and E use 2; 3, 7 and F use 16 */
  bool div31 = false, gate = false;
  switch (control) {
    case 0x2:
    case 0x6:
    case 0xA:
    case 0xE:
    case 0x3:
    case 0x7:
    case 0x9:
    case 0xF:
      poly5(c);
      div31 = (c->poly5 & 0x0F) == 8;
      gate = bit(c->poly5, 4);
      break;
    default: break;
  }
  switch (control) {
    case 0x0:
    case 0xB: c->poly4 = (uint8_t)(c->poly4 << 1 | 1); break;
    case 0x1: poly4(c); break;
    case 0x2:
      if (div31) poly4(c);
      break;
    case 0x3:
      if (gate) poly4(c);
      break;
    case 0x4:
    case 0x5: div2(c); break;
    case 0x6:
      if (div31) div2(c);
      break;
    case 0x7:
      if (gate) div2(c);
      break;
    case 0x8: /* both registers together are one of nine bits */
      c->poly5 = (uint8_t)((c->poly5 & 0x1F) || (c->poly4 & 0x0F)
                               ? c->poly5 << 1 | (bit(c->poly4, 3) ^ bit(c->poly5, 4))
                               : 1);
      c->poly4 = (uint8_t)(c->poly4 << 1 | bit(c->poly5, 5));
      break;
    case 0x9: c->poly4 = (uint8_t)(c->poly4 << 1 | bit(c->poly5, 5)); break;
    case 0xA:
      if (div31) c->poly4 = (uint8_t)(c->poly4 << 1 | bit(c->poly5, 4));
      break;
    case 0xC:
    case 0xD: div6(c); break;
    case 0xE:
      if (div31) div6(c);
      break;
    default:
      if (gate) div6(c);
      break; /* F */
  }
}

void audio_samples(audio_state *audio, const uint8_t registers[6], uint8_t *samples, int count) {
  for (int i = 0; i < count; i++) {
    int level = 128;
    for (int n = 0; n < 2; n++) {
      audio_channel *c = &audio->channel[n];
      int control = registers[n] & 15, frequency = registers[2 + n] & 31,
          volume = registers[4 + n] & 15;
      if (++c->counter > frequency) {
        c->counter = 0;
        clock_channel(c, control);
      }
      if (bit(c->poly4, 3)) level += 4 * volume;
    }
    samples[i] = (uint8_t)level;
  }
}
