; Duskrain: a game of reflexes for the paddle.
;
; Lights fall out of the evening sky. Catch them in the boat; a row of catches without a miss is worth
; more and more. Let stones fall past. In twilight there are lights of two colors, and the button
; turns the boat from sun to moon: catch each with its own color. Every light that reaches the
; water raises the tide, and a full tide, a stone or a wrong light costs a boat. A star calms the rain.
;
; Modes: 0 rain, 1 twilight (two colors), 2 wind (lights drift), 3 storm (two colors, wind, faster).
; The first two waves are played with a barge, twice as wide as the boat. Left difficulty A: half the
; width in either case, and twice as many stones. Right difficulty A: the rain is faster and the tide rises
; twice as fast.
; A joystick serves as well as a paddle: the game notices which one is plugged in.

        processor 6502
        include "console.inc"

NMODES  equ 4
MAGIC   equ $D1
SCORECOL equ $1A
LIFECOL equ $1C
TITLEHUE equ $60

; ---- RAM ----
        seg.u ram
        org GRAM
dropx   ds 9            ; nine lights, the lowest last: position
dropk   ds 9            ; and kind
off     ds 1            ; lines by which the rain has come down, 0..15
offlo   ds 1            ; and 1/256 of a line
spdhi   ds 1            ; speed, lines per frame
spdlo   ds 1
pad     ds 1            ; lines on which the paddle was seen charged
boatx   ds 1
moon    ds 1            ; 0 the boat is a sun boat, 1 a moon boat
firewas ds 1            ; button in the last frame
paddle  ds 1            ; 1: there is a paddle
chain   ds 1            ; catches since the last miss
tide    ds 1            ; 0..11
wave    ds 1            ; 0.. rises with catches
caught  ds 1            ; catches of this wave
pathx   ds 1            ; where the next light comes from
pathv   ds 1            ; and how far the one after it will be away
run     ds 1            ; lights left of this run
runkind ds 1            ; their kind
flash   ds 1            ; frames of flashing after a loss
wind    ds 1            ; -1, 0, 1
windt   ds 1            ; frames until the wind turns
calm    ds 1            ; frames of slow rain after a star, divided by 2
hue     ds 1            ; exclusive-ored into the sky
anim    ds 1            ; offset of the pictures shown in this frame
row     ds 1
gp      ds 2            ; pointer to a picture
stars   ds 1            ; lights until the next star
rate    ds 1            ; chance of a stone, of 256
wide    ds 1            ; size of the boat: 0 small, 1 boat, 2 barge

        seg code
        org $F000

; ---------------------------------------------------------------------------------------------
; The picture. One player draws all nine lights: between two of them it is moved (one line) and given
; color and shape (one line). HMOVE is strobed on every line, so the black bar that it leaves at the
; left edge is a straight one. The paddle is read on every line: its capacitor charges through
; the paddle's resistance, and the number of lines on which it was charged is the boat's position.

        mac PLACE               ; two lines: move player 0 to light `row`, then color and shape
        ldy row
        lda dropx,y
        sec
        sta WSYNC
        sta HMOVE               ; 3
.div
        sbc #15
        bcs .div
        eor #7
        asl
        asl
        asl
        asl
        sta HMP0
        sta RESP0               ; 18 + 5 * turns, as in PosObj
        sta WSYNC
        sta HMOVE               ; 3
        dex                     ; 5
        lda Sky,x               ; 9
        eor hue                 ; 12
        sta COLUBK              ; 15
        dex                     ; 17
        ldy row                 ; 20
        lda dropk,y             ; 24
        tay                     ; 26
        lda KindCol,y           ; 30
        sta COLUP0              ; 33
        lda KindLo,y            ; 37
        clc                     ; 39
        adc anim                ; 42
        sta gp                  ; 45
        lda INPT0               ; 48
        bpl .b1                 ; 50
        inc pad                 ; 55
        inc pad                 ; 60, for the line before as well
.b1
        sta HMCLR               ; 63
        ldy #13                 ; 65
        endm

        mac SKYLINE             ; the rest of a line: sky and paddle
        lda Sky,x
        eor hue
        sta COLUBK
        lda INPT0
        bpl .s1
        inc pad
.s1
        dex
        endm

