; Frames of 300 and more lines by turns with ordinary ones. Beyond the limit the next write to the TIA ends the frame,
; on whatever line and cycle it comes; the picture then starts in the middle of the program.
        include "vcs.inc"
        START
        SET_TO $FF, PF2
frame   BEGIN_FRAME
        PICTURE
        lda FRAME
        and #7
        tay
        iny
block   ldx #40
line    sta WSYNC
        txa
        eor FRAME
        sta COLUBK
        sty COLUPF
        dex
        bne line
        dey
        bne block
        jmp frame
        FINISH
