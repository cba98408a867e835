/* TIA sound: two channels of shift registers. */
#ifndef SIXER_MACHINE_AUDIO_H
#define SIXER_MACHINE_AUDIO_H

#include <stdint.h>

typedef struct audio_channel {
  uint8_t poly4, poly5, counter;
} audio_channel;

typedef struct audio_state {
  audio_channel channel[2];
} audio_state;

void audio_init(audio_state *audio);

/* Make samples with fixed registers (AUDC0, AUDC1, AUDF0, AUDF1, AUDV0, AUDV1): one per audio clock, unsigned. */
void audio_samples(audio_state *audio, const uint8_t registers[6], uint8_t *samples, int count);

#endif
