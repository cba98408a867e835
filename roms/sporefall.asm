; Sporefall: shooting under growing pressure.
;
; Fungus grows down from the roof of the cave. Cut it with your shots: a shot takes one piece, and
; whatever hangs below that piece falls with it, at twice the points. Only a stalk whose root at the
; roof is shot stays away. All roots gone: the next cave, which grows faster. A stalk that reaches
; the floor, a touch of the fungus, of the moth or of the spores that it drops costs a life.
;
; Shots go where the stick points: left, right, or up if it points to neither side.
;
; Modes: 0 cave, 1 moth night (a fast moth, many spores), 2 thicket (long stalks, twice the growth at each
; time), 3 blight (roots come back). Left difficulty A: slow shots. Right difficulty A: faster growth.

        processor 6502
        include "console.inc"

NMODES  equ 4
MAGIC   equ $D2
SCORECOL equ $CA
LIFECOL equ $9C
TITLEHUE equ $C0
ROWS    equ 13          ; of fungus, 12 lines each
TOPY    equ 77          ; heights count pairs of lines, from 0 at the floor to 77 at the roof
HIGH    equ 7           ; rows of a picture

; ---- RAM ----
        seg.u ram
        org GRAM
grid                    ; the fungus as the playfield shows it, in four groups of eight columns
pf1l    ds ROWS
pf2l    ds ROWS
pf2r    ds ROWS
pf1r    ds ROWS
p0      ds 2            ; pictures, as pointers into a table padded with zeros
p1      ds 2
row     ds 1
cnt     ds 1
shipx   ds 1
shipy   ds 1
face    ds 1            ; 0 up, 4 left, 8 right
shotx   ds 1
shoty   ds 1            ; 255: no shot
shotd   ds 1            ; its direction, as face
mothx   ds 1
mothy   ds 1
mothd   ds 1            ; bit 0 right, bit 1 up
motht   ds 1            ; frames until the moth comes back
sporex  ds 1
sporey  ds 1            ; 255: no spore
growt   ds 1            ; frames until the fungus grows
wave    ds 1
inv     ds 1            ; frames of being out of play, then of being untouchable
build   ds 1            ; columns still to be planted
        ds 1
roots   ds 1            ; roots left

        seg code
        org $F000

; ---------------------------------------------------------------------------------------------
; The picture. Two lines make a pair: player 0 is written on the first, player 1 on the second. The
; playfield is mirrored, but left and right half differ: PF1 and PF2 are written once before the
; beam is there and once more for the right half. The right half begins with PF2, in the very pixel after
; the left PF2, so that write must end in cycle 48, neither sooner nor later: all code before it takes
; the same time on every path. The missiles are switched by pushing the processor's flags onto
; the TIA: bit 1 of the pushed byte is the zero flag, and the stack pointer stands at ENAM1.

GameKernel subroutine
        lda #0
        sta VDELP0
        sta VDELP1
        lda #$20                ; a shot is 4 pixels wide
        sta NUSIZ0
        lda #$10                ; a spore 2
        sta NUSIZ1
        ldy face
        cpy #4
        bne .right
        lda #8
        sta REFP0
.right
        lda #$9C
        sta COLUP0
        lda shipx
        ldx #0
        jsr PosObj              ; lines 10, 11
        lda #$2A
        sta COLUP1
        lda mothx
        ldx #1
        jsr PosObj              ; lines 12, 13
        lda #1
        sta CTRLPF
        sta WSYNC
        sta HMOVE               ; line 15
        lda #6
        sta cnt
        lda RowCol
        sta COLUPF
        ldx #0
        stx row
        lda #$FF
        sta WSYNC               ; line 16: the roof
        sta PF0
        sta PF1
        sta PF2
        ldx #$1E
        txs
        sta CXCLR
        ldx #0
        ldy #TOPY
        lda (p0),y

