; Cragfast: climbing, with rewards that come late and falls that cost much.
;
; A cliff of ten rows of holds between two ledges: a pitch. Only the ledge pays, more with daylight left;
; five pitches make a mountain, and the summit pays most. The stick moves from hold to hold, also
; aslant. Narrow holds are loose and break a second after they are taken. Before a gust the rock turns
; pale: whoever moves while it blows falls. Stones fall too. A fall costs a life and leads back to
; the ledge, or to the piton that the button has set; there are two for each pitch, and whoever makes the
; detour to the edelweiss gets another one.
;
; Modes: 0 fair weather (no stones), 1 stones, 2 gale (more and longer gusts, stones), 3 rotten rock (every
; other hold is loose and breaks sooner). Left difficulty A: no pitons. Right difficulty A: gusts come
; with little warning.

        processor 6502
        include "console.inc"

NMODES  equ 4
MAGIC   equ $D4
SCORECOL equ $2A
LIFECOL equ $4A
TITLEHUE equ $20
ROWS    equ 13
TOPY    equ 77          ; heights count pairs of lines
LEDGE   equ 12          ; row of the lower ledge
GOAL    equ 1           ; row of the upper one

; ---- RAM ----
        seg.u ram
        org GRAM
rowb    ds ROWS         ; holds: bit 7 = leftmost of eight columns
rowl    ds ROWS         ; those of them that are loose
p0      ds 2
p1      ds 2
col     ds 1            ; the climber's hold
row     ds 1
dcol    ds 1            ; where a move leads: -1, 0, 1
drow    ds 1
prog    ds 1            ; sixteenths of the move
climbx  ds 1            ; where the climber is drawn
climby  ds 1
falling ds 1
pcol    ds 1            ; the piton, or the lower ledge
prow    ds 1
pitons  ds 1
windt   ds 1            ; frames left of this part of the weather:
winds   ds 1            ; 0 calm, 1 warning, 2 gust
windc   ds 1            ; exclusive-ored into the rock's color
stonex  ds 1
stoney  ds 1            ; 255: none
stonet  ds 1            ; frames until the next
pitch   ds 1            ; pitches climbed
light   ds 1            ; daylight left
lightt  ds 1
crumble ds 1            ; frames that a loose hold still holds
gen     ds 1            ; rows still to be made
pathc   ds 1            ; column of the way up
flowerx ds 1
flowery ds 1            ; 255: none
flowerc ds 1
flowerr ds 1
pause   ds 1
ropelo  ds 1            ; the rope hangs from here
ropelen ds 1            ; so far up
firewas ds 1
facing  ds 1

        seg code
        org $F000

; ---------------------------------------------------------------------------------------------
; The picture: 13 rows of 6 pairs of lines. In the first four pairs of a row the playfield is empty and the
; processor has time: it draws the rope and works out the row's holds, one byte of playfield in each pair. In the
; last two pairs it shows them; left and right differ, as in sporefall.asm.

        mac ROPE                ; missile 0 on between ropelo and ropelo + ropelen
        tya
        sec
        sbc ropelo
        cmp ropelen
        lda #0
        bcs .off
        lda #2
.off
        sta ENAM0
        endm

        mac HOLDS               ; {1} the byte; {2} {3} two holds, {4} {5} what is missing of a loose one
        lda #0                  ; 2
        asl t0                  ; 7
        bcc .n1
        ora #{2}                ; 11
.n1
        asl t0                  ; 16
        bcc .n2
        ora #{3}                ; 20
.n2
        asl t1                  ; 25
        bcc .n3
        eor #{4}                ; 29
.n3
        asl t1                  ; 34
        bcc .n4
        eor #{5}                ; 38
.n4
        ora LedgeMask,x         ; 42
        sta {1}                 ; 45
        endm

        mac FLOWER              ; missile 1 on for two pairs
        tya
        sec
        sbc flowery
        cmp #2
        lda #0
        bcs .off
        lda #2
