; VSYNC held for less than a line does not end a frame; set again it starts to count again; cleared twice it ends once.
        include "vcs.inc"
        START
frame   inc FRAME
        LINES 100
        lda #2
        sta VSYNC
        SLEEP 60
        lda #0
        sta VSYNC       ; too short
        lda FRAME
        sta COLUBK
        LINES 60
        lda #2
        sta VSYNC
        sta WSYNC
        SLEEP 30
        sta VSYNC       ; starts again
        SLEEP 20
        lda #0
        sta VSYNC       ; again too short
        LINES 50
        lda #2
        sta VSYNC
        lda FRAME
        and #$3F
        tax
        inx
hold    SLEEP 5
        dex
        bne hold        ; ends at varying cycles of a line
        sta WSYNC
        lda #0
        sta VSYNC
        sta VSYNC
        jmp frame
        FINISH
