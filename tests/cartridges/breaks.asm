; BRK and RTI, JMP (indirect) at a page end, PHP and PLP with bits 4 and 5, RTS and JSR at the wrap of the stack.
        include "vcs.inc"
        START
frame   BEGIN_FRAME
        lda FRAME
        sta $80
        sed
        sec
        brk
        .byte $EA
        php
        pla
        sta $81
        cld
        lda #$FF
        pha
        plp
        php
        pla
        sta $82
        lda #0
        pha
        plp
        php
        pla
        sta $83
        cld
        jmp ($F4FF)     ; low byte from $F4FF, high byte from $F400
wrong   lda #1
        sta $84
        jmp on
right   lda #2
        sta $84
on      ldx #$FF
        txs
        inx
        txs             ; SP = 0: the next push goes to $0100 and wraps
        jsr leaf
        tsx
        stx $85
        ldx #$FF
        txs
        PICTURE
        lda $84
        sta COLUBK
        LINES 190
        END_FRAME 20
leaf    tsx
        stx $86
        ldx #$FF
        txs
        lda #>[after_leaf-1]
        pha
        lda #<[after_leaf-1]
        pha
        rts
after_leaf = on + 8     ; after the call
handler php
        pla
        sta $87
        tsx
        lda $02,x
        sta $88
        inc $89
        rti
        org $F400
        .byte >right
        org $F4FF
        .byte <right
        .byte >wrong
        org $FFFA
        .word start
        .word start
        .word handler
