; Addresses: memory, TIA and RIOT through their mirrors, with all 16 address bits used and 13 decoded.
        include "vcs.inc"
        START
frame   BEGIN_FRAME
        lda FRAME
        sta $0180       ; memory as the stack's page
        lda $80
        sta $2581       ; address bit 13 is not decoded
        lda $81
        clc
        adc #1
        sta $0D82       ; bit 9 is 0: memory
        lda $82
        sta $90
        lda $E082       ; memory again
        sta $91
        lda $0E84       ; bit 9 is 1: timer
        sta $92
        lda $4284
        sta $93
        lda SWCHB | $1C00 & $0FFF
        sta $94
        lda #$4A
        sta $0149       ; COLUBK through a mirror
        PICTURE
        lda FRAME
        sta $2109       ; and through another
        LINES 60
        sta $6F09 & $EF7F
        LINES 60
        lda start
        sta $95
        lda start & $1FFF
        sta $96
        lda start & $3FFF
        sta $97
        LINES 60
        END_FRAME 30
        FINISH
