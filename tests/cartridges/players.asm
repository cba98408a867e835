; Both players in all eight copy and width modes, plain and reflected, at positions that move from frame to frame so
; that copies wrap around the right edge.
        include "vcs.inc"
        START
        SET_TO $3A, COLUP0
        SET_TO $9A, COLUP1
        SET_TO $02, COLUBK
        SET_TO $70, HMP0        ; 7 left
        SET_TO $B0, HMP1        ; 5 right
frame   BEGIN_FRAME
        sta WSYNC
        sta HMOVE
        PICTURE
        ldy #0
mode    sta WSYNC
        lda #0
        sta GRP0
        sta GRP1
        sty NUSIZ0
        tya
        eor #7
        sta NUSIZ1
        lda FRAME
        sta REFP0
        eor #$FF
        sta REFP1
        sta WSYNC
        ldx #7
row     sta WSYNC
        lda shape,x
        sta GRP0
        eor #$3C
        sta GRP1
        sta WSYNC
        dex
        bpl row
        sta WSYNC
        iny
        cpy #8
        bne mode
        END_FRAME 20
shape   .byte $81,$C0,$E1,$B3,$9F,$8F,$A7,$D1
        FINISH
