; Undriven bits: the low six bits of a TIA read are the last byte on the bus, which depends on how the address was
; formed. Pointers at the end of page zero are read without wrapping.
        include "vcs.inc"
        START
frame   BEGIN_FRAME
        ldx #2
        ldy #1
        lda CXM0P
        sta $80
        lda $30
        sta $81
        lda $0130
        sta $82
        lda CXM0P,x
        sta $83
        lda $0030,x
        sta $84
        lda $2F3F,y     ; address $2F40: another mirror
        sta $85
        lda #$0E
        sta T0
        lda #$1F
        sta T1
        dec T1          ; pointer $1E0E: cartridge
        lda (T0),y
        sta $86
        lda #$00
        sta T1
        lda (T0),y      ; TIA through a pointer
        sta $87
        lda #$40
        sta T1
        lda (T0),y
        sta $88
        lda $2E,x       ; wraps nowhere: register 0
        sta $89
        lda $FE,x       ; wraps to 0
        sta $8A
        lda $FF
        sta T2
        lda FRAME
        sta $FF
        ldx #$0F
        lda ($F0,x)     ; pointer at $FF: its high byte comes from $0100, the TIA
        sta $8B
        lda ($FF),y
        sta $8C
        lda T2
        sta $FF
        bit INPT4
        php
        pla
        sta $8D
        .byte $0C, $3F, $00     ; NOP $003F
        lda $1C
        sta $8E
        PICTURE
        ldx #14
show    lda $80,x
        sta COLUBK
        stx T2
        LINES 10
        ldx T2
        dex
        bpl show
        END_FRAME 40
        FINISH
