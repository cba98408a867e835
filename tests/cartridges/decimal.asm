; Decimal ADC and SBC of all 65536 pairs of bytes with both carries, 256 pairs a frame: results and flags into memory.
        include "vcs.inc"
        START
        MAC SUM         ; A and flags into the sum at {1}
        php
        eor {1}
        asl
        adc #0
        sta {1}
        pla
        eor {1}+1
        asl
        adc #0
        sta {1}+1
        ENDM
frame   BEGIN_FRAME
        ldx #0
pairs   lda FRAME
        stx T0
        sed
        clc
        adc T0
        cld
        SUM $80
        lda FRAME
        sed
        sec
        adc T0
        cld
        SUM $82
        lda FRAME
        sed
        sec
        sbc T0
        cld
        SUM $84
        lda FRAME
        sed
        clc
        sbc T0
        cld
        SUM $86
        inx
        bne pairs
        lda $80
        sta COLUBK
        lda #0
        sta VBLANK
        END_FRAME 30
        FINISH
