; An opcode that stops the processor after some frames: the picture stays and turns gray. Only a reset starts it again.
        include "vcs.inc"
        START
frame   BEGIN_FRAME
        PICTURE
        ldy #100
line    sta WSYNC
        tya
        eor FRAME
        sta COLUBK
        dey
        bne line
        lda FRAME
        cmp #90         ; after the frames of the reset
        bne go_on
        .byte $02
go_on   END_FRAME 60
        FINISH