GameKernel subroutine
        lda #0
        sta VDELP0
        sta VDELP1
        sta NUSIZ0
        sta pad
        ldy wide
        lda BoatSize,y
        sta NUSIZ1
        ldy moon
        lda BoatCol,y
        sta COLUP1
        lda boatx
        ldx #1
        jsr PosObj              ; lines 10 and 11
        sta WSYNC
        sta HMOVE               ; line 13
        ldx #159
        ldy off
        lda #>Shapes
        sta gp+1
        lda #0
        sta row
        sta HMCLR
        tya
        beq .band
.top
        sta WSYNC
        sta HMOVE
        SKYLINE
        dey
        bne .top

.band
        PLACE
.light
        sta WSYNC
        sta HMOVE               ; 3
        lda (gp),y              ; 8
        sta GRP0                ; 11
        SKYLINE
        dey
        bpl .light
        inc row
        lda row
        cmp #8
        bne .band

        PLACE                   ; the lowest light shares its lines with the boat
.tail
        sta WSYNC
        sta HMOVE
        lda Boat,x
        sta GRP1                ; 10
        lda Sky,x
        eor hue
        sta COLUBK              ; 20
        lda (gp),y
        sta GRP0                ; 28: pixel 16, no light is further left
        lda INPT0
        bpl .t2
        inc pad
.t2
        dex
        dey
        bpl .tail
        lda #0
        sta GRP0
.sea
        sta WSYNC               ; 16 - off lines: X runs out
        sta HMOVE
        lda Boat,x
        sta GRP1
        SKYLINE
        cpx #$FF
        bne .sea

        ldy tide                ; lines 174 to 177: the tide, rising toward the middle
        ldx #4
.tide
        sta WSYNC
        sta HMOVE
        lda #0                  ; 5
        sta GRP1                ; 8
        lda #$A4                ; 10
        sta COLUBK              ; 13
        lda TidePF0,y           ; 17
        sta PF0                 ; 20
        lda TidePF1,y           ; 24
        sta PF1                 ; 27
        lda TidePF2,y           ; 31
        sta PF2                 ; 34
        dex
        bne .tide
        sta WSYNC
        jmp Footer

; ---------------------------------------------------------------------------------------------
; Getting ready to draw.

GamePrep subroutine
        lda #1
        sta CTRLPF              ; mirrored playfield
        lda #$0E
        sta COLUPF
        lda frame               ; the lights twinkle
        and #8
        beq .still
        lda #ShapesB-Shapes
.still
        sta anim
        ldx #1                  ; a barge at first, then a boat; left difficulty A: a size smaller
        lda wave
        cmp #2
        bcs .boat
        inx
.boat
        bit sw
        bvc .easy
        dex
.easy
        stx wide
        lda level               ; each level has its own evening
        and #7
        tay
        lda Hues,y
        ldy flash
        beq .dark
        eor FlashCol,y
.dark
        sta hue
        rts

; ---------------------------------------------------------------------------------------------
; A new game.

GameInit subroutine
        lda #4
        sta lives
        lda #72
        sta pathx
        lda #64
        sta boatx
        lda #24
        sta stars
        jsr Rand                ; each level has its own share of stones
        and #$1F
        adc #16
        sta rate
        ; fall through

; speed by wave: 0.75 lines per frame and 1/8 more each wave, up to 5.5; the boat catches through 6 lines
SetSpeed subroutine
        lda wave
        ldx mode
        cpx #3
        bne .slow
        clc
        adc #4                  ; a storm begins four waves later,
.slow
        bit sw
        bpl .calm
        clc
        adc #6                  ; right difficulty A six
.calm
        cmp #38
        bcc .ok
        lda #38
.ok
        adc #6                  ; in eighths of a line
        sta spdhi
        lda #0
        lsr spdhi
        ror
        lsr spdhi
        ror
        lsr spdhi
        ror
        sta spdlo
        rts

; ---------------------------------------------------------------------------------------------
; One frame of play.

GameLogic subroutine
        lda flash
        beq .noflash
        dec flash
.noflash
        jsr Steer
        jsr Wind
        jsr Fall
        jmp Catch

; The boat. With a paddle: as many pixels as charged lines, one pixel of play against trembling. With
; a joystick (never any charge): three pixels a frame.
Steer subroutine
        lda pad
        beq .uncharged
        ldx #1
        stx paddle
.uncharged
        lda paddle
        beq .stick
        lda pad                 ; the middle of the boat is at pad + 8
        ldy wide
        clc
        adc BoatShift,y
        cmp #200
        bcs .p0
        cmp #9
        bcs .p1
.p0
        lda #9
.p1
        cmp BoatMax,y
        bcc .p2
        lda BoatMax,y