.off
        sta ENAM1
        endm

        mac PAIR                ; a pair of lines without holds; parameters as for HOLDS
        sta WSYNC
        sta GRP0
        ROPE
        FLOWER
        lda (p1),y
        sta WSYNC
        sta GRP1
        dey
        HOLDS {1},{2},{3},{4},{5}
        lda (p0),y
        endm

        mac HOLDLINE            ; one line of holds; ends in cycle 54
        lda ptr                 ; 6
        sta PF1                 ; 9
        lda ptr+2               ; 12
        sta PF2                 ; 15
        jsr Wait12              ; 27
        jsr Wait12              ; 39
        bit t0                  ; 42
        lda ptr+4               ; 45
        sta PF2                 ; 48
        lda ptr+6               ; 51
        sta PF1                 ; 54
        endm

GameKernel subroutine
        lda #0
        sta VDELP0
        sta VDELP1
        sta NUSIZ0
        lda #$20
        sta NUSIZ1
        lda facing
        sta REFP0
        lda #$4A
        sta COLUP0
        lda climbx
        ldx #0
        jsr PosObj              ; lines 10, 11
        lda #$0E
        sta COLUP1
        lda stonex
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
        sta WSYNC               ; pair 0
        sta GRP0                ; 3
        lda #0                  ; 5
        sta PF1                 ; 8
        sta PF2                 ; 11
        lda RockCol,x           ; 15
        eor windc               ; 18
        sta COLUBK              ; 21
        ROPE                    ; 40
        lda rowb,x              ; 44
        sta t0                  ; 47
        lda rowl,x              ; 51
        sta t1                  ; 54
        lda (p1),y              ; 60
        sta WSYNC
        sta GRP1                ; 3
        dey                     ; 5
        lda HoldCol,x           ; 9
        sta COLUPF              ; 12
        HOLDS ptr,$60,$06,$20,$02
        lda (p0),y              ; 63
        PAIR ptr+2,$06,$60,$02,$20
        PAIR ptr+4,$60,$06,$20,$02
        PAIR ptr+6,$06,$60,$02,$20
        sta WSYNC               ; pair 4
        sta GRP0                ; 3
        HOLDLINE
        lda (p1),y              ; 60
        sta WSYNC
        sta GRP1                ; 3
        HOLDLINE
        dey                     ; 56
        lda (p0),y              ; 62
        sta WSYNC               ; pair 5
        sta GRP0
        HOLDLINE
        lda (p1),y
        sta WSYNC
        sta GRP1
        HOLDLINE
        dey                     ; 56
        inx                     ; 58
        cpx #ROWS               ; 60
        beq .end                ; 62
        lda (p0),y              ; 68
        jmp .row                ; 71
.end
        lda #0
        sta WSYNC               ; line 172
        sta PF1
        sta PF2
        sta GRP0
        sta GRP1
        sta COLUBK
        sta ENAM0
        sta ENAM1
        lda #$1A
        sta COLUPF
        lda light
        lsr
        lsr
        lsr
        tay
        sta WSYNC
        lda BarPF1,y            ; lines 173 to 175: daylight
        sta PF1
        lda BarPF2,y
        sta PF2
        sta WSYNC
        sta WSYNC
        sta WSYNC
        lda #0                  ; line 176
        sta PF1
        sta PF2
        sta WSYNC
        sta WSYNC
        jmp Footer              ; line 178

Wait12
        rts

; ---------------------------------------------------------------------------------------------
; Getting ready to draw.

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
        lda falling
        beq .holding
        PICTURE p0,ManFall,climby
        jmp .rope
.holding
        lda row
        cmp #LEDGE
        beq .stand
        cmp #GOAL
        beq .stand
        lda prog
        and #8
        bne .reach
        PICTURE p0,ManA,climby
        jmp .rope
.reach
        PICTURE p0,ManB,climby
        jmp .rope
