; A timer that runs over the end of a frame (the reference counts cycles from there anew), in each interval, read once
; a frame before and after it runs out.
        include "vcs.inc"
        START
frame   BEGIN_FRAME
        lda FRAME
        and #15
        bne running
        lda FRAME
        lsr
        lsr
        lsr
        lsr
        and #3
        tay
        lda #200
        sta TIM1T,y
running PICTURE
        lda INTIM
        sta $80
        lda INSTAT
        sta $81
        LINES 100
        lda FRAME
        and #3
        bne skip
        lda INTIM
        sta $82
skip    lda INSTAT
        sta $83
        lda INTIM
        sta $84
        sta COLUBK
        LINES 80
        END_FRAME 20
        FINISH
