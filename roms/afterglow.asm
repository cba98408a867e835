; Afterglow: memory, over minutes.
;
; A floor of 48 tiles lights up for a few seconds: red trenches, yellow embers. Then it is dark. Gather the
; embers from memory, tile by tile, without stepping into a trench. The button lets the floor glow again for
; a moment, twice in a round. All embers gathered: the next round, with more of them, more trenches and
; less time to look. A trench costs a life, and so does a candle burnt down; but a trench that was found stays
; in sight.
;
; Modes: 0 embers, 1 embers and a shade that wanders over the floor, 2 sequence (the embers light up one after
; the other and must be gathered in that order), 3 sequence with the shade. Left difficulty A: many
; trenches from the start, those that were found are hidden again, and embers count twice. Right difficulty A: half the time to look.

        processor 6502
        include "console.inc"

NMODES  equ 4
MAGIC   equ $D6
SCORECOL equ $3A
LIFECOL equ $3C
TITLEHUE equ $30
TOPY    equ 77          ; heights count pairs of lines
ROWS    equ 6
START   equ 5*8+3       ; tiles are row * 8 + column

; ---- RAM ----
        seg.u ram
        org GRAM
pits    ds ROWS         ; trenches: bit 7 = leftmost of eight tiles
found   ds ROWS         ; those that were found (while a round is made: the way)
shp     ds ROWS         ; trenches and embers as they are to be drawn
she     ds ROWS
embers  ds 8            ; the tiles of the embers in their order; bit 7: gathered
p0      ds 2
p1      ds 2
total   ds 1            ; embers of this round
left    ds 1            ; still to be gathered
tile    ds 1            ; where the player is
dir     ds 1            ; and goes: 0 up, 1 down, 2 left, 3 right
prog    ds 1            ; sixteenths of the step
manx    ds 1
many    ds 1
shade   ds 1            ; the same for the shade
shdir   ds 1
shprog  ds 1
shx     ds 1
shy     ds 1
glow    ds 1            ; how long the floor still glows, in quarters of a second and less
show    ds 1            ; the opening show: ember being shown + 1, $80 all of them, 0 over
showt   ds 1
glows   ds 1            ; times that the button still works
round   ds 1
gen     ds 1            ; steps of making a round
candle  ds 1
candlet ds 1
pitcol  ds 1
embcol  ds 1
since   ds 1            ; steps since the last ember was laid
pause   ds 1
firewas ds 1
hue     ds 1            ; exclusive-ored into the floor

        seg code
        org $F000

; ---------------------------------------------------------------------------------------------
; The picture: six rows of 13 pairs of lines: a bar of the trenches, the embers, a second bar of the trenches,
; with empty lines between in which the bytes of the playfield are worked out from the bits of the tiles.
; Left and right halves differ, as in sporefall.asm.

        mac BITS                ; {1} the byte, {2} {3} its two tiles; the bits come from t0
        lda #0                  ; 2
        asl t0                  ; 7
        bcc .n1
        ora #{2}                ; 11
.n1
        asl t0                  ; 16
        bcc .n2
        ora #{3}                ; 20
.n2
        sta {1}                 ; 23
        endm

        mac TILELINE            ; {1} {2} {3} {4} from left to right, after a write of 3 cycles
        lda {1}                 ; 6
        sta PF1                 ; 9
        lda {2}                 ; 12
        sta PF2                 ; 15
        jsr Wait12              ; 27
        jsr Wait12              ; 39
        bit t0                  ; 42
        lda {3}                 ; 45
        sta PF2                 ; 48
        lda {4}                 ; 51
        sta PF1                 ; 54
        endm

        mac TILEPAIR
        sta WSYNC
        sta GRP0
        TILELINE {1},{2},{3},{4}
        lda (p1),y              ; 60
        sta WSYNC
        sta GRP1
        TILELINE {1},{2},{3},{4}
        dey                     ; 56
        lda (p0),y              ; 62
        endm

        mac EMPTY               ; the playfield off; takes 8 cycles
        lda #0
        sta PF1
        sta PF2
        endm

        mac LINEA
        sta WSYNC
        sta GRP0
        endm

        mac LINEB
        lda (p1),y
        sta WSYNC
        sta GRP1
        dey
        endm