.stand
        PICTURE p0,ManStand,climby
.rope
        ldx prow                ; from the piton to the climber
        lda RowY,x
        sta ropelo
        lda climby
        sec
        sbc ropelo
        bcs .taut
        lda #0
.taut
        sta ropelen
        lda stoney
        cmp #$FF
        beq .nostone
        PICTURE p1,Stone,stoney
        jmp .weather
.nostone
        lda #<Nothing
        sta p1
        lda #>Nothing
        sta p1+1
.weather
        ldx winds
        lda WindCol,x
        dex
        bne .steady
        lda frame               ; the warning flickers
        and #8
        beq .steady
        lda #0
.steady
        sta windc
        lda level               ; each level has its own rock
        and #3
        tax
        lda Rocks,x
        eor windc
        sta windc
        lda climbx
        clc
        adc #4
        ldx #2
        jsr PosObj
        lda flowerx
        ldx #3
        jsr PosObj
        sta WSYNC
        sta HMOVE
        rts

; ---------------------------------------------------------------------------------------------
; A new game, a new pitch.

GameInit subroutine
        lda #4
        sta lives
NewPitch
        ldx #2
        bit sw                  ; left difficulty A: no pitons
        bvc .some
        ldx #0
.some
        stx pitons
        lda #3
        sta pcol
        lda #LEDGE
        sta prow
        lda #150
        sta light
        lda #0
        sta winds
        lda #200
        sta windt
        sta flowerr             ; 200: to be placed
        jsr Home
Regrow                          ; make the pitch again, all holds whole
        lda #10
        sta gen
        lda #$FF
        sta stoney
        lda #100
        sta stonet
        lda pitch
        asl
        asl
        asl
        sec
        sbc pitch               ; 7 * pitch
        asl
        adc pitch               ; 15 *
        eor level
        jsr Seed
        jsr Rand
        and #7
        sta pathc
        rts

Home
        lda pcol
        sta col
        lda prow
        sta row
        lda #0
        sta prog
        sta falling
        sta crumble
        jmp Place

; Two rows of holds in each frame, from the lowest to the highest. From the way up below, the way goes some
; steps aside and then up: so there always is a way.
Generate subroutine
        jsr .one
.one
        ldx gen
        inx                     ; rows 11..2
        ldy pathc
        lda ColBit,y
        sta t0
        jsr Rand
        sta t1
        and #3
        sta t2                  ; steps aside
        beq .straight
.aside
        ldy pathc
        lda t1
        bmi .right
        dey
        bpl .step
        bmi .straight
.right
        iny
        cpy #8
        bcs .straight
.step
        sty pathc
        lda ColBit,y
        ora t0
        sta t0
        dec t2
        bne .aside
.straight
        jsr Rand                ; other holds lead astray
        sta t1
        jsr Rand
        and t1
        ora t0
        cpx #6
        bne .plain
        jsr Detour
.plain
        sta rowb,x
        jsr Rand
        ldy mode
        cpy #3
        beq .rotten
        sta t1
        jsr Rand
        and t1
.rotten
        and rowb,x
        sta rowl,x
        dec gen
        bne .more
        lda #$FF
        sta rowb+LEDGE
        sta rowb+GOAL
        lda #0
        sta rowl+LEDGE
        sta rowl+GOAL
.more
        rts

; The edelweiss: in row 6, at the end that is further from the way; holds lead there.
Detour subroutine
        sta t0
        ldy pathc
        cpy #4
        bcs .left
        lda DetourRight,y
        ldy #7
        bne .put
.left
        lda DetourLeft-4,y
        ldy #0
.put
        ora t0
        sta t0
        lda flowerr
        cmp #200                ; once in a pitch
        bne .done
        sty flowerc
        lda #6
        sta flowerr
        lda ColX,y
        clc
        adc #3
        sta flowerx
        lda #39
        sta flowery
.done
        lda t0
        rts

