; Where objects overlap and no collision may be seen: beam off, above and below the picture. And where it must be
; seen: under the black bar of HMOVE, in the last visible line.
        include "vcs.inc"
        START
        SET_TO $FF, GRP0
        SET_TO $FF, GRP1
        SET_TO $22, COLUP0
        SET_TO $F0, PF0
        sta WSYNC
        sta RESP0
        sta RESP1
frame   BEGIN_FRAME
        sta CXCLR
        lda #0
        sta VBLANK      ; beam on, but above the picture
        LINES 30
        KEEP_COLLISIONS $80
        lda #2
        sta VBLANK
        LINES 30        ; in the picture, beam off
        KEEP_COLLISIONS $88
        lda #0
        sta VBLANK
        sta WSYNC
        sta HMOVE
        sta WSYNC
        KEEP_COLLISIONS $90
        ldy #0
        LINES 170
more    sta WSYNC       ; line by line over the end of the picture
        lda CXP0FB
        and #$80
        cmp #$80
        bcc none
        iny
none    sta CXCLR
        inx
        cpx #24
        bne more
        sty $98
        END_FRAME 6
        FINISH