GameKernel subroutine
        lda #0
        sta VDELP0
        sta VDELP1
        sta NUSIZ0
        sta NUSIZ1
        lda #$0E
        sta COLUP0
        lda manx
        ldx #0
        jsr PosObj              ; lines 10, 11
        lda #$66
        sta COLUP1
        lda shx
        ldx #1
        jsr PosObj              ; lines 12, 13
        lda #1
        sta CTRLPF
        sta WSYNC
        sta HMOVE               ; line 15
        ldx #0
        ldy #TOPY
        sta CXCLR
        lda (p0),y
.row
        LINEA                   ; pair 0
        EMPTY                   ; 11
        lda FloorCol,x          ; 15
        eor hue                 ; 18
        sta COLUBK              ; 21
        lda shp,x               ; 25
        sta t0                  ; 28
        BITS ptr,$F0,$0F        ; 51
        LINEB                   ; 60; 5
        lda pitcol
        sta COLUPF
        BITS ptr+2,$0F,$F0
        lda (p0),y
        LINEA                   ; pair 1
        BITS ptr+4,$F0,$0F
        LINEB
        BITS ptr+6,$0F,$F0
        lda (p0),y
        TILEPAIR ptr,ptr+2,ptr+4,ptr+6
        TILEPAIR ptr,ptr+2,ptr+4,ptr+6
        LINEA                   ; pair 4
        EMPTY
        lda she,x
        sta t0
        BITS ptr+8,$60,$06
        LINEB
        lda embcol
        sta COLUPF
        BITS ptr+10,$06,$60
        lda (p0),y
        LINEA                   ; pair 5
        BITS t2,$60,$06
        LINEB
        BITS t3,$06,$60
        lda (p0),y
        TILEPAIR ptr+8,ptr+10,t2,t3
        TILEPAIR ptr+8,ptr+10,t2,t3
        LINEA                   ; pair 8
        EMPTY
        LINEB
        lda pitcol
        sta COLUPF
        lda (p0),y
        LINEA                   ; pair 9
        LINEB
        lda (p0),y
        TILEPAIR ptr,ptr+2,ptr+4,ptr+6
        TILEPAIR ptr,ptr+2,ptr+4,ptr+6
        LINEA                   ; pair 12
        EMPTY
        LINEB
        lda (p0),y
        inx
        cpx #ROWS
        beq .end
        jmp .row
.end
        lda #0
        sta WSYNC               ; line 172
        sta GRP0
        sta GRP1
        sta COLUBK
        lda #$3A
        sta COLUPF
        lda candle
        lsr
        lsr
        lsr
        tay
        sta WSYNC
        lda BarPF1,y            ; lines 173 to 175: the candle
        sta PF1
        lda BarPF2,y
        sta PF2
        sta WSYNC
        sta WSYNC
        sta WSYNC
        lda #0
        sta PF1
        sta PF2
        sta WSYNC
        sta WSYNC
        jmp Footer              ; line 178

Wait12
        rts

; ---------------------------------------------------------------------------------------------
; Getting ready to draw: pictures, and what of the floor is to be seen.

        mac PICTURE             ; pointer {1} shows picture {2} with its foot at height {3}
        lda #<{2}
        sec
        sbc {3}
        sta {1}
        lda #>{2}
        sbc #0
        sta {1}+1
        endm

GamePrep subroutine
        lda pause
        and #4
        bne .hidden
        lda prog
        and #4
        beq .still
        PICTURE p0,ManB,many
        jmp .man
.still
        PICTURE p0,ManA,many
        jmp .man
.hidden
        lda #<Nothing
        sta p0
        lda #>Nothing
        sta p0+1
.man
        lda mode
        lsr
        bcc .noshade
        lda frame
        and #16
        beq .flap
        PICTURE p1,ShadeA,shy
        jmp .floor
.flap
        PICTURE p1,ShadeB,shy
        jmp .floor
.noshade
        lda #<Nothing
        sta p1
        lda #>Nothing
        sta p1+1
.floor
        lda level               ; each level has its own floor
        and #3
        tax
        lda Hues,x
        sta hue
        lda glow                ; the glow fades
        lsr
        lsr
        lsr
        tax
        lda #$42
        cpx #0
        beq .dark
        lda GlowPit,x
.dark
        sta pitcol
        lda GlowEmber,x
        sta embcol
        ldx #ROWS-1
.rows
        lda #0
        sta she,x
        lda found,x
        ldy glow
        beq .pit
        lda pits,x
.pit
        ldy gen
        beq .made
        lda #0
.made
        sta shp,x
        dex
        bpl .rows
        lda glow
        beq .done
        ldx total
        beq .done
