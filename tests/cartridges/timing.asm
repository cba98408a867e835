; Cycles of instructions by the timer: indexed reads with and without a page crossed, branches over page ends, writes and
; read-modify-writes that never pay for it, LAX with its extra cycle.
        include "vcs.inc"
        START
        MAC MEASURE_ON
        lda #200
        sta TIM1T
        ENDM
        MAC MEASURE_OFF ; the time that passed, at {1}
        lda INTIM
        sta {1}
        ENDM
frame   BEGIN_FRAME
        ldx #$10
        ldy #$FF
        lda #$F8
        sta T0
        lda #$FF
        sta T1          ; pointer $FFF8
        MEASURE_ON
        lda $F0F0,x     ; crosses
        MEASURE_OFF $80
        MEASURE_ON
        lda $F0EF,x     ; does not
        MEASURE_OFF $81
        MEASURE_ON
        eor $F101,y
        MEASURE_OFF $82
        MEASURE_ON
        cmp $F100,y
        MEASURE_OFF $83
        MEASURE_ON
        lda (T0),y
        MEASURE_OFF $84
        MEASURE_ON
        sta $F0F0,x     ; writes never pay
        MEASURE_OFF $85
        MEASURE_ON
        inc $F0F0,x
        MEASURE_OFF $86
        MEASURE_ON
        .byte $A7, $90  ; LAX zp
        MEASURE_OFF $87
        MEASURE_ON
        .byte $BF, $01, $F1     ; LAX abs,Y
        MEASURE_OFF $88
        MEASURE_ON
        .byte $1C, $F0, $F0     ; NOP abs,X
        MEASURE_OFF $89
        MEASURE_ON
        .byte $BB, $01, $F1     ; LAS abs,Y
        MEASURE_OFF $8A
        ldx #$FF
        txs
        MEASURE_ON
        clc
        bcs never
never   bcc near
near    MEASURE_OFF $8B
        jmp far_test
        org $F1F0
far_test
        MEASURE_ON
        clc
        bcc over        ; taken, to another page
        org $F203
over    MEASURE_OFF $8C
        MEASURE_ON
        jsr return
        MEASURE_OFF $8D
        MEASURE_ON
        php
        pla
        pha
        plp
        MEASURE_OFF $8E
        MEASURE_ON
        jmp (vector)
vector  .word next
next    MEASURE_OFF $8F
        PICTURE
        ldx #15
show    lda $80,x
        sta COLUBK
        stx T2
        LINES 10
        ldx T2
        dex
        bpl show
        END_FRAME 40
return  rts
        FINISH