.p2
        tax
        sec
        sbc boatx
        clc
        adc #1
        cmp #3
        bcc .button             ; -1, 0, 1: stay
        stx boatx
.button
        lda SWCHA               ; the paddle's button is the stick's right
        eor #$80
        jmp .fire
.stick
        lda SWCHA
        and #$C0
        beq .stickfire          ; both at once: neither
        cmp #$C0
        beq .stickfire
        ldy wide
        asl
        lda boatx
        bcs .left
        adc #3                  ; bit 7 clear: right
        cmp BoatMax,y
        bcc .moved
        lda BoatMax,y
        bne .moved
.left
        sbc #3
        cmp #9
        bcs .moved
        lda #9
.moved
        sta boatx
.stickfire
        lda INPT4
        eor #$80
.fire
        and #$80
        tax
        eor firewas
        stx firewas
        beq .done               ; no change
        txa
        beq .done               ; released
        lda mode
        lsr
        bcc .done               ; one color only
        lda moon
        eor #1
        sta moon
        lda #SfxTurn-Sfx
        ldx #1
        jmp PlaySound
.done
        rts

Wind subroutine
        lda mode
        cmp #2
        bcc .calm
        dec windt
        bpl .blow
        jsr Rand
        and #$3F
        ora #$20
        sta windt
        jsr Rand
        ldx #0
        and #3
        beq .set                ; still
        ldx #1
        lsr
        bcs .set
        ldx #$FF
.set
        stx wind
.blow
        lda frame
        lsr
        bcs .calm
        ldx #8
.each
        lda dropx,x
        clc
        adc wind
        cmp #17
        bcc .edge
        cmp #150
        bcs .edge
        sta dropx,x
.edge
        dex
        bpl .each
.calm
        rts

; The rain comes down; every 16 lines the lights move up one place in the table.
Fall subroutine
        lda calm
        beq .fast
        lda frame
        lsr
        bcc .tick
        dec calm
.tick
        lda #$60                ; a star: slow for a while
        ldx #0
        beq .add
.fast
        lda spdlo
        ldx spdhi
.add
        clc
        adc offlo
        sta offlo
        txa
        adc off
        sta off
        cmp #16
        bcc .done
        and #15
        sta off
        ldx dropk+8             ; what was lowest has reached the water
        jsr Missed
        ldx #7
.shift
        lda dropx,x
        sta dropx+1,x
        lda dropk,x
        sta dropk+1,x
        dex
        bpl .shift
        jmp NewLight
.done
        rts

Missed subroutine               ; X = kind
        lda Good,x
        beq .harmless
        lda #0
        sta chain
        ldx tide
        inx
        bit sw                  ; right difficulty A: two steps
        bpl .once
        inx
.once
        stx tide
        cpx #12
        bcs .flood
        lda #SfxSplash-Sfx
        ldx #0
        jmp PlaySound
.flood
        jmp LoseBoat
.harmless
        rts

; A new light at the top. Lights come in runs: a run has one color and a steady step to one side.
NewLight subroutine
        dec run
        bpl .going
        jsr Rand
        and #3
        adc #3
        sta run
        jsr Rand                ; step: -16..15, half as much again from wave 12 on and
        and #$1F                ; on levels with a high seed
        sec
        sbc #$10
        sta pathv
        bit level
        bmi .wider
        ldx wave
        cpx #12
        bcc .narrow
.wider
        cmp #$80
        ror
        clc
        adc pathv
        sta pathv
.narrow
        lda #1
        sta runkind
        lda mode
        lsr
        bcc .going
        jsr Rand
        and #1
        clc
        adc #1
        sta runkind
.going
        lda pathx
        clc
        adc pathv
        cmp #18
        bcc .turn
        cmp #144
        bcc .inside
.turn
        lda #0                  ; the edge: step back instead
        sec
        sbc pathv
        sta pathv
        clc
        adc pathx
.inside
        sta pathx
        sta dropx
        lda runkind
        sta dropk
        dec stars
        bne .nostar
        lda #40
        sta stars
        lda #4
        sta dropk
        rts
.nostar
        lda rate
        bit sw                  ; left difficulty A: twice as many
        bvc .few
        asl
.few
        sta t0
        jsr Rand
        cmp t0
        bcs .nostone
        lda #3
        sta dropk
        jsr Rand                ; a stone falls anywhere
        and #$7F
        adc #17
        sta dropx
.nostone
        rts

