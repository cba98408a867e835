; The stack pointer among the TIA's registers: pushes enable missiles and ball, a subroutine call writes two registers,
; a return reads its address from collision latches and noise.
        include "vcs.inc"
        START
        SET_TO $1E, COLUP0
        SET_TO $5E, COLUP1
        SET_TO $9E, COLUPF
        SET_TO $30, NUSIZ0
        SET_TO $34, NUSIZ1
        SET_TO $10, CTRLPF
        sta WSYNC
        SLEEP 26
        sta RESM0
        SLEEP 6
        sta RESM1
        SLEEP 6
        sta RESBL
frame   BEGIN_FRAME
        PICTURE
        ldy #100
line    ldx #ENABL
        txs
        sta WSYNC
        tya
        cmp #50
        php             ; zero flag is bit 1: ENABL
        cmp #60
        php             ; ENAM1
        cmp #70
        php             ; ENAM0
        dey
        bne line
        ldx #COLUBK
        txs
        jsr colors      ; its return address goes into COLUBK and COLUPF
colors  LINES 20
        lda #0
        sta COLUBK
        lda #$9E
        sta COLUPF
        ldx #$FF        ; the pull increments first: $0100, a collision register and noise
        txs
        pla
        sta $80
        pla
        sta $81
        plp
        php
        tsx
        stx $82
        cld
        ldx #$FF
        txs
        jsr leaf        ; and an ordinary call
        sta CXCLR
        END_FRAME 40
leaf    tsx
        stx $83
        rts
        FINISH
