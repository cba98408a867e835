; Playfield: one bit walks through PF0, PF1 and PF2, in copied and in mirrored right halves; then whole patterns.
        include "vcs.inc"
        START
        SET_TO $0E, COLUPF
        SET_TO $84, COLUBK
frame   BEGIN_FRAME
        lda FRAME
        and #1
        sta CTRLPF
        PICTURE
        lda #$10        ; PF0 shows bits 4..7, lowest first
        sta T0
pf0     lda T0
        sta WSYNC
        sta PF0
        LINES 4
        asl T0
        bcc pf0
        lda #0
        sta WSYNC
        sta PF0
        lda #$80        ; PF1, highest first
        sta T0
pf1     lda T0
        sta WSYNC
        sta PF1
        LINES 4
        lsr T0
        bcc pf1
        lda #0
        sta WSYNC
        sta PF1
        lda #$01        ; PF2, lowest first
        sta T0
pf2     lda T0
        sta WSYNC
        sta PF2
        LINES 4
        asl T0
        bcc pf2
        ldy #15
mix     lda patterns,y
        sta WSYNC
        sta PF0
        eor FRAME
        sta PF1
        eor patterns+1,y
        sta PF2
        LINES 3
        dey
        bpl mix
        END_FRAME 20
patterns
        .byte $FF,$AA,$55,$0F,$F0,$81,$18,$3C,$C3,$01,$80,$7E,$42,$24,$99,$66,$00
        FINISH