; Place: from hold and move to where the climber is drawn.
Place subroutine
        ldx row
        lda RowY,x
        sta climby
        ldx col
        lda ColX,x
        sta climbx
        ldy prog
        beq .done
        lda dcol
        beq .vertical
        bmi .left
        tya
        clc
        adc climbx
        sta climbx
        bne .vertical
.left
        tya
        eor #$FF
        sec
        adc climbx
        sta climbx
.vertical
        lda drow
        beq .done
        clc                     ; between the two heights
        adc row
        tax
        lda RowY,x
        sec
        sbc climby
        bcc .down
        cmp #3
        bcc .near
        lda Up,y
        clc
        adc climby
        sta climby
        rts
.down
        lda climby
        sec
        sbc Up,y
        bcs .ok
        lda #0
.ok
        cmp #2
        bcs .set
        lda #2
.set
        sta climby
.near
.done
        rts

; ---------------------------------------------------------------------------------------------
; One frame of play.

GameLogic subroutine
        lda gen
        beq .made
        jmp Generate
.made
        lda pause
        beq .play
        dec pause
        bne .wait
        jmp NewPitch
.wait
        rts
.play
        jsr Weather
        jsr Stones
        lda falling
        beq .climb
        jmp Fall
.climb
        dec lightt              ; the day goes by
        bpl .bright
        lda #15
        sta lightt
        dec light
        bne .bright
        lda #150
        sta light
        jmp Slip
.bright
        lda CXPPMM              ; a stone
        bmi .hit
        lda row
        cmp #LEDGE
        beq .safe
        lda prog                ; a gust while moving
        beq .safe
        lda winds
        cmp #2
        bne .safe
.hit
        jmp Slip
.safe
        jsr Hold
        lda falling
        bne .over
        jsr Move
        jsr Piton
        jmp Place
.over
        rts

; A loose hold breaks.
Hold subroutine
        lda prog
        bne .done
        ldx row
        ldy col
        lda rowl,x
        and ColBit,y
        beq .firm
        inc crumble
        lda #60
        ldy mode
        cpy #3
        bne .slow
        lda #36
.slow
        cmp crumble
        bcs .done
        ldy col                 ; it is gone
        lda ColBit,y
        eor #$FF
        and rowb,x
        sta rowb,x
        lda rowl,x
        and rowb,x
        sta rowl,x
        jmp Slip
.firm
        lda #0
        sta crumble
.done
        rts

Slip
        lda #1
        sta falling
        lda #SfxFall-Sfx
        ldx #0
        jmp PlaySound

Fall subroutine
        lda climby
        sec
        sbc #2
        bcc .landed
        cmp ropelo
        bcc .landed
        sta climby
        rts
.landed
        dec lives
        bne .more
        lda #OVER
        sta state
        lda #0
        sta falling
        lda prow
        sta row
        jmp Place
.more
        jsr Home
        lda #SfxRope-Sfx
        ldx #1
        jsr PlaySound
        jmp Regrow

; Moves: the way the stick points, else only up or down, else only aside.
Move subroutine
        lda prog
        bne .moving
        lda SWCHA
        lsr
        lsr
        lsr
        lsr
        tay
        lda StickX,y
        sta dcol
        lda StickY,y
        sta drow
        ora dcol
        beq .done
        jsr Can
        bcs .start
        lda dcol
        pha
        lda #0
        sta dcol
        jsr Can
        pla
        bcs .start
        sta dcol
        lda #0
        sta drow
        jsr Can
        bcc .done
.start
        inc prog
        lda #0
        sta crumble
        ldx dcol
        beq .same
        lda #0
        dex
        beq .right
        lda #8
.right
        sta facing
.same
        lda #SfxMove-Sfx
        ldx #1
        jmp PlaySound
