; The beam switched off and on at each cycle of a line, with objects that would collide where it is on.
        include "vcs.inc"
        START
        SET_TO $3A, COLUPF
        SET_TO $94, COLUBK
        SET_TO $AA, PF1
        SET_TO $33, PF2
        SET_TO $0E, COLUP0
        SET_TO $07, NUSIZ0
        SET_TO $FF, GRP0
        sta WSYNC
        SLEEP 40
        sta RESP0
frame   BEGIN_FRAME
        PICTURE
        KEEP_COLLISIONS $80
        lda FRAME
        and #1
        asl
        sta T1
        eor #2
        sta T2
at      SET 0
        REPEAT 76
        lda T1
        sta WSYNC
        sta VBLANK
        lda T2
        sta WSYNC
        STORE_AT VBLANK, at
at      SET at + 1
        REPEND
        KEEP_COLLISIONS $88
        END_FRAME 20
        FINISH
