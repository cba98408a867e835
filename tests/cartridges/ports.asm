; Sticks, buttons and switches in memory and on the screen; written ports and directions change nothing that is read but
; SWACNT itself. Edge-detect addresses are ignored.
        include "vcs.inc"
        START
frame   BEGIN_FRAME
        lda SWCHA
        sta $80
        lda SWCHB
        sta $81
        lda INPT4
        and #$80
        sta $82
        lda INPT5
        and #$80
        sta $83
        lda FRAME
        sta SWACNT
        sta SWBCNT
        eor #$FF
        sta SWCHA
        sta SWCHB
        lda SWACNT
        sta $84
        lda SWBCNT
        sta $85
        lda SWCHA
        sta $86
        lda SWCHB
        sta $87
        lda #$40
        sta VBLANK      ; latches of the buttons: not in the reference
        lda INPT4
        and #$80
        sta $88
        sta $0284       ; edge detection
        sta $0287
        ldx #7
mirror  lda $02F8,x
        sta $90,x
        dex
        bpl mirror
        PICTURE
        ldy #9
show    lda $80,y
        sta COLUBK
        sta PF1
        LINES 18
        dey
        bpl show
        END_FRAME 20
        FINISH