.moving
        inc prog
        lda prog
        cmp #16
        bcc .done
        lda #0
        sta prog
        lda col
        clc
        adc dcol
        sta col
        lda row
        clc
        adc drow
        sta row
        cmp #GOAL
        beq Top
        cmp flowerr
        bne .done
        lda col
        cmp flowerc
        bne .done
        lda #$FF                ; the edelweiss
        sta flowery
        sta flowerr
        inc pitons
        lda #SfxFlower-Sfx
        ldx #1
        jsr PlaySound
        lda #$30
        jmp AddScore
.done
        rts

Top subroutine                  ; the upper ledge
        lda #1
        jsr AddHundreds
        lda light               ; and ten points for every sixteenth of the day
        and #$F0
        jsr AddScore
        inc pitch
        lda #90
        sta pause
        ldx #5
        lda pitch
.five
        sec
        sbc #5
        bcc .no
        bne .five
        txa                     ; a summit
        jsr AddHundreds
        lda lives
        cmp #6
        bcs .no
        inc lives
.no
        lda #SfxTop-Sfx
        ldx #1
        jmp PlaySound

; Can: carry set if a hold is at (col + dcol, row + drow).
Can subroutine
        lda dcol
        ora drow
        beq .no
        lda row
        clc
        adc drow
        cmp #ROWS
        bcs .no
        tax
        cpx #GOAL
        bcc .no
        lda col
        clc
        adc dcol
        cmp #8
        bcs .no
        tay
        lda ColBit,y
        and rowb,x
        beq .no
        sec
        rts
.no
        clc
        rts

Piton subroutine
        lda INPT4
        and #$80
        tax
        eor firewas
        stx firewas
        beq .no
        txa
        bmi .no
        lda prog
        bne .no
        lda pitons
        beq .no
        lda row
        cmp #LEDGE
        beq .no
        ldx row                 ; not in a loose one
        ldy col
        lda ColBit,y
        and rowl,x
        bne .no
        dec pitons
        stx prow
        sty pcol
        lda #SfxPiton-Sfx
        ldx #1
        jmp PlaySound
.no
        rts

Weather subroutine
        dec windt
        bne .done
        ldx winds
        inx
        cpx #3
        bcc .set
        ldx #0
.set
        stx winds
        cpx #1
        bcs .blow
        jsr Rand                ; calm: 150 to 277 frames, in a gale half of it
        and #$7F
        clc
        adc #127
        ldx mode
        cpx #2
        bne .time
        lsr
        bne .time
.blow
        bne .gust
        lda #60                 ; warning
        bit sw
        bpl .warn
        lda #24
.warn
        sta windt
        lda #SfxWarn-Sfx
        ldx #0
        jmp PlaySound
.gust
        lda #60
        ldx mode
        cpx #2
        bne .short
        lda #100
.short
        sta windt
        lda #SfxGust-Sfx
        ldx #0
        jmp PlaySound
.time
        sta windt
.done
        rts

Stones subroutine
        lda mode
        beq .done
        lda stoney
        cmp #$FF
        bne .drop
        dec stonet
        bne .done
        jsr Rand
        and #$3F
        adc #50
        sta stonet
        lda rb                  ; mostly where the climber is
        and #3
        beq .elsewhere
        ldx col
        bcc .x
        bcs .x
.elsewhere
        lda ra
        and #7
        tax
.x
        lda ColX,x
        sta stonex
        lda #72
        sta stoney
        lda #SfxStone-Sfx
        ldx #1
        jmp PlaySound
.drop
        dec stoney
        bne .done
        dec stoney              ; 255: gone
.done
        rts

; ---------------------------------------------------------------------------------------------
; Tables.

ColX    .byte 20,36,52,68,84,100,116,132
ColBit  .byte $80,$40,$20,$10,$08,$04,$02,$01
RowY    .byte 70,68,58,52,46,40,34,28,22,16,10,4,2
Up      .byte 0,0,1,1,1,2,2,3,3,3,4,4,4,5,5,6,6
DetourRight .byte $FF,$7F,$3F,$1F
DetourLeft .byte $F8,$FC,$FE,$FF
StickX                          ; right left down up, 0 = pressed; both at once: neither
        .byte 0,0,0,0,1,1,1,1,-1,-1,-1,-1,0,0,0,0
