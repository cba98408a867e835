; All fifteen pairs of objects, one pair at a time, then all together: each must set its own latch and no other, and only
; CXCLR clears. 16 rounds of results; a frame keeps eight bytes at $80 for the pair of that frame.
        include "vcs.inc"
        START
        SET_TO $1A, COLUP0
        SET_TO $5A, COLUP1
        SET_TO $9A, COLUPF
        sta WSYNC
        SLEEP 36        ; all objects near one another
        sta RESP0
        sta RESM0
        sta RESP1
        sta RESM1
        sta RESBL
        SET_TO $37, NUSIZ0
        SET_TO $37, NUSIZ1
        SET_TO $30, CTRLPF
frame   BEGIN_FRAME
        KEEP_COLLISIONS $80
        lda FRAME
        and #15
        tay
        lda first,y
        ora second,y
        sta T0
        ldx #0
        stx GRP0
        stx GRP1
        stx ENAM0
        stx ENAM1
        stx ENABL
        stx PF2
        PICTURE
        LINES 20
        lda #$FF
        ldx #2
        lsr T0          ; bit 0: P0
        bcc no_p0
        sta GRP0
no_p0   lsr T0
        bcc no_p1
        sta GRP1
no_p1   lsr T0
        bcc no_m0
        stx ENAM0
no_m0   lsr T0
        bcc no_m1
        stx ENAM1
no_m1   lsr T0
        bcc no_bl
        stx ENABL
no_bl   lsr T0
        bcc no_pf
        sta PF2
no_pf   LINES 60
        KEEP_COLLISIONS $90     ; may be nothing new: kept beside the first set
        lda FRAME
        and #$10
        bne keep
        LINES 20
keep    END_FRAME 60
first   .byte 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 8, 8, 16, 63
second  .byte 2, 4, 8, 16, 32, 4, 8, 16, 32, 8, 16, 32, 16, 32, 32, 63
        FINISH
