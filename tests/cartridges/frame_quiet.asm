; A program that stops writing to the TIA: its frame is interrupted after 25000 instructions and what is left of the
; picture turns gray, once; later it is continued, and another frame follows.
        include "vcs.inc"
        START
        SET_TO $F0, PF1
        SET_TO $3C, COLUPF
frame   BEGIN_FRAME
        PICTURE
        lda FRAME
        asl
        and #$7F
        ora #4
        tay
line    sta WSYNC
        sty COLUBK
        dey
        bne line
        lda FRAME
        and #7
        sta T1
        beq done
        SLEEP 11        ; the interruption comes in the middle of a line
quiet   ldx #0
        ldy #40
count   dex
        bne count
        dey
        bne count
        dec T1
        bne quiet
done    LINES 30
        jmp frame
        FINISH
