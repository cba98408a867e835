; NUSIZ1 at each cycle of a line on which player and missile are drawn: from one mode to another, the pair by frame.
        include "vcs.inc"
        START
        SET_TO $0E, COLUP1
        SET_TO $B4, COLUBK
        SET_TO $DB, GRP1
        SET_TO $02, ENAM1
        sta WSYNC
        SLEEP 22
        sta RESP1
        SLEEP 3
        sta RESM1
frame   BEGIN_FRAME
        lda FRAME
        and #7
        tax
        lda from,x
        sta T1
        lda to,x
        sta T2
        PICTURE
at      SET 0
        REPEAT 76
        lda T1
        sta WSYNC
        sta NUSIZ1
        lda T2
        sta WSYNC
        STORE_AT NUSIZ1, at
at      SET at + 1
        REPEND
        END_FRAME 20
from    .byte $00, $05, $07, $03, $06, $10, $35, $04
to      .byte $05, $07, $00, $06, $31, $37, $02, $03
        FINISH
