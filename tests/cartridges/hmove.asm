; HMOVE at each of the 76 cycles of a line with all 16 motions, one per frame, for the five objects. All are drawn.
        include "vcs.inc"
        START
        SET_TO $0E, COLUP0
        SET_TO $3C, COLUP1
        SET_TO $9C, COLUPF
        SET_TO $02, COLUBK
        SET_TO $81, GRP0
        SET_TO $C1, GRP1
        SET_TO $02, ENAM0
        sta ENAM1
        sta ENABL
        SET_TO $20, CTRLPF
        SET_TO $10, NUSIZ0
        SET_TO $10, NUSIZ1
frame   BEGIN_FRAME
        lda FRAME
        asl
        asl
        asl
        asl
        sta HMP0
        adc #$10
        sta HMP1
        eor #$80
        sta HMM0
        adc #$30
        sta HMM1
        eor #$70
        sta HMBL
        sta WSYNC
        SLEEP 24        ; all five near the middle again
        sta RESP0
        sta RESP1
        sta RESM0
        sta RESM1
        sta RESBL
        PICTURE
at      SET 0
        REPEAT 76
        sta WSYNC
        STORE_AT HMOVE, at
        sta WSYNC
at      SET at + 1
        REPEND
        END_FRAME 20
        FINISH
