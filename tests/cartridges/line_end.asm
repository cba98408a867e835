; What happens in the last cycles of a line and the first of the next, where the reference finishes a line late:
; RESP0, CTRLPF, NUSIZ0 and HMOVE, with pairs of writes at one exact line start.
        include "vcs.inc"
        START
        SET_TO $0E, COLUP0
        SET_TO $5C, COLUPF
        SET_TO $C7, GRP0
        SET_TO $3A, PF1
        SET_TO $11, PF2
        MAC AROUND      ; register
at     SET 66
        REPEAT 12
        lda T1
        ldx T2
        sta WSYNC
        SLEEP at
        sta {1}
        stx {1}
        sta WSYNC
at     SET at + 1
        REPEND
        ENDM
frame   BEGIN_FRAME
        lda FRAME
        and #$37
        sta T1
        eor #$01
        sta T2
        PICTURE
        AROUND RESP0
        AROUND CTRLPF
        AROUND NUSIZ0
        AROUND HMOVE
        lda FRAME
        and #4
        bne more
        jmp done
more    AROUND PF1
done    lda #$3A
        sta PF1
        END_FRAME 20
        FINISH