StickY
        .byte 0,1,-1,0,0,1,-1,0,0,1,-1,0,0,1,-1,0
WindCol .byte $00,$06,$06
Rocks   .byte $00,$10,$30,$D0
LedgeMask .byte 0,$FF,0,0,0,0,0,0,0,0,0,0,$FF
RockCol .byte $84,$84,$22,$22,$20,$20,$20,$20,$20,$F0,$F0,$F0,$F0
HoldCol .byte $0C,$0E,$2C,$2C,$2A,$2A,$2A,$2A,$28,$28,$28,$28,$0C
BarPF1  .byte $00,$00,$00,$00,$00,$00,$00,$00,$00,$00,$01,$03,$07,$0F,$0F,$1F,$3F,$7F,$FF,$FF
BarPF2  .byte $00,$80,$C0,$E0,$F0,$F0,$F8,$FC,$FE,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF

Sfx     .byte 0
SfxMove .byte 0,$83,14, 1,$82,18, $FF
SfxPiton .byte 1,$C8,3, 3,$C0,3, 1,$C8,3, 3,$C0,3, 2,$C8,2, $FF
SfxFlower .byte 2,$4A,12, 2,$4A,9, 2,$4A,7, 4,$48,6, $FF
SfxFall .byte 1,$4A,6, 1,$4A,8, 1,$4A,10, 1,$4A,12, 1,$4A,15, 1,$49,18, 1,$48,21, 1,$47,24, 2,$46,28, $FF
SfxRope .byte 2,$68,20, 4,$66,26, $FF
SfxTop  .byte 5,$4A,20, 5,$4A,16, 5,$4A,13, 11,$4A,10, 5,$48,13, 15,$48,10, $FF
SfxWarn .byte 9,$82,20, 9,$83,18, 9,$84,16, 9,$85,14, $FF
SfxGust .byte 9,$88,12, 9,$8A,10, 9,$88,12, 9,$8A,9, 9,$86,12, $FF
SfxStone .byte 1,$66,10, 1,$64,14, 1,$62,18, $FF

Nothing ds TOPY+1,0             ; zeros below and above each picture
ManA    .byte %01000010         ; foot first
        .byte %01100110
        .byte %00111100
        .byte %00111100
        .byte %01111110
        .byte %01011010
        .byte %11000000
        ds TOPY+1,0
ManB    .byte %01100000
        .byte %01100110
        .byte %00111110
        .byte %00111100
        .byte %01111110
        .byte %01011010
        .byte %00000011
        ds TOPY+1,0
ManStand .byte %01100110
        .byte %00100100
        .byte %00111100
        .byte %10111101
        .byte %01111110
        .byte %00011000
        .byte %00011000
        ds TOPY+1,0
ManFall .byte %10000001
        .byte %01011010
        .byte %00111100
        .byte %00111100
        .byte %01111110
        .byte %10011001
        .byte %10000001
        ds TOPY+1,0
Stone   .byte %00111100
        .byte %01111110
        .byte %11111111
        .byte %01101110
        .byte %00111100
        ds TOPY+1,0

EXTRA   equ pitons
        mac ExtraFont
Icon    equ 96
        .byte %00000000
        .byte %01100110
        .byte %00100100
        .byte %10111101
        .byte %01111110
        .byte %00011000
        .byte %00011000
        .byte %00000000
Icon2   equ 104                 ; a piton
        .byte %00000000
        .byte %00100000
        .byte %00010000
        .byte %00011000
        .byte %00001100
        .byte %00011110
        .byte %00110000
        .byte %00000000
        endm

        include "common.inc"

        org $FFFC
        .word Boot
        .word Boot