.ember
        dex
        lda embers,x
        bmi .next               ; gathered
        ldy show                ; in a sequence only one is shown
        beq .put
        bmi .put
        dey
        sty t0
        cpx t0
        bne .next
.put
        tay
        and #7
        sta t0
        tya
        lsr
        lsr
        lsr
        tay
        lda she,y
        ldy t0
        sta t1
        lda ColBit,y
        ora t1
        sta t1
        lda embers,x
        lsr
        lsr
        lsr
        tay
        lda t1
        sta she,y
.next
        cpx #0
        bne .ember
.done
        rts

; ---------------------------------------------------------------------------------------------
; A new game, a new round.

GameInit subroutine
        lda #4
        sta lives
NewRound
        lda #24
        sta gen
        lda #0
        sta total
        sta glow
        sta since
        ldx #ROWS-1
.clear
        sta pits,x
        sta found,x
        dex
        bpl .clear
        lda #2
        sta glows
        lda #150
        sta candle
        lda round
        asl
        asl
        asl
        asl
        sec
        sbc round
        eor level
        jsr Seed
        lda #7
        sta shade
        lda #0
        sta shprog
        jsr Home
        sta t0
        ldx #5                  ; the way begins here
        lda ColBit+3
        sta found,x
        rts

Home
        lda #0
        sta prog
        lda #START
        sta tile
        jmp Place

; The round: a way wanders over the floor; embers lie on it, trenches only beside it. So every ember can be
; reached. Two steps in each frame.
Make subroutine
        jsr .step
.step
        lda gen
        bne .go
        rts
.go
        dec gen
        beq .finish
        jsr Rand
        and #3
        tay
        lda tile                ; the player's tile serves as the wanderer's
        jsr Beyond
        bcs .same
        sta tile
        inc since
        jsr Split               ; X = row, Y = column
        lda found,x
        and ColBit,y
        bne .same               ; been here
        lda found,x
        ora ColBit,y
        sta found,x
        lda since
        cmp #3
        bcc .same
        ldx total
        cpx #8
        bcs .same
        txa                     ; 3 embers, one more in each round
        sec
        sbc #3
        bcc .lay
        cmp round
        bcs .same
.lay
        lda tile
        sta embers,x
        inc total
        lda #0
        sta since
.same
        rts
.finish
        lda total               ; too short a way: one more
        bne .enough
        lda #24
        sta gen
        rts
.enough
        sta left
        ldx #ROWS-1
.pit
        jsr Rand
        sta t0
        bit sw                  ; left difficulty A: many from the start
        bvs .many
        lda round
        cmp #4
        bcs .many
        jsr Rand
        and t0
        sta t0
.many
        lda found,x
        eor #$FF
        and t0
        sta pits,x
        lda #0
        sta found,x
        dex
        bpl .pit
        jsr Home
        lda #0
        sta show
        lda mode
        and #2
        beq .all
        lda #1                  ; a sequence: one after the other
        sta show
        jsr ShowTime
        lsr
        sta showt
        lda #127
        sta glow
        rts
.all
        jsr ShowTime
        sta glow
        lda #$80                ; all of them, and nobody moves
        sta show
        rts

; How long the floor is shown: less in later rounds -> A
ShowTime subroutine
        lda round
        asl
        asl
        asl
        sta t0
        lda #127
        sec
        sbc t0
        bcc .short
        cmp #56
        bcs .ok
.short
        lda #56
.ok
        bit sw
        bpl .full
        lsr
.full
        rts

; Beyond: A = tile, Y = direction -> A = the tile beyond, carry set if there is none. Keeps Y.
Beyond subroutine
        sta t0
        cpy #2
        bcs .side
        cpy #0
        bne .down
        sec
        sbc #8
        bcc .no
        clc
        rts
.down
        clc
        adc #8
        cmp #48
        rts
.side
        bne .right
        and #7
        beq .no
        lda t0
        sec
        sbc #1
        clc
        rts
.right
        and #7
        cmp #7
        beq .no
        lda t0
        clc
        adc #1
        clc
        rts
.no
        lda t0
        sec
        rts

Split subroutine                ; A = tile -> X = row, Y = column
        pha
        and #7
        tay
        pla
        lsr
        lsr
        lsr
        tax
        rts

