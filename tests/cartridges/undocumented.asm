; Every undocumented opcode that does not stop the processor, with operands that change from frame to frame, in binary
; and decimal mode. Registers and flags after each are mixed into memory.
        include "vcs.inc"
        START
        MAC STIR        ; mix flags, A, X and Y into the sum at $80..$83; flags stay
        php
        cld
        sta T3
        stx T0
        pla
        sta T2
        ldx #0
        and #$CF
        jsr mix
        lda T3
        jsr mix
        lda T0
        jsr mix
        tya
        jsr mix
        lda T2
        pha
        plp
        ENDM
        MAC SEED        ; registers from the sum
        ldx $82
        ldy $83
        lda $81
        ENDM
        MAC TRY         ; opcode and operand bytes
        SEED
        .byte {1}, {2}
        STIR
        ENDM
        MAC TRY3
        SEED
        .byte {1}, {2}, {3}
        STIR
        ENDM
frame   BEGIN_FRAME
        lda FRAME
        sta $90
        eor #$A5
        sta $91
        lda #$98        ; a pointer for the indirect modes: $0098
        sta $A0
        lda #0
        sta $A1
        cld
        lda FRAME
        and #1
        beq binary
        sed
binary  TRY $0B, $5A    ; ANC
        TRY $2B, $F1
        TRY $4B, $77    ; ASR
        TRY $6B, $DB    ; ARR
        TRY $8B, $6D    ; ANE
        TRY $AB, $B6    ; LXA
        TRY $CB, $2E    ; SBX
        TRY $EB, $39    ; SBC
        TRY $A7, $90    ; LAX zp
        TRY $87, $92    ; SAX
        TRY $C7, $90    ; DCP
        TRY $E7, $91    ; ISB
        TRY $07, $90    ; SLO
        TRY $27, $91    ; RLA
        TRY $47, $90    ; SRE
        TRY $67, $91    ; RRA
        TRY $80, $00    ; NOPs
        TRY $04, $90
        TRY $1A, $EA
        TRY3 $0C, $90, $00
        TRY3 $AF, $91, $00
        TRY3 $8F, $93, $00
        TRY3 $CF, $90, $00
        TRY3 $EF, $91, $00
        TRY3 $0F, $90, $00
        TRY3 $2F, $91, $00
        TRY3 $4F, $90, $00
        TRY3 $6F, $91, $00
        cld
        jmp indexed
        org $F800
        MAC TRYX        ; the same with small X and Y
        lda $81
        ldx #3
        ldy #5
        .byte {1}, {2}
        STIR
        ENDM
        MAC TRYX3
        lda $81
        ldx #3
        ldy #5
        .byte {1}, {2}, {3}
        STIR
        ENDM
indexed lda FRAME
        and #2
        beq plain
        sed
plain   TRYX $B7, $8B   ; LAX zp,Y
        TRYX $97, $93   ; SAX zp,Y
        TRYX $D7, $8E   ; DCP zp,X
        TRYX $F7, $8D
        TRYX $17, $8E
        TRYX $37, $8D
        TRYX $57, $8E
        TRYX $77, $8D
        TRYX $A3, $9D   ; LAX (zp,X)
        TRYX $B3, $A0   ; LAX (zp),Y
        TRYX $83, $9D
        TRYX $C3, $9D
        TRYX $D3, $A0
        TRYX $03, $9D
        TRYX $13, $A0
        TRYX $63, $9D
        TRYX3 $BF, $8C, $00
        TRYX3 $DF, $8D, $00
        TRYX3 $DB, $8B, $00
        TRYX3 $1F, $8D, $00
        TRYX3 $3B, $8B, $00
        TRYX3 $5F, $8D, $00
        TRYX3 $7B, $8B, $00
        TRYX3 $9F, $90, $00     ; SHA
        TRYX $93, $A0
        TRYX3 $9E, $91, $00     ; SHX
        TRYX3 $9C, $94, $00     ; SHY
        tsx
        stx T1
        lda FRAME
        ora #$F0
        sta $95
        ldy #5
        .byte $BB, $90, $00     ; LAS: A, X and stack pointer
        sta $87
        stx $88
        tsx
        stx $85
        ldx T1
        txs
        lda $81
        ldx #$FE
        ldy #5
        .byte $9B, $92, $00     ; SHS
        tsx
        stx $86
        ldx T1
        txs
        cld
        PICTURE
        ldy #6
show    lda $80,y
        sta COLUBK
        LINES 12
        dey
        bpl show
        END_FRAME 5
mix     clc             ; sum x += A, stirred
        adc $80,x
        rol
        adc #$1D
        sta $80,x
        inx
        rts
        FINISH
