; Both missiles: four widths in all eight copy modes (not stretched by modes 5 and 7), moving from frame to frame.
        include "vcs.inc"
        START
        SET_TO $1C, COLUP0
        SET_TO $6C, COLUP1
        SET_TO $D2, COLUBK
        SET_TO $D0, HMM0
        SET_TO $40, HMM1
frame   BEGIN_FRAME
        sta WSYNC
        sta HMOVE
        PICTURE
        ldy #0
mode    sta WSYNC
        tya
        and #7
        sta T0
        tya
        asl
        and #$30
        ora T0
        sta NUSIZ0
        eor #$17
        sta NUSIZ1
        lda #2
        sta ENAM0
        sta WSYNC
        sta WSYNC
        sta ENAM1
        sta WSYNC
        sta WSYNC
        lda #0
        sta ENAM0
        sta WSYNC
        sta ENAM1
        iny
        cpy #32
        bne mode
        END_FRAME 20
        FINISH
