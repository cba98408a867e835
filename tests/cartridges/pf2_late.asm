; PF2 at each of the 76 cycles of a line: the delay depends on the phase of the cycle. Copied and mirrored by turns.
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
        lda #$CA
        sta WSYNC
        sta PF2
        lda #$35
        sta WSYNC
        STORE_AT PF2, at
at      SET at + 1
        REPEND
        lda #0
        sta PF2
        END_FRAME 20
        FINISH
