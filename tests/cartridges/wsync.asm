; WSYNC at and around the end of a line: at an exact line start there is no wait. Written by every kind of
; instruction: after a read it waits, the second write of a push does not.
        include "vcs.inc"
        START
        SET_TO $44, COLUPF
frame   BEGIN_FRAME
        PICTURE
at      SET 64
        REPEAT 16
        sta WSYNC
        SLEEP at
        sta WSYNC       ; ends at cycle at + 3
        sta COLUBK      ; marks where that line began
        lda FRAME
        eor #at*2
        sta COLUBK
at      SET at + 1
        REPEND
        ldx #WSYNC+1
        stx T0
        ldy #8
ways    sta WSYNC
        stx WSYNC
        sty COLUBK
        inc WSYNC       ; reads, then writes
        sta COLUBK
        sta.w WSYNC
        sty COLUBK
        ldx #0
        sta WSYNC,x
        sta COLUBK
        tsx
        stx T1
        ldx #WSYNC
        txs
        pha             ; a push into WSYNC: the access before it was the opcode's fetch
        sty COLUBK
        ldx #WSYNC+1
        txs
        jsr push_two    ; two writes, the second to WSYNC
back    ldx T1
        txs
        sta COLUBK
        dey
        bne ways
        END_FRAME 10
push_two
        jmp back
        FINISH
