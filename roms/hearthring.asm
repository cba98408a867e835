; Hearthring: four fires in a winter night, for one to four players with paddles.
;
; Four hearths stand on four ledges, one above the other. Embers fall; a hearth that catches one burns warmer and
; earns its points. What falls past a hearth falls on to the ledge below, and from the lowest to the highest: the four
; ledges are a ring, and no place in it is better than another. An ember is worth 1 point on its first ledge and one more on each that
; follows, up to four. Hail costs a lot of warmth. The button makes a hearth flare: it is twice as wide and melts hail for 2 points,
; but burns down quickly. A hearth without warmth loses one of its three logs, and without logs it is out. Whenever
; one goes out, the others earn 5 points.
;
; Kinds (mode / 4): the number of players less one. The game plays the other hearths; with two players, their ledges
; are the first and the third. With three players the fourth ledge is empty, and the others are the ring.
; One player: the game is over when your hearth is out. When the three others are out, you earn 20 points and they are lit again.
; Several players: it is over when one of them is left, or when one has 99 points.
;
; Variants (mode & 3): 0 clear night, 1 frost (hearths cool faster), 2 wind (what falls drifts), 3 both.
; Left difficulty A: the players' hearths are half as wide and hold half of the warmth. Right difficulty A: more hail.

        processor 6502
        include "console.inc"

NMODES  equ 16
KINDS   equ 1
MAGIC   equ $D8
SCORECOL equ $0E
LIFECOL equ $2A
TITLEHUE equ $20
FULL    equ 32          ; most warmth
AFRESH  equ 20          ; warmth of a new log
HAIL    equ 5           ; kinds: 0 nothing, 1 to 4 an ember and its worth, from 5 on hail
ZONE    equ 32          ; lines through which things fall on a ledge
REACH   equ 22          ; a thing that has fallen so far is at the hearth

; ---- RAM ----
        seg.u ram
        org GRAM
plives  ds 4            ; logs of each hearth
pscore  ds 4            ; points of each player in games for several, BCD
kind    ds 1            ; players less one
pin     ds 1            ; hearths that burn, a bit each
pad     ds 4            ; lines on which each paddle was charged
hc      ds 4            ; middle of each hearth
warm    ds 4            ; its warmth, 0..32
tx      ds 4            ; what falls on each ledge: left edge
tk      ds 4            ; and kind
size    ds 4            ; its width: 0 half, 1 normal, 2 twice
blaze   ds 1            ; hearths that flare, a bit each
hpos    ds 4            ; for drawing: left edge of the hearth
hlo     ds 4            ; its picture
tlo     ds 4            ; picture of what falls
fall    ds 1            ; lines by which everything has fallen, 0..31
falllo  ds 1            ; and 1/256 of a line
stage   ds 1
turns   ds 1            ; how often things went on to the next ledge, in this stage
rate    ds 1            ; chance of hail, of 256
wind    ds 1            ; -1, 0, 1
windt   ds 1
outs    ds 1            ; hearths that are just going out, a bit each
cool    ds 1            ; warmth that everybody loses in this frame
over    ds 1            ; 1: somebody has 99 points
pause   ds 1
first   ds 1            ; place of the highest ledge in Order
last    ds 1            ; and of the lowest one in the ring
lane    ds 1            ; place of the ledge that is drawn
kx      ds 1            ; lines left for the paddles
hp      ds 2
tp      ds 2

lanes   equ ptr         ; scratch: the low bytes of the six pointers are free while nothing is drawn
worth   equ ptr+2

        seg code
        org $F000

; ---------------------------------------------------------------------------------------------
; The picture: four ledges of 40 lines. The hearth is player 0, what falls is player 1, the logs are copies
; of missile 0, the warmth is playfield. The paddles' capacitors charge meanwhile; in each line X is stored
; for each one that is not charged yet, so the number left there is that of the lines on which it was.

        mac SAMPLE              ; 32 to 36 cycles
        bit INPT0
        bmi .c0
        stx pad
.c0
        bit INPT1
        bmi .c1
        stx pad+1
.c1
        bit INPT2
        bmi .c2
        stx pad+2
.c2
        bit INPT3
        bmi .c3
        stx pad+3
.c3
        dex
        endm

        mac LANEHEAD            ; Y = hearth: its color, its logs
        lda LaneCol,y
        sta COLUP0
        lda plives,y
        tay
        lda LogCopies,y
        sta NUSIZ0
        lda LogShown,y
        sta ENAM0
        endm

        mac PLACE               ; one line: {1} = object, A = position, carry set; carry stays set
        sta WSYNC
        sta t3                  ; 3, only for the time