.pair
        sta WSYNC
        sta GRP0                ; 3
        lda pf1l,x              ; 7
        sta PF1                 ; 10
        lda pf2l,x              ; 14
        sta PF2                 ; 17
        cpy sporey              ; 20
        php                     ; 23, into ENAM1
        cpy shoty               ; 26
        php                     ; 29, into ENAM0
        ldx #$1E                ; 31
        txs                     ; 33
        ldx row                 ; 36
        nop                     ; 38
        bit cnt                 ; 41
        lda pf2r,x              ; 45
        sta PF2                 ; 48
        lda pf1r,x              ; 52
        sta PF1                 ; 55
        lda (p1),y              ; 61
        sta WSYNC
        sta GRP1                ; 3
        lda RowCol,x            ; 7
        sta COLUPF              ; 10
        lda pf1l,x              ; 14
        sta PF1                 ; 17
        lda pf2l,x              ; 21
        sta PF2                 ; 24
        dec cnt                 ; 29
        bne .same               ; 31 or 32
        lda #6                  ; 33
        sta cnt                 ; 36
        inc row                 ; 41
.join
        lda pf2r,x              ; 45
        sta PF2                 ; 48
        lda pf1r,x              ; 52
        sta PF1                 ; 55
        dey                     ; 57
        bmi .floor              ; 59
        ldx row                 ; 62
        lda (p0),y              ; 68
        jmp .pair               ; 71
.same
        nop                     ; 34
        nop                     ; 36
        nop                     ; 38
        jmp .join               ; 41

.floor
        ldx #$FF
        txs
        inx                     ; 0
        sta WSYNC               ; line 173
        stx PF1
        stx PF2
        stx GRP0
        stx GRP1
        stx ENAM0
        stx ENAM1
        ldy #3
.earth
        lda EarthCol,y
        sta WSYNC
        sta COLUBK
        dey
        bpl .earth
        sta WSYNC
        jmp Footer

; ---------------------------------------------------------------------------------------------
; Getting ready to draw: pictures and missiles.

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
        lda inv
        cmp #60
        bcc .alive
        PICTURE p0,Boom,shipy
        jmp .ship
.alive
        and #4
        beq .seen
.hidden
        lda #<Nothing
        sta p0
        lda #>Nothing
        sta p0+1
        bne .ship
.seen
        lda face
        bne .side
        PICTURE p0,ShipUp,shipy
        jmp .ship
.side
        PICTURE p0,ShipSide,shipy
.ship
        lda motht
        bne .nomoth
        lda frame
        and #8
        beq .flap
        PICTURE p1,MothA,mothy
        jmp .moth
.flap
        PICTURE p1,MothB,mothy
        jmp .moth
.nomoth
        lda #<Nothing
        sta p1
        lda #>Nothing
        sta p1+1
.moth
        lda shotx
        ldx #2
        jsr PosObj
        lda sporex
        ldx #3
        jsr PosObj
        sta WSYNC
        sta HMOVE
        rts

; ---------------------------------------------------------------------------------------------
; A new game, a new cave.

GameInit subroutine
        lda #4
        sta lives
        jsr Home
        sta shoty               ; Home returns 255
        sta sporey
NewCave
        lda #32
        sta build
        lda #120
        sta motht
        lda #90
        sta growt
        rts

Home                            ; the ship to the floor
        lda #76
        sta shipx
        lda #2
        sta shipy
        lda #0
        sta face
        lda #$FF
        rts

; ---------------------------------------------------------------------------------------------
; One frame of play.

GameLogic subroutine
        lda build
        beq .grown
        jsr Plant
        jmp MoveShip
.grown
        jsr Grow
        jsr Moth
        jsr Spore
        jsr Shot
        lda inv
        beq .in
        dec inv
        cmp #61                 ; the explosion is over
        bne .out
        lda lives
        bne .again
        lda #OVER
        sta state
        rts
.again
        jsr Home
.out
        lda inv
        cmp #60
        bcs .done
        jmp MoveShip
.in
        lda CXP0FB              ; fungus (or wall) touched
        bmi .hit
        lda CXPPMM              ; moth
        bmi .hit
        lda CXM1P               ; spore
        bpl .safe
.hit
        jmp Die
.safe
        jmp MoveShip
.done
        rts

