; Wispherd: herding, for one or two players with joysticks.
;
; Three wisps drift over a moor at night. Two herders drive them into their pens, the openings in the
; left and the right edge. A wisp flees from a herder who comes near. It follows one who holds up a lantern
; (the button), but with the lantern up a herder walks at half speed. Wisps have colors: one of your own color
; is worth 1 point, the golden one 2, and one of the other herder's color 3.
;
; Kinds (mode / 4): 0 one player against a rival that the game plays; 1 duel; 2 together.
; One player: each wisp that the rival pens, or that fades, costs a life. After eight wisps in your
; pen comes the next moor, with a faster rival.
; Duel: a herder loses a lantern for every seven points of the other one, and has three.
; Together: both pens are everybody's; wisps fade soon, and one that fades costs a life of both. Penning left
; and right in turn is worth 1, 2, 3 and up to 9 points.
;
; Variants (mode & 3): 0 still night, 1 shy wisps (they notice herders from farther away and flee faster),
; 2 wind (wisps drift with it, up or down), 3 both.
; Left difficulty A: the left herder is slow. Right difficulty A: the right herder is slow; against the game, the
; rival is faster instead.

        processor 6502
        include "console.inc"

NMODES  equ 12
KINDS   equ 1
MAGIC   equ $D7
SCORECOL equ $0E
LIFECOL equ $1C
TITLEHUE equ $A0
TOPY    equ 79          ; heights count pairs of lines, 79 at the top
SOLO    equ 0
DUEL    equ 1
BOTH    equ 2
GOLD    equ 2           ; the wisp that is nobody's
ROWBLOCK equ 5          ; kind of row: the border. 0 to 3 are rows of thickets
ROWFREE equ 4

; ---- RAM ----
        seg.u ram
        org GRAM
plives  ds 4            ; lives of each player
pscore  ds 4            ; points of each player in a duel, BCD
kind    ds 1
pin     ds 1            ; players in play, a bit each
hx      ds 2            ; herders: left edge,
hy      ds 2            ; foot,
face    ds 2            ; direction (8: left)
lure    ds 2            ; 1: the lantern is up
wx      ds 3            ; wisps: left edge,
wy      ds 3            ; foot,
wvx     ds 3            ; direction, -1, 0, 1
wvy     ds 3
wmode   ds 3            ; 0 drifts, 1 flees, 2 follows
wfade   ds 3            ; time until it fades
wwait   ds 3            ; frames until it appears
pf1     ds 7            ; thickets of each kind of row
pf2     ds 7
p0      ds 2            ; pictures of the two herders and the three wisps
p1      ds 2
m0      ds 2
m1      ds 2
bl      ds 2
stage   ds 1
penned  ds 1            ; wisps penned on this moor
pause   ds 1            ; frames until play goes on
wind    ds 1            ; -1, 0, 1
windt   ds 1
chain   ds 1            ; wisps penned in turn
lastpen ds 1
target  ds 1            ; the wisp that the rival wants
aside   ds 1            ; frames for which it goes around a thicket; bit 7: to the left
bump    ds 1            ; a herder was stopped on its way up or down
sacc    ds 1            ; the rival's speed, accumulated
fmask   ds 1            ; wisps fade by one step in each frame in which these bits are 0

joy     equ ptr         ; scratch: the low bytes of the six pointers are free while nothing is drawn
step    equ ptr+2
newv    equ ptr+4
near    equ ptr+6
dx      equ ptr+8
dy      equ ptr+10

        seg code
        org $F000

; ---------------------------------------------------------------------------------------------
; The picture: 20 rows of 8 lines, mirrored. The playfield is shown in score colors, the left half in the
; color of player 0 and the right half in that of player 1, which leaves COLUPF to the ball, the golden wisp.
; Each picture lies between zeros, so a pointer less the height and a counter of lines are all that is needed.

GameKernel subroutine
        lda #0
        sta VDELP0
        sta VDELP1
        lda #$20
        sta NUSIZ0
        sta NUSIZ1
        lda face
        sta REFP0
        lda face+1
        sta REFP1
        lda hx
        ldx #0
        jsr PosObj              ; lines 10, 11
        lda hx+1
        ldx #1
        jsr PosObj              ; lines 12, 13
        sta WSYNC
        sta HMOVE               ; line 15
        lda #$98
        sta COLUP0
        lda #$38
        sta COLUP1
        lda #$1E
        sta COLUPF
        lda #$23                ; mirrored, score colors, ball of 4 pixels
        sta CTRLPF
        lda level
        lsr
        lsr
        lsr
        and #3
        tax
        lda NightCol,x
        sta t3
        lda #ROWBLOCK
        sta t2
        ldy #TOPY
        sta HMCLR
        sta WSYNC
        lda t3                  ; line 16: no herder is that high
        sta COLUBK
        jmp .edge

