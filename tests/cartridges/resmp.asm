; A missile locked to its player: hidden while RESMP is set, placed at the middle of the player on release, whose offset
; depends on the player's width. Locked missiles do not follow in between.
        include "vcs.inc"
        START
        SET_TO $2E, COLUP0
        SET_TO $7E, COLUP1
        SET_TO $02, ENAM0
        sta ENAM1
        SET_TO $A0, HMP0
        SET_TO $30, HMP1
        SET_TO $FF, GRP0
        SET_TO $81, GRP1
frame   BEGIN_FRAME
        sta WSYNC
        sta HMOVE
        PICTURE
        ldy #7
width   sty NUSIZ0
        sty NUSIZ1
        lda #2
        sta WSYNC
        sta RESMP0
        sta RESMP1
        LINES 4
        lda #$F8        ; bit 1 clear
        sta RESMP0
        LINES 3
        lda #0
        sta RESMP1
        LINES 4
        lda #2
        sta WSYNC
        sta RESMP0
        SLEEP 20
        lda #0
        sta RESMP0      ; released in the middle of the line
        LINES 3
        sta WSYNC
        sta RESP0
        sta RESMP1      ; was not set: nothing happens
        LINES 3
        dey
        bpl width
        END_FRAME 20
        FINISH
