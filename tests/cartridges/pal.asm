; 312 lines a frame: taken for a PAL program, with its palette and 250 rows. All 128 colors.
        include "vcs.inc"
        START
        SET_TO $FF, PF2
frame   BEGIN_FRAME
        LINES 40
        lda #0
        sta VBLANK
        ldy #0
line    sty COLUBK
        tya
        eor #$FE
        sta COLUPF
        sta WSYNC
        sta WSYNC
        iny
        iny
        bne line
        END_FRAME 11
        FINISH
