; RSYNC has no effect here, at no cycle of a line.
        include "vcs.inc"
        START
        SET_TO $0E, COLUPF
        SET_TO $74, COLUBK
        SET_TO $A5, PF1
frame   BEGIN_FRAME
        PICTURE
at      SET 0
        REPEAT 76
        sta WSYNC
        STORE_AT RSYNC, at
at      SET at + 1
        REPEND
        END_FRAME 60
        FINISH
