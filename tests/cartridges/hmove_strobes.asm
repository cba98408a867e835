; Missiles and ball strobed a few cycles after HMOVE, where the reference places them one or two pixels elsewhere, and
; at the neighboring cycles, where it does not.
        include "vcs.inc"
        START
        SET_TO $0E, COLUP0
        SET_TO $3C, COLUP1
        SET_TO $9C, COLUPF
        SET_TO $02, ENAM0
        sta ENAM1
        sta ENABL
frame   BEGIN_FRAME
        lda FRAME
        and #1
        asl
        asl
        asl
        asl
        sta HMBL
        PICTURE
        ; HMOVE ends at cycle 3+{1}, the strobe {2}+3 cycles later
        MAC AFTER       ; register, cycles before HMOVE, cycles between
        sta WSYNC
        STORE_AT HMOVE, {2}
        STORE_AT {1}, {3}
        sta WSYNC
        sta WSYNC
        ENDM
gap     SET 0
        REPEAT 22
        AFTER RESM0, 0, gap
        AFTER RESM1, 0, gap
        AFTER RESBL, 0, gap
gap     SET gap + 1
        REPEND
        AFTER RESBL, 2, 15
        END_FRAME 20
        FINISH
