; RESM0 at each of the 76 cycles of a line, with the object drawn on that line and the next; width and copies by frame.
        include "vcs.inc"
        START
        SET_TO $0E, COLUP0
        SET_TO $54, COLUBK
        SET_TO $02, ENAM0
frame   BEGIN_FRAME
        lda FRAME
        asl
        asl
        asl
        eor FRAME
        and #$36
        sta NUSIZ0
        PICTURE
at      SET 0
        REPEAT 76
        sta WSYNC
        STORE_AT RESM0, at
        sta WSYNC
at      SET at + 1
        REPEND
        END_FRAME 20
        FINISH
