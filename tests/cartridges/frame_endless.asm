; No VSYNC at all: every frame is cut after the limit of lines, by the first write that comes then.
        include "vcs.inc"
        START
frame   inc FRAME
        ldx #97
line    stx COLUBK
        txa
        adc FRAME
        sta COLUPF
        sta PF1
        ldy #30
wait    dey
        bne wait
        dex
        bne line
        jmp frame
        FINISH
