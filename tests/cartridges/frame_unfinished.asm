; Frames that end in the middle of a visible line, at every cycle: the row stays as far as it was drawn, and up to three
; pixels further when few kinds of objects are on (the reference draws four pixels at a time).
        include "vcs.inc"
        START
        SET_TO $3A, COLUPF
        SET_TO $94, COLUBK
        SET_TO $0E, COLUP0
        SET_TO $4E, COLUP1
frame   lda #2
        sta VSYNC
        sta WSYNC
        sta WSYNC
        lda FRAME
        and #15
        tay
        lda what,y
        sta T0
        lda score,y
        sta CTRLPF
        lda #0
        sta PF1
        sta GRP0
        sta GRP1
        sta ENAM0
        sta ENAM1
        sta ENABL
        sta VSYNC
        inc FRAME
        LINES 40
        ldx #2
        lda #$5A
        lsr T0
        bcc no_pf
        sta PF1
no_pf   lsr T0
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
no_bl   LINES 30
        lda #2
        sta VSYNC
        LINES 3
        lda FRAME
        lsr
        and #$1F
        tay
        iny
        lda FRAME
        lsr             ; a cycle more in every second frame
        bcs delay
delay   dey
        bne delay
        lda #0
        sta VSYNC       ; here the frame ends
        LINES 20
        jmp frame
what    .byte 1, 2, 4, 6, 8, 16, 32, 24, 40, 48, 36, 3, 5, 33, 0, 63
score   .byte 2, 0, 0, 2, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 4
        FINISH