.div
        sbc #15
        bcs .div
        eor #7
        asl
        asl
        asl
        asl
        sta HMP0+{1}
        sta RESP0+{1}           ; 18 + 5 * turns, as in PosObj
        endm

GameKernel subroutine
        lda #0
        sta VDELP0
        sta VDELP1
        sta NUSIZ1
        sta REFP0
        sta REFP1
        sta t2                  ; whose ledge it is
        lda #1
        sta CTRLPF
        lda #>Things
        sta tp+1
        lda #>Hearths
        sta hp+1
        lda #160
        sta kx
        lda first
        sta lane
        sta WSYNC
        sta WSYNC
        ldy #0
        LANEHEAD
        sta WSYNC

.lane
        ldx t2                  ; line 0 of the ledge
        lda hpos,x
        sec
        PLACE 0
        lda tx,x
        PLACE 1                 ; line 1
        sta WSYNC
        sta HMOVE               ; line 2
        lda #0                  ; 5
        sta ENAM0               ; 8
        ldy size,x             ; 12
        lda HearthSize,y        ; 16
        sta NUSIZ0              ; 19
        lda hlo,x               ; 23
        sta hp                  ; 26
        lda tlo,x               ; 30
        sta tp                  ; 33
        ldy tk,x                ; 37
        lda KindCol,y           ; 41
        sta COLUP1              ; 44
        ldx kx                  ; 47
        dex                     ; the lines 0 to 2 are not looked at
        dex
        dex                     ; 53
        ldy #ZONE-1             ; 55
        sta HMCLR               ; 58
.zone
        sta WSYNC
        lda (hp),y              ; 5
        sta GRP0                ; 8
        lda (tp),y              ; 13
        sta GRP1                ; 16
        SAMPLE                  ; 54 at most
        dey
        bpl .zone
        sta WSYNC               ; line 35
        iny
        sty GRP0
        sty GRP1
        SAMPLE
        ldy t2
        lda LaneCol,y
        sta COLUPF
        lda warm,y
        lsr
        tay
        sta WSYNC               ; lines 36 to 38: the ledge, and the warmth on it
        lda #$02                ; 2
        sta COLUBK              ; 5
        lda WarmPF1,y           ; 9
        sta PF1                 ; 12
        lda WarmPF2,y           ; 16
        sta PF2                 ; 19
        SAMPLE
        sta WSYNC
        SAMPLE
        inc lane
        ldy lane
        lda Order,y
        sta t2                  ; bit 7: this was the last
        sta WSYNC
        SAMPLE
        ldy t2
        bmi .last
        LANEHEAD                ; 66: the logs of the next ledge are seen from line 39 on
.last
        sta WSYNC               ; line 39
        lda #0
        sta COLUBK
        sta PF1
        sta PF2
        SAMPLE
        stx kx
        bit t2
        bmi .done
        jmp .lane
.done
        sta WSYNC
        sta WSYNC
        sta WSYNC
        sta WSYNC
        sta WSYNC
        jmp Footer              ; line 178

; ---------------------------------------------------------------------------------------------
; Getting ready to draw. Things fall here, because the hearths take most of overscan.

GamePrep subroutine
        lda state
        cmp #PLAY
        bne .still
        lda pause
        bne .still
        jsr Fall
.still
        ldx #3
.hearth
        ldy size,x
        lda hc,x
        sec
        sbc HalfWidth,y
        sta hpos,x
        lda PinBit,x
        and pin
        bne .burns
        lda #<Ash
        bne .picture            ; (always)
.burns
        lda frame
        and #8
        beq .a
        lda #32
.a
        clc
        adc #<Hearth
.picture
        sta hlo,x
        ldy tk,x
        lda KindLo,y
        beq .none
        clc
        adc fall                ; the higher it is, the further back its picture begins
.none
        sta tlo,x
        dex
        bpl .hearth
        lda #6                  ; the logs at the left
        ldx #2
        jsr PosObj
        sta WSYNC
        sta HMOVE
        rts

; The score line: one number, or those of the players 1 and 2.
ScoreLine subroutine
        lda kind
        bne .two
        jmp ScorePtrs
.two
        ldx #0
        jmp PairPtrs

; The row of lives: of one player. In games for several it shows the points of players 3 and 4.
PrepFooter subroutine
        lda kind
        bne .several
        clc
        rts
.several
        lda #SCORECOL
        sta COLUP0
        sta COLUP1
        ldx #2
        jsr PairPtrs
        ldy #BLANK
        lda kind
        cmp #3
        bcs .four
        sty ptr+8
        sty ptr+10
        cmp #2
        bcs .four
        sty ptr
        sty ptr+2
