; The timer with all four intervals: read at intervals that drift, before and after it runs out, first and second
; read after that, and INSTAT beside it. Results go to memory, mixed so that every read counts.
        include "vcs.inc"
        START
        MAC MIX         ; rotate the sum and add A
        eor $80,y
        clc
        adc #$3B
        sta $80,y
        ENDM
frame   BEGIN_FRAME
        ldy #3
interval
        lda FRAME
        and #$1F
        ora #1
        sta TIM1T,y     ; TIM1T, TIM8T, TIM64T, T1024T
        ldx #12
read    lda INTIM
        MIX
        lda INSTAT
        MIX
        dex
        bne read
        lda FRAME
        and #7
        tax
        inx
drift   bit T0
        dex
        bne drift
        lda INSTAT
        MIX
        lda INTIM
        MIX
        lda $0286       ; mirrors
        MIX
        lda $0287
        MIX
        lda $02BC
        MIX
        dey
        bpl interval
        PICTURE
        lda $80
        sta COLUBK
        lda #10
        sta TIM64T
wait    lda INTIM
        bne wait
        lda $81
        sta COLUBK
        LINES 100
        lda INTIM       ; long after it ran out
        sta $88
        lda INTIM
        sta $89
        END_FRAME 40
        FINISH
