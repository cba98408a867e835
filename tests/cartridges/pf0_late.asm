; PF0 at each of the 76 cycles of a line: the delay depends on the phase of the cycle. Copied and mirrored by turns.
        include "vcs.inc"
        START
        SET_TO $2E, COLUPF
        SET_TO $92, COLUBK
frame   BEGIN_FRAME
        lda FRAME
        and #1
        sta CTRLPF
        PICTURE
at      SET 0
        REPEAT 76
        lda #$00
        sta WSYNC
        sta PF0
        lda #$F0
        sta WSYNC
        STORE_AT PF0, at
at      SET at + 1
        REPEND
        lda #0
        sta PF0
        END_FRAME 20
        FINISH
