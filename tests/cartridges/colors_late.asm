; The four color registers at each cycle of a line: seen at once.
        include "vcs.inc"
        START
        SET_TO $CC, PF1
        SET_TO $F0, PF0
        SET_TO $FF, GRP0
        SET_TO $FF, GRP1
        SET_TO $03, NUSIZ0
        SET_TO $06, NUSIZ1
        sta WSYNC
        SLEEP 30
        sta RESP0
        SLEEP 6
        sta RESP1
frame   BEGIN_FRAME
        PICTURE
        lda FRAME
        and #3
        clc
        adc #COLUP0
        tax             ; which register, by frame
        ldy #$56
at      SET 0
        REPEAT 76
        lda #$1C
        sta WSYNC
        sta $00,x
        tya
        sta WSYNC
        IF at != 1
        SLEEP at
        ENDIF
        sta $00,x       ; 4 cycles
at      SET at + 1
        REPEND
        END_FRAME 20
        FINISH
