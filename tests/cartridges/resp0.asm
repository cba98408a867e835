; RESP0 at each of the 76 cycles of a line; the player is drawn on that line and on the next. The copy mode follows the
; frame: the first copy is left out on the line of the strobe unless it lands where one is about to be drawn.
        include "vcs.inc"
        START
        SET_TO $0E, COLUP0
        SET_TO $94, COLUBK
        SET_TO $B7, GRP0
frame   BEGIN_FRAME
        lda FRAME
        and #7
        sta NUSIZ0
        PICTURE
at      SET 0
        REPEAT 76
        sta WSYNC
        STORE_AT RESP0, at
        sta WSYNC
at      SET at + 1
        REPEND
        END_FRAME 20
        FINISH