.four
        sec
        rts

; ---------------------------------------------------------------------------------------------
; A new game.

GameInit subroutine
        lda mode
        lsr
        lsr
        sta kind
        tay
        lda RingFirst,y
        sta first
        lda RingLast,y
        sta last
        jsr Rand                ; each level has its own share of hail
        and #$1F
        adc #40
        sta rate
        lda #$0F
        sta pin
        ldx #3
.each
        lda #3
        sta plives,x
        lda #AFRESH
        sta warm,x
        lda #80
        sta hc,x
        sta pad,x
        lda #1
        sta size,x
        jsr Spawn
        dex
        bpl .each
        lda kind                ; three players: the fourth ledge is empty
        cmp #2
        bne .all
        lda #$07
        sta pin
        lda #0
        sta plives+3
        sta warm+3
        sta tk+3
.all
        lda #3
        sta lives
        lda #30
        sta pause
        rts

; X = ledge: something new on it
Spawn subroutine
        jsr Rand
        and #$7F
        adc #12
        sta tx,x
        lda rate
        clc
        adc stage
        adc stage
        bit sw                  ; right difficulty A: much more hail
        bpl .usual
        adc #24
.usual
        sta t0
        ldy #HAIL+2             ; hail is gone after two ledges
        jsr Rand
        cmp t0
        bcc .put
        ldy #1
        cmp #240
        bcc .put
        dey                     ; now and then nothing
.put
        sty tk,x
        rts

; ---------------------------------------------------------------------------------------------
; One frame of play.

GameLogic subroutine
        lda pause
        beq .play
        dec pause
        rts
.play
        lda outs                ; in the frame before
        beq .burning
        jsr Out
        jmp .count
.burning
        sta blaze
        ldx #3
.hearth
        lda PinBit,x
        and pin
        beq .next
        jsr Steer
        jsr Burn
        jsr Catch
.next
        dex
        bpl .hearth
.count
        lda plives
        ldy kind
        bne .several
        sta lives
.several
        lda over
        bne .over
        ldy kind                ; how many players burn?
        bne .many
        lda pin
        lsr
        bcs .on
        bcc .over
.many
        ldx #0
.player
        lda PinBit,y
        and pin
        beq .out
        inx
.out
        dey
        bpl .player
        cpx #2
        bcs .on
.over
        lda #OVER
        sta state
.on
        rts

; X = hearth: where its paddle, or the game, puts it; and whether it flares
Steer subroutine
        ldy #1
        cpx kind
        beq .human
        bcs .computer
.human
        bit sw
        bvc .wide
        dey                     ; left difficulty A: half as wide
.wide
        lda SWCHA
        and ButtonBit,x
        bne .calm
        lda blaze
        ora PinBit,x
        sta blaze
        iny
.calm
        sty size,x
        lda pad,x
        jsr Limit
        sta t0
        sec                     ; one pixel of play against trembling
        sbc hc,x
        clc
        adc #1
        cmp #3
        bcc .still
        lda t0
        sta hc,x
.still
        rts
.computer
        sty size,x
        lda tk,x
        beq .still
        cmp #HAIL
        bcs .hail
        lda fall                ; it looks up a little late
        cmp #5
        bcc .still
        lda tx,x
        clc
        adc #4
        cmp hc,x
        beq .still
        bcc .left
.right
        lda hc,x
        adc #0                  ; carry is set: one pixel
        jmp .set
.left
        lda hc,x
        sbc #0                  ; carry is clear: one pixel
.set
        jsr Limit
        sta hc,x
        rts
.hail
        lda tx,x                ; out of its way
        clc
        adc #4
        sec
        sbc hc,x
        bcs .isright
        cmp #<-14
        bcc .still
        sec
        bcs .right
.isright
        cmp #14
        bcs .still
        clc
        bcc .left

Limit subroutine                ; A: within 16 and 143
        cmp #16
        bcs .low
        lda #16
.low
        cmp #144
        bcc .high
        lda #143
.high
        rts

; X = hearth: it cools, four times while a thing passes it (five in frost), and faster when it flares
Burn subroutine
        ldy cool
        lda PinBit,x
        and blaze
        beq .usual
        lda frame
        and #7
        bne .usual
        iny
.usual
        tya
        beq .done
        ; fall through

; X = hearth: it loses A of its warmth
Chill
        sta t0
        lda warm,x
        sec
        sbc t0
        beq .cold
        bcs .warm
.cold
        lda #SfxCold-Sfx
        jsr SoundOf
        lda #AFRESH             ; a new log
        dec plives,x
        bne .warm
        lda outs
        ora PinBit,x
        sta outs
        lda #0
