; Score mode and priority: all eight values of CTRLPF's low bits with every object on the line, then with the playfield
; alone, where the reference colors the halves even when priority is set.
        include "vcs.inc"
        START
        SET_TO $46, COLUP0
        SET_TO $86, COLUP1
        SET_TO $1A, COLUPF
        SET_TO $C4, COLUBK
        SET_TO $30, HMP0
        SET_TO $E0, HMM1
        SET_TO $07, NUSIZ0
        SET_TO $35, NUSIZ1
        sta WSYNC
        SLEEP 26
        sta RESP0
        sta RESP1
        sta RESM0
        sta RESM1
        sta RESBL
        sta WSYNC
        sta HMOVE
frame   BEGIN_FRAME
        PICTURE
        ldy #0
mode    tya
        and #7
        ora #$20
        sta WSYNC
        sta CTRLPF
        lda #$FF
        sta PF2
        lda #$C3
        sta PF1
        lda #$A5
        sta GRP0
        sta GRP1
        lda #2
        sta ENAM0
        sta ENAM1
        sta ENABL
        LINES 4
        lda #0          ; without the ball
        sta ENABL
        LINES 3
        lda #0
        sta ENAM0
        sta ENAM1
        LINES 3
        lda #0
        sta GRP0        ; player 1 and playfield
        LINES 3
        lda #0
        sta GRP1        ; nothing but the playfield
        LINES 3
        lda FRAME
        and #2
        sta ENABL       ; ball and playfield
        LINES 3
        lda #0
        sta ENABL
        iny
        cpy #8
        bne mode
        END_FRAME 20
        FINISH
