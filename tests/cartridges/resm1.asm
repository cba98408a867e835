; RESM1 at each of the 76 cycles of a line, with the object drawn on that line and the next; width and copies by frame.
        include "vcs.inc"
        START
        SET_TO $0E, COLUP1
        SET_TO $54, COLUBK
        SET_TO $02, ENAM1
frame   BEGIN_FRAME
        lda FRAME
        asl
        asl
        asl
        eor FRAME
        and #$36
        sta NUSIZ1
        PICTURE
at      SET 0
        REPEAT 76
        sta WSYNC
        STORE_AT RESM1, at
        sta WSYNC
at      SET at + 1
        REPEND
        END_FRAME 20
        FINISH