.warm
        sta warm,x
.done
        rts

; X = hearth, A = sound: the players' on channel 0, the game's on channel 1
SoundOf subroutine
        stx t1
        cpx kind
        beq .human
        bcc .human
        ldx #1
        bne .play
.human
        ldx #0
.play
        jsr PlaySound
        ldx t1
        rts

; X = hearth: has it caught what falls?
Catch subroutine
        lda fall
        cmp #REACH
        bcc .done
        lda tk,x
        beq .done
        lda plives,x            ; it went out just now
        beq .done
        lda tx,x
        clc
        adc #4
        sec
        sbc hc,x
        bcs .right
        eor #$FF
        adc #1
.right
        ldy size,x
        cmp CatchWidth,y
        bcs .done
        lda tk,x
        ldy #0
        sty tk,x
        cmp #HAIL
        bcs .hail
        sta worth
        ldy #FULL               ; left difficulty A: a small hearth, which holds half of the warmth
        bit sw
        bvc .large
        cpx kind
        beq .small
        bcs .large
.small
        ldy #FULL/2
.large
        sty t0
        asl
        adc #4                  ; 6 to 12
        adc warm,x
        cmp t0
        bcc .fits
        lda t0
        cmp warm,x              ; a fresh log may have more
        bcs .fits
        lda warm,x
.fits
        sta warm,x
        lda #SfxEmber-Sfx
        jsr SoundOf
        lda worth
        jmp Points
.hail
        lda PinBit,x
        and blaze
        beq .hit
        lda #SfxMelt-Sfx
        jsr SoundOf
        lda #2
        jmp Points
.hit
        lda #SfxHail-Sfx
        jsr SoundOf
        lda #10
        jmp Chill
.done
        rts

; X = hearth: its player earns A points
Points subroutine
        ldy kind
        beq .one
        sed
        clc
        adc pscore,x
        cld
        bcs .most
        sta pscore,x
        cmp #$99
        bcc .done
.most
        lda #$99
        sta pscore,x
        lda #1
        sta over
.done
        rts
.one
        cpx #0
        bne .done
        jmp AddScore

; Those in `outs` are out; the others earn 5 points for each.
Out subroutine
        lda outs
        eor #$FF
        and pin
        sta pin
        ldy #3
.who
        lda PinBit,y
        and outs
        beq .next
        sty lanes
        lda #1
        sta size,y
        ldx #3
.pay
        lda PinBit,x
        and pin
        beq .not
        lda #5
        jsr Points
.not
        dex
        bpl .pay
        ldy lanes
.next
        dey
        bpl .who
        lda #0
        sta outs
        lda #SfxOut-Sfx
        ldx #1
        jsr PlaySound
        lda kind                ; one player: are all the others out?
        bne .done
        lda pin
        cmp #1
        bne .done
        lda #$20
        jsr AddScore
        lda #SfxWin-Sfx
        ldx #1
        jsr PlaySound
        lda #$0F
        sta pin
        ldx #3
.again
        lda #3
        sta plives,x
        lda #AFRESH
        sta warm,x
        dex
        bne .again
        lda plives
        cmp #3
        bcs .done
        inc plives
.done
        rts

; Everything falls, and goes on to the next ledge.
Fall subroutine
        dec windt
        bpl .blow
        jsr Rand
        and #$3F
        ora #$20
        sta windt
        jsr Rand
        and #3
        tay
        lda Winds,y
        sta wind
.blow
        lda mode
        and #2
        beq .still
        lda frame
        lsr
        bcc .still
        ldx #3
.drift
        lda tx,x
        clc
        adc wind
        cmp #12
        bcc .edge
        cmp #140
        bcs .edge
        sta tx,x
.edge
        dex
        bpl .drift
.still
        lda stage               ; half a line in each frame, and 1/16 more in each stage
        asl
        asl
        asl
        asl
        sta t0
        lda #0
        rol
        sta t1
        lda t0
        clc
        adc #128
        bcc .slow
        inc t1
.slow
        clc
        adc falllo
        sta falllo
        lda fall
        tax
        adc t1
        cmp #ZONE
        bcc .same
        sbc #ZONE
        sta fall
        jsr Turn
        jmp .cool
.same
        sta fall
.cool
        ldy #0                  ; every eighth line costs warmth
        txa
        eor fall
        and #8
        beq .none
        iny
        lda mode                ; in frost the first one costs twice as much
        lsr
        bcc .none
        cpx fall
        bcc .none
        iny
.none
        sty cool
        rts