.pair
        sta WSYNC
        sta GRP0                ; 3
        stx GRP1                ; 6
.edge
        ldx t2                  ; 9
        lda RowEdge,x           ; 13
        sta PF0                 ; 16
        lda pf1,x               ; 20
        sta PF1                 ; 23
        lda pf2,x               ; 27
        sta PF2                 ; 30
        lda (m0),y              ; 36
        sta t0                  ; 39
        lda (m1),y              ; 45
        sta t1                  ; 48
        lda (bl),y              ; 54
        sta WSYNC
        sta ENABL               ; 3
        lda t0                  ; 6
        sta ENAM0               ; 9
        lda t1                  ; 12
        sta ENAM1               ; 15
        dey                     ; 17
        bmi .done               ; 19
        tya                     ; 21
        lsr                     ; 23
        lsr                     ; 25
        tax                     ; 27
        lda RowKind,x           ; 31
        sta t2                  ; 34
        lda (p1),y              ; 40
        tax                     ; 42
        lda (p0),y              ; 48
        jmp .pair               ; 51
.done
        sta WSYNC               ; line 176
        lda #0
        sta PF0
        sta PF1
        sta PF2
        sta GRP0
        sta GRP1
        sta COLUBK
        sta WSYNC
        sta WSYNC
        jmp Footer              ; line 178

; ---------------------------------------------------------------------------------------------
; Getting ready to draw. The wisps move here, because the herders take most of overscan.

GamePrep subroutine
        lda state
        cmp #PLAY
        bne .still
        lda pause
        bne .still
        jsr Wisps
.still
        ldx #1
.herder
        lda lure,x              ; 16-bit: picture less height
        asl
        tay
        txa
        asl
        sta t0
        sec
        lda HerderLo,y
        sbc hy,x
        pha
        lda HerderLo+1,y
        sbc #0
        ldy t0
        sta p0+1,y
        pla
        sta p0,y
        dex
        bpl .herder
        ldx #2
.wisp
        ldy WispPtr,x
        lda wwait,x
        bne .hidden
        lda wfade,x
        cmp #48
        bcs .shown
        lda frame               ; it blinks when it will soon fade
        and #4
        beq .hidden
.shown
        sec
        lda #<Wisp
        sbc wy,x
        sta m0,y
        lda #>Wisp
        sbc #0
        bcs .high               ; (always)
.hidden
        lda #<Nothing
        sta m0,y
        lda #>Nothing
.high
        sta m0+1,y
        dex
        bpl .wisp
        ldx #4
.place
        lda wx-2,x
        clc
        adc #1
        jsr PosObj
        dex
        cpx #1
        bne .place
        sta WSYNC
        sta HMOVE
        rts

; The score line: one number, or in a duel two.
ScoreLine subroutine
        lda kind
        cmp #DUEL
        beq .two
        jmp ScorePtrs
.two
        ldx #0
        jmp PairPtrs

; The row of lives: in a duel three lanterns at each side.
PrepFooter subroutine
        lda kind
        cmp #DUEL
        clc
        bne .usual
        ldx #4
.each
        ldy #BLANK
        lda Lantern,x           ; the left herder's from the left, the right one's from the right
        cmp plives
        bcs .l
        ldy #Icon
.l
        sty ptr,x
        ldy #BLANK
        cmp plives+1
        bcs .r
        ldy #Icon
.r
        stx t0
        lda #10
        sec
        sbc t0
        tax
        sty ptr,x
        ldx t0
        dex
        dex
        bpl .each
        sec
.usual
        rts
Lantern .byte 0,0,1,0,2

; ---------------------------------------------------------------------------------------------
; Wisps: one step of each. A step is at most one pixel and one pair of lines, so a thicket can only be in the
; way where an edge of the wisp enters another column or row.

Wisps subroutine
        ldx #2
.each
        lda wwait,x
        beq .here
        dec wwait,x
        bpl .next               ; (always)
.here
        lda frame
        and fmask
        bne .bright
        dec wfade,x
        bne .bright
        jsr Fade
        jmp .next