; Where the player and the shade are drawn.
Place subroutine
        lda tile
        ldx prog
        ldy dir
        jsr Where
        lda t0
        sta manx
        lda t1
        sta many
        lda shade
        ldx shprog
        ldy shdir
        jsr Where
        lda t0
        sta shx
        lda t1
        sta shy
        rts

Where subroutine                ; A = tile, X = sixteenths, Y = direction -> t0 = x, t1 = height
        stx t2
        sty t3
        jsr Split
        lda ColX,y
        sta t0
        lda RowY,x
        sta t1
        ldx t2
        beq .done
        ldy t3
        beq .up
        dey
        beq .down
        dey
        beq .left
        txa
        clc
        adc t0
        sta t0
        rts
.left
        lda t0
        sec
        sbc t2
        sta t0
        rts
.up
        lda Rise,x
        clc
        adc t1
        sta t1
        rts
.down
        lda t1
        sec
        sbc Rise,x
        sta t1
.done
        rts

; ---------------------------------------------------------------------------------------------
; One frame of play.

GameLogic subroutine
        lda gen
        beq .made
        jmp Make
.made
        lda pause
        beq .go
        dec pause
        rts
.go
        lda show
        beq .dim
        bmi .all
        dec showt               ; the sequence
        bne .look
        jsr ShowTime
        lsr
        sta showt
        inc show
        lda total
        cmp show
        bcs .note
        lda #0
        sta show
        sta glow
.look
        rts
.note
        lda #SfxNote-Sfx
        ldx #1
        jmp PlaySound
.all
        lda frame
        lsr
        bcc .look
        dec glow
        bne .look
        lda #0
        sta show
        rts
.dim
        lda glow
        beq .dark
        lda frame
        lsr
        bcc .dark
        dec glow
.dark
        lda left
        bne .play
        inc round               ; all gathered
        lda round
        cmp #16
        bcc .r
        dec round
.r
        jmp NewRound
.play
        dec candlet
        bpl .burning
        lda #15
        sta candlet
        dec candle
        bne .burning
        lda #150
        sta candle
        jmp Lose
.burning
        jsr Button
        jsr Wander
        jsr Step
        jsr Place
        lda mode
        lsr
        bcc .alone
        lda CXPPMM
        bpl .alone
        jmp Lose
.alone
        rts

Button subroutine
        lda INPT4
        and #$80
        tax
        eor firewas
        stx firewas
        beq .no
        txa
        bmi .no
        lda glows
        beq .no
        dec glows
        lda #40
        sta glow
        lda #SfxGlow-Sfx
        ldx #1
        jmp PlaySound
.no
        rts

; The shade goes from tile to tile at random, half as fast.
Wander subroutine
        lda mode
        lsr
        bcc .done
        lda frame
        and #3
        bne .done
        lda shprog
        bne .on
        jsr Rand
        and #3
        sta shdir
        tay
        lda shade
        jsr Beyond
        bcs .done
        cmp #START
        beq .done               ; not where you start
        inc shprog
        rts
.on
        inc shprog
        lda shprog
        cmp #16
        bcc .done
        lda #0
        sta shprog
        lda shade
        ldy shdir
        jsr Beyond
        sta shade
.done
        rts

Step subroutine
        lda prog
        bne .on
        lda SWCHA
        lsr
        lsr
        lsr
        lsr
        tax
        ldy Sticks,x
        bmi .stay
        lda tile
        jsr Beyond
        bcs .stay
        sty dir
        inc prog
        lda #SfxStep-Sfx
        ldx #1
        jmp PlaySound
.stay
        rts
.on
        inc prog
        lda prog
        cmp #16
        bcc .done
        lda #0
        sta prog
        lda tile
        ldy dir
        jsr Beyond
        sta tile
        jsr Split
        lda pits,x
        and ColBit,y
        bne .trench
        ldx total               ; an ember?
.ember
        dex
        bmi .done
        lda embers,x
        cmp tile
        bne .ember
        lda mode
        and #2
        beq .take
        txa                     ; in a sequence only the next one counts
        clc
        adc left
        cmp total
        beq .take
        lda #SfxWrong-Sfx
        ldx #0
        jmp PlaySound
.take
        lda embers,x
        ora #$80
        sta embers,x
        dec left
        lda #$10
        bit sw                  ; left difficulty A: twice as much
        bvc .ten
        asl
