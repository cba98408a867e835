; The star field of one old game: HMM0 changed from 7 to 6 exactly 21 cycles after HMOVE. Missile 0 then moves by
; itself, line after line; HMOVE ends it. Every second frame the write is one cycle off and nothing happens.
        include "vcs.inc"
        START
        SET_TO $1E, COLUP0
        SET_TO $00, COLUBK
        SET_TO $02, ENAM0
frame   BEGIN_FRAME
        PICTURE
        lda #$70
        sta HMM0
        lda FRAME
        and #1
        bne beside
        lda #$60
        sta WSYNC
        sta HMOVE
        SLEEP 18
        sta HMM0        ; 21 cycles after the end of HMOVE
        jmp sky
beside  lda #$60
        sta WSYNC
        sta HMOVE
        SLEEP 19
        sta HMM0
sky     LINES 90
        lda FRAME
        and #2
        beq go_on
        lda #$20
        sta NUSIZ0      ; back to the normal shape for a line
        LINES 5
        lda #0
        sta NUSIZ0
        LINES 5
        sta WSYNC
        sta HMOVE
go_on   LINES 60
        END_FRAME 20
        FINISH