.bright
        lda frame               ; drifting or following: every other frame, fleeing: 3 of 4
        ldy wmode,x
        cpy #1
        beq .flee
        lsr
        bcc .move
        bcs .next
.flee
        and #3
        bne .move
        lda mode                ; shy ones: every frame
        lsr
        bcc .next
.move
        jsr Float
.next
        dex
        bpl .each
        rts

; X = wisp: one step, along each axis that is free
Float subroutine
        lda wvx,x
        beq .vertical
        clc
        adc wx,x
        sta newv
        ldy wvx,x
        bmi .left
        clc
        adc #3
        sta t0
        jmp .column
.left
        sta t0
        clc
        adc #1
.column
        and #3
        bne .freex
        lda wy,x
        sta t1
        jsr Wall
        bcs .bouncex
        inc t1
        inc t1
        jsr Wall
        bcs .bouncex
.freex
        lda newv
        sta wx,x
        jmp .vertical
.bouncex
        lda wmode,x
        bne .vertical
        sec
        sbc wvx,x               ; A = 0
        sta wvx,x
.vertical
        lda wvy,x
        beq .done
        clc
        adc wy,x
        sta newv
        ldy wvy,x
        bmi .down
        clc
        adc #2
        sta t1
        jmp .row
.down
        sta t1
        clc
        adc #1
.row
        and #3
        bne .freey
        lda wx,x
        sta t0
        jsr Wall
        bcs .bouncey
        inc t0
        inc t0
        inc t0
        jsr Wall
        bcs .bouncey
.freey
        lda newv
        sta wy,x
.done
        rts
.bouncey
        lda wmode,x
        bne .done
        sec
        sbc wvy,x
        sta wvy,x
        rts

; X = wisp: which herder is near, and where to go
Decide subroutine
        lda #$FF
        sta near
        jsr Rand                ; of two at the same distance, either
        and #1
        tay
        jsr Distance
        tya
        eor #1
        tay
        jsr Distance
        lda mode
        lsr
        lda #42
        bcc .calm
        lda #56
.calm
        cmp near
        bcc .drift
        ldy t2                  ; the nearest herder
        lda lure,y
        beq .flees
        ldy #2
        bne .know
.flees
        ldy #1
.know
        tya
        sta wmode,x
        lda near                ; together already
        cmp #4
        bcs .go
        cpy #2
        bne .go
        lda #0
        sta wvx,x
        sta wvy,x
        rts
.go
        ldy t2
        lda dx                  ; mostly sideways: not up or down
        lsr
        sta t0
        lda dy
        lsr
        sta t1
        lda #0
        sta wvx,x
        sta wvy,x
        lda dx
        cmp t1
        bcc .nox
        beq .nox
        lda wx,x                ; away from the herder
        sec
        sbc #2
        cmp hx,y
        lda #1
        bcs .right
        lda #$FF
.right
        sta wvx,x
.nox
        lda dy
        cmp t0
        bcc .noy
        beq .noy
        lda wy,x
        sec
        sbc #1
        cmp hy,y
        lda #1
        bcs .up
        lda #$FF
.up
        sta wvy,x
.noy
        lda wmode,x             ; toward it, if it has its lantern up
        cmp #2
        bne .decided
        lda #0
        sec
        sbc wvx,x
        sta wvx,x
        lda #0
        sec
        sbc wvy,x
        sta wvy,x
.decided
        rts
.drift
        lda #0
        sta wmode,x
        jsr Rand
        cmp #40
        bcs .wind
        and #7
        tay
        lda DriftX,y
        sta wvx,x
        jsr Rand
        and #3
        tay
        lda DriftY,y
        sta wvy,x
.wind
        lda mode
        and #2
        beq .decided
        lda frame               ; gusts: half of the time
        and #16
        beq .decided
        lda wind
        sta wvy,x
        rts

; X = wisp, Y = herder: if it is nearer than `near`, it is the nearest (t2), with distances dx, dy
Distance subroutine
        lda wx,x
        sec
        sbc #2
        sec
        sbc hx,y
        bcs .px
        eor #$FF
        adc #1
.px
        sta t0
        lda wy,x
        sec
        sbc #1
        sec
        sbc hy,y
        bcs .py
        eor #$FF
        adc #1
.py
        asl
        sta t1
        clc
        adc t0
        bcs .far
        cmp near
        bcs .far
        sta near
        sty t2
        lda t0
        sta dx
        lda t1
        sta dy
