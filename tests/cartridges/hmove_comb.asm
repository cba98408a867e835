; The black bar at the left of a line with HMOVE: where it appears, that it lasts for one visible line only, that one
; strobed above the picture waits for the first visible line, and that objects under it collide all the same.
        include "vcs.inc"
        START
        SET_TO $2C, COLUBK
        SET_TO $8A, COLUPF
        SET_TO $F0, PF0
        SET_TO $4E, COLUP0
        SET_TO $FF, GRP0
        sta WSYNC
        sta RESP0       ; pixel 3
frame   BEGIN_FRAME
        LINES 12
        lda FRAME
        and #1
        beq no_strobe
        sta WSYNC
        sta HMOVE       ; above the picture
no_strobe
        LINES 21
        lda #0
        sta VBLANK
        LINES 8
        ldy #20
comb    sta WSYNC       ; every second line
        sta HMOVE
        sta WSYNC
        dey
        bne comb
        ldy #10
twice   sta WSYNC       ; twice on a line: late in it and again at its end
        sta HMOVE
        SLEEP 40
        sta HMOVE
        sta WSYNC
        SLEEP 66
        sta HMOVE       ; cycle 69
        SLEEP 3
        sta HMOVE       ; cycle 75
        sta WSYNC
        dey
        bne twice
        sta CXCLR
        ldy #8
under   sta WSYNC
        sta HMOVE
        lda #$10        ; only the first four pixels of playfield: under the bar
        sta PF0
        dey
        bne under
        lda CXP0FB
        and #$C0
        sta $80
        lda #$F0
        sta PF0
        END_FRAME 30
        FINISH
