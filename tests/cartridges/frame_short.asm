; Frames with few lines, 60 to 250 by turns: rows that are not reached keep what their buffer held two frames before.
        include "vcs.inc"
        START
frame   BEGIN_FRAME
        PICTURE
        lda FRAME
        asl
        asl
        asl
        asl
        and #$F0
        adc #26
        tay
line    sta WSYNC
        tya
        eor FRAME
        sta COLUBK
        dey
        bne line
        jmp frame
        FINISH
