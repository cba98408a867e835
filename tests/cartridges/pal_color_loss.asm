; A PAL program whose frames have 313 lines, and every fourth frame 312: after a frame with an odd number of lines the
; colors are lost (bit 0 of the pixels).
        include "vcs.inc"
        START
        SET_TO $AA, PF1
        SET_TO $56, COLUPF
        SET_TO $F0, GRP0
        SET_TO $8A, COLUP0
frame   BEGIN_FRAME
        LINES 40
        lda #0
        sta VBLANK
        ldy #0
line    sty COLUBK
        sta WSYNC
        sta WSYNC
        iny
        iny
        bne line
        lda FRAME
        and #3
        beq even
        sta WSYNC
even    END_FRAME 11
        FINISH