Die
        lda #100
        sta inv
        dec lives
        lda #$FF
        sta sporey
        lda #SfxDie-Sfx
        ldx #0
        jsr PlaySound
        ldx #9                  ; clear the lowest rows
ClearBelow subroutine           ; X = first row to clear
        lda #0
.row
        sta pf1l,x
        sta pf2l,x
        sta pf2r,x
        sta pf1r,x
        inx
        cpx #ROWS
        bcc .row
        rts

; Four columns in each frame until the cave is planted.
Plant subroutine
        ldy #4
        sty t3
.column
        dec build
        jsr Rand
        cmp #150                ; three in five columns have a root
        bcs .bare
        jsr Rand
        and #3
        sta t2                  ; length: 1..4 and more in later caves
        lda wave
        cmp #5
        bcc .ok
        lda #4
.ok
        ldx mode
        cpx #2
        bne .short
        adc #3
.short
        sec
        adc t2
        cmp #9
        bcc .fits
        lda #8
.fits
        sta t2
        inc roots
        ldx build
        lda #0
        jsr Cell
.down
        lda grid,y
        ora t0
        sta grid,y
        iny
        dec t2
        bne .down
.bare
        dec t3
        bne .column
        lda build
        bne .more
        lda roots               ; a cave without a root: give it one
        bne .more
        inc roots
        lda #$80
        sta pf2l
.more
        rts

; Cell: X = column 0..31, A = row -> Y = place in grid, A = t0 = mask. The rows of a column follow
; one another.
Cell subroutine
        sta t1
        lda ColMask,x
        sta t0
        txa
        lsr
        lsr
        lsr
        tay
        lda Group,y
        clc
        adc t1
        tay
        lda t0
        rts

; The fungus grows by one piece (two in the thicket) at a time.
Grow subroutine
        dec growt
        bne .done
        lda wave                ; 40 frames, fewer in later caves
        asl
        asl
        sta t0
        lda #44
        bit sw
        bpl .normal             ; right difficulty A: a third faster
        lda #30
.normal
        sec
        sbc t0
        bcc .fast
        cmp #12
        bcs .slow
.fast
        lda #12
.slow
        sta growt
        lda mode
        cmp #2
        bne GrowOne
        jsr GrowOne
GrowOne
        lda #8                  ; look for a column with a root
        sta t2
        jsr Rand
        and #31
        tax
.try
        lda #0
        jsr Cell
        and grid,y
        bne .found
        lda mode
        cmp #3
        bne .next
        lda t2                  ; blight: now and then a new root
        cmp #8
        bne .next
        lda rb
        and #3
        bne .next
        inc roots
        bne .put
.next
        txa
        clc
        adc #5
        and #31
        tax
        dec t2
        bne .try
.done
        rts
.found
        lda #ROWS-1
        sta t2
.down
        iny
        dec t2
        bmi .done
        lda grid,y
        and t0
        bne .down
        lda t2
        beq .floor              ; the lowest row
.put
        lda grid,y
        ora t0
        sta grid,y
        rts
.floor
        lda inv
        bne .put
        ldx #6
        jsr ClearBelow
        jmp Die

; The moth flutters about; over the ship it lets a spore fall.
Moth subroutine
        lda motht
        beq .flying
        dec motht
        bne .done
        jsr Rand
        and #$40
        adc #40
        sta mothx
        lda #60
        sta mothy
.done
        rts
.flying
        lda CXM0P               ; shot?
        bpl .alive
        lda shoty
        bmi .alive
        lda #$FF
        sta shoty
        lda #180
        sta motht
        lda #SfxMoth-Sfx
        ldx #1
        jsr PlaySound
        lda #$10
        jmp AddScore
.alive
        jsr Rand
        and #$1F
        bne .keep
        lda rb
        and #3
        sta mothd
.keep
        ldx #1                  ; one pixel a frame, two at night
        lda mode
        cmp #1
        beq .step
        lda frame
        lsr
        bcc .done
        ldx #0
.step
        lda mothd
        lsr
        lda mothx
        bcc .left
        adc #0                  ; carry is set: one right
        cpx #0
        beq .r1
        adc #1
.r1
        cmp #136
        bcc .x
        lda #2                  ; turn
        bne .turn
