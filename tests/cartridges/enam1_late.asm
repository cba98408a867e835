; ENAM1 at each cycle of a line, on and off, over objects drawn from the middle of the line on.
        include "vcs.inc"
        START
        SET_TO $0E, COLUP0
        SET_TO $2E, COLUP1
        SET_TO $8E, COLUPF
        SET_TO $D2, COLUBK
        SET_TO $37, NUSIZ0
        SET_TO $36, NUSIZ1
        SET_TO $30, CTRLPF
        sta WSYNC
        SLEEP 22
        sta RESP0
        sta RESP1
        sta RESM0
        sta RESM1
        sta RESBL
frame   BEGIN_FRAME
        lda FRAME
        and #1
        beq fall
        lda #$02
fall    sta T1
        eor #$02
        sta T2
        PICTURE
at      SET 0
        REPEAT 76
        lda T1
        sta WSYNC
        sta ENAM1
        lda T2
        sta WSYNC
        STORE_AT ENAM1, at
at      SET at + 1
        REPEND
        END_FRAME 20
        FINISH