; To the next ledge. An ember that has passed four of them is gone, and hail that has passed two.
Turn subroutine
        txa
        pha
        ldy last
        ldx Order,y
        lda tk,x
        pha
        lda tx,x
        pha
.shift
        sty t1
        ldx Order,y
        lda Order-1,y
        tay
        lda tk,y
        sta tk,x
        lda tx,y
        sta tx,x
        ldy t1
        dey
        cpy first
        bne .shift
        pla                     ; the highest ledge is always that of player 1
        sta tx
        pla
        sta tk
        ldy last
.each
        ldx Order,y
        sty t1
        lda tk,x
        and #3
        beq .new                ; nothing, or this ledge was its last
        inc tk,x
        bne .next
.new
        jsr Spawn
.next
        ldy t1
        cpy first
        beq .turned
        dey
        jmp .each
.turned
        inc turns
        lda turns
        cmp #12
        bcc .done
        lda #0
        sta turns
        lda stage
        cmp #40
        bcs .done
        inc stage
.done
        pla
        tax
        rts

; ---------------------------------------------------------------------------------------------
; Tables.

; the hearths from the highest to the lowest; with two players, one of the game's follows each of them
Order   .byte 0,1,2,3,$FF
        .byte 0,2,1,3,$FF
RingFirst .byte 0,5,0,0
RingLast .byte 3,8,2,3
PinBit  .byte 1,2,4,8
ButtonBit .byte $80,$40,$08,$04
LaneCol .byte $9A,$3A,$CA,$6A
LogCopies .byte $20,$20,$21,$23
LogShown .byte 0,2,2,2
HearthSize .byte $20,$25,$27
HalfWidth .byte 4,8,16
CatchWidth .byte 8,12,20
KindCol .byte 0,$1C,$2C,$3C,$4C,$AE,$AE,$AC,$AA
KindLo  .byte 0,<Ember-ZONE+1,<Ember-ZONE+1,<Ember-ZONE+1,<Ember-ZONE+1
        .byte <Hail-ZONE+1,<Hail-ZONE+1,<Hail-ZONE+1,<Hail-ZONE+1
Winds   .byte 1,0,0,-1
WarmPF2 .byte $00,$80,$C0,$E0,$F0,$F8,$FC,$FE,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF
WarmPF1 .byte $00,$00,$00,$00,$00,$00,$00,$00,$00,$01,$03,$07,$0F,$1F,$3F,$7F,$FF

Sfx     .byte 0
SfxEmber .byte 1,$48,13, 2,$47,10, $FF
SfxMelt .byte 1,$86,4, 2,$84,7, 2,$82,12, $FF
SfxHail .byte 2,$8A,14, 3,$88,20, 4,$85,28, $FF
SfxCold .byte 4,$C8,14, 4,$C7,18, 6,$C5,24, $FF
SfxOut  .byte 5,$CB,16, 5,$CA,20, 6,$C8,25, 10,$C5,31, $FF
SfxWin  .byte 5,$4A,20, 5,$4A,16, 5,$4A,13, 9,$4A,10, $FF

        align 256
Things  ds 32,0                 ; nothing falls, and zeros before the first picture
Ember   .byte %00011000
        .byte %00111100
        .byte %01111110
        .byte %01111110
        .byte %00111100
        .byte %00111000
        .byte %00010000
        .byte %00001000
        ds 32,0
Hail    .byte %00111100
        .byte %01100110
        .byte %11011011
        .byte %10111101
        .byte %10111101
        .byte %11011011
        .byte %01100110
        .byte %00111100
        ds 32,0
Hearths                         ; pictures, foot first, with zeros up to the top of the ledge
Hearth  .byte %11111111
        .byte %01111110
        .byte %00111100
        .byte %01111110
        .byte %01111110
        .byte %01111100
        .byte %00111100
        .byte %00111000
        .byte %00011000
        .byte %00001000
        ds 22,0
        .byte %11111111
        .byte %01111110
        .byte %00111100
        .byte %01111110
        .byte %01111110
        .byte %00111110
        .byte %00111100
        .byte %00011100
        .byte %00011000
        .byte %00010000
        ds 22,0
Ash     .byte %11111111
        .byte %00100100
        ds 30,0
        if >Things != >.
        echo "the pictures leave their page"
        err
        endif

        mac ExtraFont
Icon    equ 96
        .byte %00000000
        .byte %11111111
        .byte %01011010
        .byte %00111100
        .byte %00111100
        .byte %00011000
        .byte %00010000
        .byte %00000000
        endm

        include "common.inc"

        org $FFFC
        .word Boot
        .word Boot