.left
        sbc #0                  ; carry is clear: one left
        cpx #0
        beq .l1
        sbc #1
.l1
        cmp #17
        bcs .x
        lda #1
.turn
        sta mothd
        lda mothx
.x
        sta mothx
        lda frame
        and #3
        bne .drop
        lda mothd
        and #2
        bne .up
        dec mothy
        lda mothy
        cmp #30
        bcs .drop
        inc mothy
        bne .drop
.up
        lda mothy
        cmp #68
        bcs .drop
        inc mothy
.drop
        lda sporey              ; a spore if it is above the ship and none is on the way
        cmp #$FF
        bne .none
        lda mothx
        sec
        sbc shipx
        clc
        adc #8
        cmp #16
        bcs .none
        ldx mode
        cpx #1
        beq .yes
        jsr Rand
        and #7
        bne .none
.yes
        lda mothx
        clc
        adc #4
        sta sporex
        lda mothy
        sta sporey
        lda #SfxSpore-Sfx
        ldx #1
        jmp PlaySound
.none
        rts

Spore subroutine
        lda sporey
        cmp #$FF
        beq .done
        lda frame
        lsr
        bcc .done
        dec sporey              ; from 0 to 255: gone
.done
        rts

; The shot flies and cuts.
Shot subroutine
        lda shoty
        cmp #$FF
        beq .done
        bit sw                  ; left difficulty A: half the speed
        bvc .fast
        lda frame
        lsr
        bcs .done
.fast
        lda shotd
        beq .up
        cmp #8
        beq .right
        lda shotx
        sbc #3                  ; carry is clear: four left
        cmp #17
        bcs .moved
        bcc .gone
.right
        lda shotx
        adc #3                  ; carry is set
        cmp #142
        bcs .gone
.moved
        sta shotx
        bcc .where
        bcs .where
.up
        lda shoty
        clc
        adc #2
        cmp #TOPY+1
        bcs .gone
        sta shoty
.where
        lda shotx               ; column under the middle of the shot
        sec
        sbc #15
        lsr
        lsr
        cmp #32
        bcs .done
        tax
        ldy shoty
        lda RowOf,y
        sta t2
        jsr Cell
        and grid,y
        beq .done
        jmp Cut
.gone
        lda #$FF
        sta shoty
.done
        rts

; Y = place in grid, t0 = mask, t2 = row: this piece and everything below it falls.
Cut subroutine
        lda #$FF
        sta shoty
        lda t2
        sta t3                  ; the row of the cut
        lda #1
        sta t1                  ; points
        bne .take
.below
        inc t1
        inc t1
.take
        lda t0
        eor #$FF
        and grid,y
        sta grid,y
        iny
        inc t2
        lda t2
        cmp #ROWS
        bcs .count
        lda grid,y
        and t0
        bne .below
.count
        lda t3
        bne .noroot
        dec roots
        lda t1
        clc
        adc #5
        sta t1
.noroot
        lda t1                  ; at most 30: to BCD
        ldx #0
.tens
        cmp #10
        bcc .ones
        sbc #10
        inx
        bne .tens
.ones
        sta t1
        txa
        asl
        asl
        asl
        asl
        ora t1
        pha
        jsr AddScore
        pla
        cmp #5
        lda #SfxCut-Sfx
        bcc .sound
        lda #SfxFall-Sfx
.sound
        ldx #0
        jsr PlaySound
        lda roots
        bne .done
        lda #1                  ; the cave is clear
        jsr AddHundreds
        inc wave
        lda lives
        cmp #6
        bcs .full
        inc lives
.full
        lda #SfxCave-Sfx
        ldx #1
        jsr PlaySound
        ldx #0
        jsr ClearBelow
        jmp NewCave
.done
        rts

; The ship: a pixel a frame sideways, a line a frame up and down, and fire.
MoveShip subroutine
        lda #0
        sta face
        lda SWCHA
        sta t0
        and #$C0
        beq .vertical           ; both at once: neither
        cmp #$C0
        beq .vertical
        asl
        bcs .left
        lda #8
        sta face
        lda shipx
        cmp #136
        bcs .vertical
        inc shipx
        bcc .vertical
