; RESP0 twice on a line: first at a fixed cycle, then at each later one, in all copy modes. The second strobe may hit
; a copy before, while or after it is drawn.
        include "vcs.inc"
        START
        SET_TO $0E, COLUP0
        SET_TO $62, COLUBK
        SET_TO $FD, GRP0
frame   BEGIN_FRAME
        lda FRAME
        and #7
        sta NUSIZ0
        PICTURE
        lda FRAME
        and #8
        beq early
        jmp late
early
at      SET 2
        REPEAT 52
        sta WSYNC
        SLEEP 17
        sta RESP0
        STORE_AT RESP0, at
        sta WSYNC
at      SET at + 1
        REPEND
        jmp done
late
at      SET 0
        REPEAT 36
        sta WSYNC
        SLEEP 36
        sta RESP0
        STORE_AT RESP0, at
        sta WSYNC
at      SET at + 1
        REPEND
done    END_FRAME 20
        FINISH
