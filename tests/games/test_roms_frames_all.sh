#!/usr/bin/env bash
# label: whole
# The frame of our own games for long: 100,000 frames in every mode of every game, each of exactly 262 lines.
SIXER_FRAMES=100000 exec "${SIXER_BUILD:-build/release}/tests/test_roms_frames"
