; CTRLPF at each cycle of a line: score, priority and ball width at once, reflection only up to the middle of the
; line, otherwise at its end.
        include "vcs.inc"
        START
        SET_TO $0E, COLUPF
        SET_TO $44, COLUP0
        SET_TO $88, COLUP1
        SET_TO $C2, COLUBK
        SET_TO $2F, PF1
        SET_TO $13, PF2
        SET_TO $70, PF0
        SET_TO $02, ENABL
        sta WSYNC
        SLEEP 50
        sta RESBL
frame   BEGIN_FRAME
        PICTURE
        lda FRAME
        and #3
        tax
        lda values,x
        sta T1
        lda before,x
        sta T2
at      SET 0
        REPEAT 76
        lda T2
        sta WSYNC
        sta CTRLPF
        lda T1
        sta WSYNC
        STORE_AT CTRLPF, at
at      SET at + 1
        REPEND
        END_FRAME 20
values  .byte $01, $00, $33, $06
before  .byte $00, $01, $00, $01
        FINISH