; Is the lowest light in the boat?
Nothing
        rts
Catch subroutine
        lda off
        cmp #8
        bcc Nothing
        cmp #14
        bcs Nothing
        ldy dropk+8
        beq Nothing
        ldx wide
        lda dropx+8             ; is the middle of the light between the ends of the boat?
        clc
        adc #5
        sec
        sbc boatx
        cmp BoatWide,x
        bcs Nothing
        lda #0
        sta dropk+8
        cpy #4
        beq .star
        cpy #3
        beq LoseBoat
        dey                     ; kind 1 wants sun, kind 2 moon
        cpy moon
        bne LoseBoat
        ldx chain
        cpx #8
        bcs .full
        inc chain
.full
        txa                     ; 1 point, 2, ... 9
        clc
        adc #1
        jsr AddScore
        lda chain
        lsr
        tax
        lda CatchSfx,x
        ldx #0
        jsr PlaySound
        inc caught
        lda caught
        cmp #24
        bcc .more
        lda #0
        sta caught
        lda tide
        beq .dry
        dec tide
.dry
        inc wave
        lda rate                ; more stones, up to one in three
        cmp #80
        bcs .stones
        adc #6
        sta rate
.stones
        lda wave
        and #3
        bne .nolife
        lda lives
        cmp #6
        bcs .nolife
        inc lives
.nolife
        lda #SfxWave-Sfx
        ldx #1
        jsr PlaySound
        jmp SetSpeed
.more
        rts
.star
        lda #$25
        jsr AddScore
        lda #90
        sta calm
        lda #0
        sta tide
        lda #SfxStar-Sfx
        ldx #1
        jmp PlaySound

LoseBoat subroutine
        lda #0
        sta chain
        sta tide
        sta calm
        ldx #8
.clear
        sta dropk,x
        dex
        bpl .clear
        lda #15
        sta flash
        lda #SfxLoss-Sfx
        ldx #0
        jsr PlaySound
        dec lives
        bne .more
        lda #OVER
        sta state
        lda #0
        sta flash
.more
        rts

; ---------------------------------------------------------------------------------------------
; Tables.

Good    .byte 0,1,1,0,0         ; kinds that must not reach the water
KindCol .byte 0,$1E,$9E,$08,$0E
BoatCol .byte $1A,$9A
KindLo  .byte <ShapeNone,<ShapeSun,<ShapeMoon,<ShapeStone,<ShapeStar
CatchSfx .byte SfxC0-Sfx,SfxC1-Sfx,SfxC2-Sfx,SfxC3-Sfx,SfxC4-Sfx
Hues    .byte $00,$20,$E0,$60,$40,$D0,$10,$F0
FlashCol .byte $00,$02,$00,$04,$00,$06,$00,$08,$00,$0A,$00,$0C,$00,$0E,$00,$0E
TidePF0 .byte $00,$30,$70,$F0,$F0,$F0,$F0,$F0,$F0,$F0,$F0,$F0
TidePF1 .byte $00,$00,$00,$80,$E0,$F0,$FC,$FF,$FF,$FF,$FF,$FF
TidePF2 .byte $00,$00,$00,$00,$00,$00,$00,$00,$01,$07,$1F,$3F
BoatSize .byte 0,5,7            ; NUSIZ: single, double, quadruple width
BoatWide .byte 11,19,35
BoatMax .byte 151,143,127
BoatShift .byte 4,0,-8

Sfx     .byte 0
SfxC0   .byte 1,$4A,20, 2,$46,15, $FF
SfxC1   .byte 1,$4A,17, 2,$46,13, $FF
SfxC2   .byte 1,$4A,14, 2,$46,11, $FF
SfxC3   .byte 1,$4A,12, 2,$46,9, $FF
SfxC4   .byte 1,$4A,10, 2,$46,7, 3,$43,7, $FF
SfxTurn .byte 0,$46,8, 0,$46,6, $FF
SfxSplash .byte 1,$86,8, 2,$84,12, 3,$82,18, $FF
SfxWave .byte 3,$C8,15, 3,$C8,11, 3,$C8,9, 7,$C6,7, $FF
SfxStar .byte 2,$4C,9, 2,$4C,7, 2,$4C,5, 2,$4A,3, 2,$48,5, 2,$46,3, $FF
SfxLoss .byte 3,$8F,4, 3,$8D,8, 3,$8B,13, 5,$88,18, 7,$84,26, $FF

        align 256
