; The dumped inputs: what INPT0 to INPT3 read, line after line, while the capacitors are held empty and after they are
; let go. With joysticks nothing charges.
        include "vcs.inc"
        START
frame   BEGIN_FRAME
        lda #$82
        sta VBLANK
        LINES 10
        ldx #3
held    lda INPT0,x
        and #$80
        sta $90,x
        dex
        bpl held
        lda #$02
        sta VBLANK      ; charge
        LINES 24
        lda #0
        sta VBLANK
        ldx #3
        lda #0
clear   sta $80,x
        dex
        bpl clear
        ldy #180
line    sta WSYNC
        ldx #3
sample  lda INPT0,x
        bpl low
        inc $80,x
low     dex
        bpl sample
        lda $80
        sta COLUBK
        dey
        bne line
        lda FRAME
        and #3
        beq hold
        END_FRAME 20
hold    lda #$82
        sta VBLANK
        END_FRAME 20
        FINISH