.left
        lda #4
        sta face
        lda shipx
        cmp #17
        bcc .vertical
        dec shipx
.vertical
        lda frame
        lsr
        bcc .fire
        lda t0
        and #$30
        beq .fire
        lsr
        lsr
        lsr
        lsr
        lsr                     ; bit 4 (up) into carry, bit 5 (down) into bit 0
        bcs .notup
        ldx shipy
        cpx #70
        bcs .fire
        inc shipy
        bcc .fire
.notup
        lsr
        bcs .fire
        lda shipy
        beq .fire
        dec shipy
.fire
        lda INPT4
        bmi .done
        lda inv
        cmp #60
        bcs .done
        lda shoty
        cmp #$FF
        bne .done
        lda face
        sta shotd
        lda shipx
        clc
        adc #3
        sta shotx
        lda shipy
        clc
        adc #3
        sta shoty
        lda #SfxShot-Sfx
        ldx #1
        jmp PlaySound
.done
        rts

; ---------------------------------------------------------------------------------------------
; Tables.

RowCol  .byte $C4,$C6,$C8,$C8,$D8,$D8,$E8,$E8,$F8,$28,$36,$46,$46,$46
EarthCol .byte $20,$22,$24,$26
Group   .byte 0,ROWS,ROWS*2,ROWS*3
ColMask .byte $80,$40,$20,$10,$08,$04,$02,$01
        .byte $01,$02,$04,$08,$10,$20,$40,$80
        .byte $80,$40,$20,$10,$08,$04,$02,$01
        .byte $01,$02,$04,$08,$10,$20,$40,$80
RowOf                           ; height 0..77 -> row
.y      set 0
        repeat TOPY+1
        .byte (TOPY-.y)/6
.y      set .y+1
        repend

Sfx     .byte 0
SfxShot .byte 0,$C8,6, 0,$C6,9, 1,$C4,13, $FF
SfxCut  .byte 1,$88,6, 1,$85,10, $FF
SfxFall .byte 1,$6A,6, 1,$6A,9, 1,$68,13, 2,$66,18, 3,$64,24, $FF
SfxMoth .byte 1,$4A,6, 1,$4A,9, 1,$4A,6, 1,$4A,12, 2,$46,16, $FF
SfxSpore .byte 1,$43,20, 1,$43,22, 1,$43,25, $FF
SfxDie  .byte 3,$8F,6, 3,$8D,10, 3,$8B,14, 7,$88,20, 9,$84,28, $FF
SfxCave .byte 4,$4A,17, 4,$4A,14, 4,$4A,11, 4,$4A,8, 9,$47,8, $FF

Nothing ds TOPY+1,0             ; zeros below and above each picture
ShipUp  .byte %10011001         ; foot first
        .byte %11011011
        .byte %11111111
        .byte %01111110
        .byte %00111100
        .byte %00011000
        .byte %00011000
        ds TOPY+1,0
ShipSide
        .byte %00000000
        .byte %11100000
        .byte %11111000
        .byte %01111111
        .byte %11111000
        .byte %11100000
        .byte %00000000
        ds TOPY+1,0
Boom    .byte %01000010
        .byte %10100101
        .byte %00011000
        .byte %10111101
        .byte %00011000
        .byte %10100101
        .byte %01000010
        ds TOPY+1,0
MothA   .byte %00000000
        .byte %00011000
        .byte %00111100
        .byte %11011011
        .byte %11111111
        .byte %11011011
        .byte %01000010
        ds TOPY+1,0
MothB   .byte %01000010
        .byte %11011011
        .byte %11111111
        .byte %00111100
        .byte %00011000
        .byte %00100100
        .byte %00000000
        ds TOPY+1,0

        mac ExtraFont
Icon    equ 96
        .byte %00000000
        .byte %10010010
        .byte %11010110
        .byte %11111110
        .byte %01111100
        .byte %00111000
        .byte %00010000
        .byte %00010000
        endm

        include "common.inc"

        org $FFFC
        .word Boot
        .word Boot