.far
        rts

; X = wisp: it fades. Somebody pays, except in a duel
Fade subroutine
        lda kind
        cmp #DUEL
        beq Appear
        lda lives
        beq Appear
        dec lives
        lda #SfxFade-Sfx
        stx t0
        ldx #1
        jsr PlaySound
        ldx t0
        ; fall through

; X = wisp: it will appear again in the middle of the moor
Appear subroutine
        lda #45
        sta wwait,x
        lda #78
        sta wx,x
        jsr Rand
        and #7
        adc #34
        sta wy,x
        lda #0
        sta wvx,x
        sta wvy,x
        sta wmode,x
        lda #$FF
        sta wfade,x
        rts

; Wall: t0 = x, t1 = height -> carry set if a thicket is there. Keeps X, t0 and t1.
Wall subroutine
        lda t1
        lsr
        lsr
        tay
        lda RowKind,y
        sta t2
        lda t0
        lsr
        lsr
        cmp #20
        bcc .left
        eor #$FF
        adc #39                 ; carry is set: 39 - column
.left
        tay
        cpy #4
        bcc .edge
        stx t3
        ldx t2
        cpy #12
        bcs .two
        lda pf1,x
        bcc .test               ; (always)
.two
        lda pf2,x
.test
        ldx t3
        and ColBit,y
        bne .wall
        clc
        rts
.edge
        lda t2
        cmp #ROWBLOCK
        beq .back               ; carry set
        bcs .pen
        cpy #2
        bcc .wall
        clc
.back
        rts
.pen
        clc
        rts
.wall
        sec
        rts

; ---------------------------------------------------------------------------------------------
; A new game.

GameInit subroutine
        lda mode
        lsr
        lsr
        sta kind
        tax
        lda FirstLives,x
        sta lives
        sta plives
        lda PlayersIn,x
        sta pin
        lsr
        beq .solo
        lda lives
        sta plives+1
.solo
        lda FadeMask,x
        sta fmask
        ; fall through

; A moor: four rows of thickets, everybody at home.
NewMoor subroutine
        lda #$FF
        sta pf1+ROWBLOCK
        sta pf2+ROWBLOCK
        ldx #3
.row
        jsr Rand
        and #7
        tay
        lda Thicket1,y
        sta pf1,x
        jsr Rand
        and #7
        tay
        lda Thicket2,y
        sta pf2,x
        dex
        bpl .row
        lda #30
        sta hx
        lda #122
        sta hx+1
        lda #37
        sta hy
        sta hy+1
        lda #8
        sta face+1
        lda #0
        sta face
        sta lure
        sta lure+1
        sta penned
        sta aside
        ldx #2
.wisp
        jsr Appear
        lda WispHome,x
        sta wy,x
        lda WispWait,x
        sta wwait,x
        dex
        bpl .wisp
        lda #40
        sta pause
        rts

; ---------------------------------------------------------------------------------------------
; One frame of play.

GameLogic subroutine
        lda lives               ; the last wisp may have faded while the picture was prepared
        beq .over
        lda pause
        beq .play
        dec pause
        rts
.next
        jmp NewMoor
.over
        sta plives
        sta plives+1
        lda #OVER
        sta state
        rts
.play
        lda penned              ; eight wisps: the next moor
        cmp #8
        bcs .next
        lda INPT4
        asl
        lda #0
        rol
        eor #1
        sta lure
        lda SWCHA
        sta joy
        ldx #0
        jsr Walk
        ldx #1
        lda kind
        bne .human
        jsr Rival
        jmp .walked
.human
        lda INPT5
        asl
        lda #0
        rol
        eor #1
        sta lure+1
        lda SWCHA
        asl
        asl
        asl
        asl
        sta joy
        jsr Walk
.walked
        lda frame               ; one wisp in a frame: is it penned, or where does it go? In every fourth, the wind
        and #3
        tax
        cpx #3
        beq .wind
        lda wwait,x
        bne .decided
        ldy #0
        lda wx,x
        cmp #8
        bcc .penned
        iny
        cmp #149
        bcs .penned
        jsr Decide
        jmp .decided
.penned
        jsr Pen
        jmp .decided
.wind
        dec windt
        bpl .decided
        jsr Rand
        and #$1F
        ora #$10
        sta windt
        jsr Rand
        and #3
        tay
        lda DriftY,y
        sta wind
