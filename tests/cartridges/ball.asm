; The ball: four widths, moving, over the playfield and outside it, with its delayed enable.
        include "vcs.inc"
        START
        SET_TO $FC, COLUPF
        SET_TO $A2, COLUBK
        SET_TO $90, HMBL
        SET_TO $81, PF1
frame   BEGIN_FRAME
        sta WSYNC
        sta HMOVE
        PICTURE
        ldy #0
mode    sta WSYNC
        tya
        and #3
        asl
        asl
        asl
        asl
        sta CTRLPF
        lda FRAME
        lsr
        lsr
        sta VDELBL
        lda #2
        sta ENABL
        LINES 2
        sty GRP1                ; the delayed enable follows
        LINES 2
        lda #0
        sta ENABL
        LINES 2
        sty GRP0                ; this one does not move it
        LINES 1
        sty GRP1
        iny
        cpy #24
        bne mode
        END_FRAME 20
        FINISH
