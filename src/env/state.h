/* Saved states: their size and layout. */
#ifndef SIXER_ENV_STATE_H
#define SIXER_ENV_STATE_H

#include "env/env.h"

size_t env_state_size(const sixer_rom *rom, int flags);

#endif