.decided
        ldx kind
        cpx #DUEL
        beq .done
        lda lives               ; the same for every player in play
        sta plives
        cpx #BOTH
        bne .done
        sta plives+1
.done
        rts

; X = wisp, Y = side whose pen it is in
Pen subroutine
        sty t1
        jsr Appear
        ldy #2                  ; what it is worth
        cpx #GOLD
        beq .worth
        dey
        cpx t1
        beq .worth
        ldy #3
.worth
        sty t0
        lda kind
        beq .solo
        lsr
        bcc .both
        ldx t1                  ; duel
        lda pscore,x
        sed
        clc
        adc t0
        cld
        sta pscore,x
        ldy #3
        cmp #$07
        bcc .lanterns
        dey
        cmp #$14
        bcc .lanterns
        dey
        cmp #$21
        bcc .lanterns
        dey
        lda #OVER
        sta state
.lanterns
        txa
        eor #1
        tax
        tya
        sta plives,x
        ldx t1
        lda PenSound,x
        ldx #0
        jmp PlaySound
.both
        lda chain
        ldx t1
        inx
        cpx lastpen
        stx lastpen
        bne .longer
        lda #0
.longer
        cmp #9
        bcs .most
        adc #1
.most
        sta chain
        jsr AddScore
        jmp .count
.solo
        lda t1
        bne .lost
        lda t0
        jsr AddScore
.count
        lda #SfxPen-Sfx
        ldx #0
        jsr PlaySound
        inc penned
        lda penned
        cmp #8
        bcc .back
        lda lives
        cmp #6
        bcs .full
        inc lives
.full
        lda stage
        cmp #15
        bcs .last
        inc stage
.last
        lda #SfxMoor-Sfx
        ldx #1
        jmp PlaySound
.lost
        lda lives
        beq .back
        dec lives
        lda #SfxLost-Sfx
        ldx #1
        jmp PlaySound
.back
        rts

; ---------------------------------------------------------------------------------------------
; X = herder, joy = its stick in the upper half, 0 = pressed: right, left, down, up

Walk subroutine
        lda #0
        sta bump
        lda #1
        sta step
        cpx #0
        beq .person
        lda kind
        beq .slow               ; the rival's speed is decided elsewhere
.person
        lda lure,x
        beq .quick
        lda frame               ; with the lantern up only in every other frame
        lsr
        bcs .quick
        rts
.quick
        lda sw                  ; slow by the difficulty switch: bit 6 the left, bit 7 the right herder
        cpx #0
        bne .right
        asl
.right
        asl
        bcs .slow
        lda frame
        and #2
        beq .slow
        inc step
.slow
        bit joy
        bmi .noright
        bvc .nohor              ; both: neither
        lda #0
        sta face,x
        lda hx,x
        clc
        adc step
        cmp HerderMax,x
        bcc .r
        lda HerderMax,x
.r
        sta newv
        clc
        adc #7
        jmp .tryx
.noright
        bvs .nohor
        lda #8
        sta face,x
        lda hx,x
        sec
        sbc step
        cmp HerderMin,x
        bcs .l
        lda HerderMin,x
.l
        sta newv
.tryx
        sta t0
        lda hy,x
        sta t1
        jsr Wall
        bcs .nohor
        lda t1
        adc #4
        sta t1
        jsr Wall
        bcs .nohor
        lda newv
        sta hx,x
.nohor
        lda joy
        and #$30
        beq .done
        cmp #$30
        beq .done
        ldy hy,x
        and #$10
        beq .up
        dey
        sty newv
        sty t1
        jmp .tryy
.up
        iny
        sty newv
        tya
        clc
        adc #4
        sta t1
.tryy
        lda hx,x
        sta t0
        jsr Wall
        bcs .bump
        lda t0
        adc #7
        sta t0
        jsr Wall
        bcs .bump
        lda newv
        sta hy,x
.done
        rts
.bump
        inc bump
        rts

; ---------------------------------------------------------------------------------------------
; The rival: toward the wisp that is farthest to the right, and with the lantern up home with it.

Rival subroutine
        lda stage               ; its speed, 1/256 of a pixel per frame
        asl
        asl
        asl
        adc #48
        bit sw
        bpl .calm
        clc
        adc #64
        bcc .calm
        lda #$FF
.calm
        ldy lure+1              ; half of it with the lantern up
        beq .dark
        lsr
.dark
        clc
        adc sacc
        sta sacc
        bcs .quick
        rts