Sky                             ; 160 lines, the last (the water) first
        .byte $A6,$A4,$A4,$A2,$A2,$44,$44,$44
        .byte $44,$44,$44,$44,$44,$44,$44,$44
        .byte $42,$42,$42,$42,$42,$42,$42,$42
        .byte $42,$42,$42,$42,$42,$42,$42,$42
        .byte $54,$54,$54,$54,$54,$54,$54,$54
        .byte $54,$54,$54,$54,$54,$54,$54,$54
        .byte $52,$52,$52,$52,$52,$52,$52,$52
        .byte $52,$52,$52,$52,$52,$52,$52,$52
        .byte $62,$62,$62,$62,$62,$62,$62,$62
        .byte $62,$62,$62,$62,$62,$62,$62,$62
        .byte $60,$60,$60,$60,$60,$60,$60,$60
        .byte $60,$60,$60,$60,$60,$60,$60,$60
        .byte $72,$72,$72,$72,$72,$72,$72,$72
        .byte $72,$72,$72,$72,$72,$72,$72,$72
        .byte $70,$70,$70,$70,$70,$70,$70,$70
        .byte $70,$70,$70,$70,$70,$70,$70,$70
        .byte $80,$80,$80,$80,$80,$80,$80,$80
        .byte $80,$80,$80,$80,$80,$80,$80,$80
        .byte $80,$80,$80,$80,$80,$80,$80,$80
        .byte $00,$00,$00,$00,$00,$00,$00,$00
Boat                            ; last line first, 14 of boat and then nothing
        .byte %00000000
        .byte %00111100
        .byte %01111110
        .byte %01111110
        .byte %01111110
        .byte %11111111
        .byte %11111111
        .byte %11000011
        .byte %11000011
        .byte %11000011
        .byte %10000001
        .byte %10000001
        .byte %00000000
        .byte %00000000
        ds 18,0

        align 256
Shapes                          ; 14 lines each, last line first, twice: the lights twinkle
ShapeNone
        ds 14,0
ShapeSun
        .byte 0,0
        .byte %00011000
        .byte %00111100
        .byte %01111110
        .byte %01111110
        .byte %01111110
        .byte %00111100
        .byte %00111100
        .byte %00011000
        .byte %00011000
        .byte %00001000
        .byte 0,0
ShapeMoon
        .byte 0,0
        .byte %00111100
        .byte %01111110
        .byte %01111000
        .byte %11110000
        .byte %11110000
        .byte %11110000
        .byte %01111000
        .byte %01111110
        .byte %00111100
        .byte 0,0,0
ShapeStone
        .byte 0,0
        .byte %00111100
        .byte %01111110
        .byte %11111111
        .byte %11101111
        .byte %11111011
        .byte %01111111
        .byte %01111110
        .byte %00011100
        .byte 0,0,0,0
ShapeStar
        .byte 0,0
        .byte %10000010
        .byte %01000100
        .byte %00101000
        .byte %00111000
        .byte %11111110
        .byte %00111000
        .byte %00101000
        .byte %01000100
        .byte %10000010
        .byte 0,0,0
ShapesB
        ds 14,0
        .byte 0,0
        .byte %00011000
        .byte %00111100
        .byte %01111110
        .byte %01111010
        .byte %01111110
        .byte %00111100
        .byte %00111100
        .byte %00011000
        .byte %00010000
        .byte %00010000
        .byte 0,0
        .byte 0,0
        .byte %00111100
        .byte %01111110
        .byte %01111000
        .byte %11110010
        .byte %11110000
        .byte %11110000
        .byte %01111000
        .byte %01111110
        .byte %00111100
        .byte 0,0,0
        .byte 0,0
        .byte %00111100
        .byte %01111110
        .byte %11111111
        .byte %11111011
        .byte %11101111
        .byte %01111111
        .byte %01111110
        .byte %00011100
        .byte 0,0,0,0
        .byte 0,0
        .byte %00010000
        .byte %00010000
        .byte %00111000
        .byte %01111100
        .byte %11111110
        .byte %01111100
        .byte %00111000
        .byte %00010000
        .byte %00010000
        .byte 0,0,0

        mac ExtraFont
Icon    equ 96
        .byte %00000000
        .byte %00111000
        .byte %01111100
        .byte %01111100
        .byte %11111110
        .byte %11000110
        .byte %10000010
        .byte %00000000
        endm

        include "common.inc"

        org $FFFC
        .word Boot
        .word Boot
