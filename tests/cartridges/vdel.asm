; Delayed graphics: what VDELP0, VDELP1 and VDELBL show after each of GRP0, GRP1 and ENABL was written, and that the
; old values are latched by the other player's write.
        include "vcs.inc"
        START
        SET_TO $0E, COLUP0
        SET_TO $4C, COLUP1
        SET_TO $8C, COLUPF
        SET_TO $30, CTRLPF
        sta WSYNC
        SLEEP 30
        sta RESP0
        SLEEP 6
        sta RESP1
        SLEEP 6
        sta RESBL
frame   BEGIN_FRAME
        PICTURE
        ldy #7          ; all combinations of the three switches
combination
        tya
        sta WSYNC
        sta VDELP0
        lsr
        sta VDELP1
        lsr
        sta VDELBL
        lda #$F0
        sta GRP0
        LINES 3
        lda #$AA
        sta GRP1
        LINES 3
        lda #2
        sta ENABL
        LINES 3
        lda #$0F
        sta GRP0
        LINES 3
        lda #$3C
        sta GRP1
        LINES 3
        lda #0
        sta ENABL
        LINES 2
        lda FRAME
        sta GRP1
        sta GRP0
        sta GRP1
        LINES 3
        dey
        bpl combination
        END_FRAME 20
        FINISH