.quick
        lda frame
        and #15
        bne .keep
        ldx #2
        lda #0
        sta t0
.look
        lda wwait,x
        bne .other
        lda wx,x
        cmp t0
        bcc .other
        sta t0
        stx target
.other
        dex
        bpl .look
.keep
        lda #$FF
        sta near
        ldx target
        lda wwait,x
        bne .wait               ; gone: nothing to do
        ldy #1
        jsr Distance
        lda #0
        ldy near
        cpy #52
        bcs .up
        lda #1
.up
        sta lure+1
        lda wx,x                ; where to: t0, t1
        sec
        sbc #2
        sta t0
        lda wy,x
        sbc #0
        sta t1
        cpy #22
        bcs .way
        lda #150
        sta t0
        lda #37
        sta t1
.way
        ldy #$FF
        lda aside
        beq .straight
        dec aside
        asl                     ; around a thicket: 7 bits of time, direction
        lda #$70
        bcc .walk
        lda #$B0
        bne .walk
.straight
        lda #$F0
        ldx hx+1
        cpx t0
        beq .levelx
        bcc .right
        and #$B0
        bne .levelx
.right
        and #$70
.levelx
        ldx hy+1
        cpx t1
        beq .walk
        bcc .higher
        and #$D0
        bne .walk
.higher
        and #$E0
.walk
        sta joy
        ldx #1
        jsr Walk
        lda bump
        beq .done
        lda frame
        asl
        asl
        and #$80
        ora #13
        sta aside
.done
        rts
.wait
        lda #0
        sta lure+1
        rts

; ---------------------------------------------------------------------------------------------
; Tables.

HerderMin .byte 2,33
HerderMax .byte 119,150
FirstLives .byte 4,3,4
PlayersIn .byte 1,3,3
FadeMask .byte 7,7,3
WispHome .byte 21,55,38
WispWait .byte 20,20,0           ; the golden one first, so that nobody is nearer to the first points
WispPtr .byte 0,2,4
DriftX  .byte -1,-1,-1,0,0,1,1,1
DriftY  .byte -1,0,0,1
NightCol .byte $00,$A0,$D0,$60
PenSound .byte SfxPen-Sfx,SfxPen2-Sfx
; rows from the bottom: 0 to 3 thickets, 4 free, 5 border, 6 between the pens
RowKind .byte 5,4,4,0,0,4,4,1,6,6,6,6,2,4,4,3,3,4,4,5
RowEdge .byte $30,$30,$30,$30,$30,$F0,$00
ColBit  .byte 0,0,0,0,$80,$40,$20,$10,8,4,2,1,1,2,4,8,$10,$20,$40,$80
Thicket1                        ; columns 4 to 11: two or three columns, or none
        .byte %00000000,%01100000,%00110000,%00011000,%00001100,%01110000,%00111000,%00011100
Thicket2                        ; columns 19 to 12
        .byte %00000000,%00000110,%00001100,%00011000,%00110000,%10000000,%11000000,%11000110

Sfx     .byte 0
SfxPen  .byte 2,$48,17, 2,$48,14, 3,$48,11, $FF
SfxPen2 .byte 2,$48,11, 2,$48,14, 3,$48,17, $FF
SfxLost .byte 3,$CB,10, 3,$CA,14, 4,$C9,18, 6,$C6,24, $FF
SfxFade .byte 3,$46,20, 4,$45,24, 6,$43,29, $FF
SfxMoor .byte 5,$4A,20, 5,$4A,16, 5,$4A,13, 9,$4A,10, $FF

HerderLo .word Herder, HerderUp

; pictures, foot first, between zeros
Nothing ds 80,0
Herder  .byte %00101001
        .byte %00111001
        .byte %01111101
        .byte %01111111
        .byte %01111101
        .byte %00011001
        .byte %00111101
        .byte %00011011
        ds 79,0
HerderUp
        .byte %00101000
        .byte %00111000
        .byte %01111100
        .byte %01111100
        .byte %01111110
        .byte %00011011
        .byte %00111011
        .byte %00011000
        ds 79,0
Wisp    .byte 2,2,2
        ds 79,0

        mac ExtraFont
Icon    equ 96
        .byte %00000000
        .byte %01111110
        .byte %01000010
        .byte %01011010
        .byte %01011010
        .byte %01111110
        .byte %00100100
        .byte %00011000
        endm

        include "common.inc"

        org $FFFC
        .word Boot
        .word Boot