.ten
        jsr AddScore
        lda #SfxEmber-Sfx
        ldx #0
        jsr PlaySound
        lda left
        bne .done
        lda glows               ; the round: 50, and 10 for each glow that was saved
        asl
        asl
        asl
        asl
        clc
        adc #$50
        jsr AddScore
        lda #60
        sta pause
        lda #SfxRound-Sfx
        ldx #1
        jsr PlaySound
        lda round
        and #3
        cmp #3
        bne .done
        lda lives
        cmp #6
        bcs .done
        inc lives
.done
        rts
.trench
        bit sw                  ; left difficulty A: it is hidden again
        bvs Lose
        lda found,x
        ora ColBit,y
        sta found,x
Lose
        lda #SfxLose-Sfx
        ldx #0
        jsr PlaySound
        lda #7                  ; the shade goes back too
        sta shade
        lda #0
        sta shprog
        jsr Home
        lda #60
        sta pause
        dec lives
        bne .more
        lda #OVER
        sta state
        lda #0
        sta pause
        sta show
        lda #127                ; what it was like
        sta glow
.more
        rts

; ---------------------------------------------------------------------------------------------
; Tables.

ColX    .byte 20,36,52,68,84,100,116,132
ColBit  .byte $80,$40,$20,$10,$08,$04,$02,$01
RowY    .byte 68,55,42,29,16,3
Rise    .byte 0,0,1,2,3,4,4,5,6,7,8,8,9,10,11,12,13
Sticks                          ; right left down up, 0 = pressed -> direction; two at once: one of them
        .byte $FF,$FF,$FF,$FF,$FF,3,3,3,$FF,2,2,2,$FF,1,0,$FF
FloorCol .byte $90,$92,$90,$92,$90,$92
Hues    .byte $00,$10,$F0,$30
GlowPit .byte $40,$42,$42,$44,$44,$46,$46,$48,$48,$48,$48,$48,$48,$48,$48,$48
GlowEmber .byte $10,$14,$16,$18,$1A,$1C,$1C,$1E,$1E,$1E,$1E,$1E,$1E,$1E,$1E,$1E
BarPF1  .byte $00,$00,$00,$00,$00,$00,$00,$00,$00,$00,$01,$03,$07,$0F,$0F,$1F,$3F,$7F,$FF,$FF
BarPF2  .byte $00,$80,$C0,$E0,$F0,$F0,$F8,$FC,$FE,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF

Sfx     .byte 0
SfxStep .byte 0,$63,16, 0,$62,20, $FF
SfxNote .byte 2,$C6,15, 4,$C3,15, $FF
SfxEmber .byte 2,$4A,11, 2,$4A,8, 4,$48,6, $FF
SfxWrong .byte 3,$68,28, 5,$66,31, $FF
SfxGlow .byte 2,$C6,20, 2,$C7,15, 2,$C8,11, 3,$C6,8, 5,$C3,6, $FF
SfxRound .byte 4,$4A,20, 4,$4A,16, 4,$4A,13, 4,$4A,10, 9,$48,8, $FF
SfxLose .byte 3,$8C,10, 3,$8B,14, 3,$8A,18, 5,$88,23, 9,$85,30, $FF

Nothing ds TOPY+1,0             ; zeros below and above each picture
ManA    .byte %01100110         ; foot first
        .byte %00100100
        .byte %00111100
        .byte %01111110
        .byte %10111101
        .byte %00011000
        .byte %00011000
        ds TOPY+1,0
ManB    .byte %11000011
        .byte %00100100
        .byte %00111100
        .byte %10111101
        .byte %01111110
        .byte %00011000
        .byte %00011000
        ds TOPY+1,0
ShadeA  .byte %01000100
        .byte %11101110
        .byte %11111110
        .byte %01111100
        .byte %00111000
        .byte %00101000
        .byte %01000100
        ds TOPY+1,0
ShadeB  .byte %00010000
        .byte %00111000
        .byte %01111100
        .byte %11111110
        .byte %10111010
        .byte %00101000
        .byte %00101000
        ds TOPY+1,0

EXTRA   equ glows
        mac ExtraFont
Icon    equ 96                  ; a candle
        .byte %00000000
        .byte %00111000
        .byte %00111000
        .byte %00111000
        .byte %00111000
        .byte %00010000
        .byte %00111000
        .byte %00010000
Icon2   equ 104                 ; a glow
        .byte %00000000
        .byte %00010000
        .byte %01010100
        .byte %00111000
        .byte %01101100
        .byte %00111000
        .byte %01010100
        .byte %00010000
        endm

        include "common.inc"

        org $FFFC
        .word Boot
        .word Boot
