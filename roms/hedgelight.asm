; Hedgelight: collecting in a garden maze, with pursuers.
;
; A firefly gathers the dew of a garden of hedges, 99 drops on three terraces. It flies on until a hedge
; stops it; the stick turns it at the next opening, or round at once. Each terrace has a
; shade that hunts there and never leaves it. The button flashes the firefly's light: for two seconds
; the shades stand still. There are two flashes in a garden, and a jar of oil gives another one.
; A row of drops gathered to the last is worth extra, a whole garden more; then comes the next, where
; the shades are quicker.
;
; Modes: 0 garden, 1 quick shades, 2 dark garden (only the hedges of your terrace are seen, and drops count
; twice), 3 dark and quick. Left difficulty A: no flashes at the start of a garden. Right difficulty A: the shades know the way.

        processor 6502
        include "console.inc"

NMODES  equ 4
MAGIC   equ $D3
SCORECOL equ $DA
LIFECOL equ $1C
TITLEHUE equ $D0
ROWS    equ 9
COLS    equ 11
TOPY    equ 73          ; heights count pairs of lines, 73 at the top
NOJAR   equ $C0

UP      equ 0
DOWN    equ 1
LEFT    equ 2
RIGHT   equ 3

; ---- RAM ----
        seg.u ram
        org GRAM
hrow    ds ROWS+1       ; hedges above each row and below the last: bit i = column i of the left half
vrow    ds ROWS         ; hedges between the columns of a row: bit i = between i and i+1
d1      ds ROWS         ; dew: the bits of PF1, left half 80 10 02, right half 40 08 01
d2      ds ROWS         ; and of PF2
acol    ds 4            ; actors: the firefly, then the shades from top to bottom: cell,
arow    ds 4
adir    ds 4            ; direction
aprog   ds 4            ; and twelfths of the way to the next cell
shx     ds 3            ; where the shades are drawn, less 9
shlo    ds 3            ; their pictures
p0      ds 2
p1      ds 2
hedge   ds 1            ; color of the hedges
hcur    ds 1            ; the same on the terrace being drawn
smask   ds 1            ; takes the hue out of the shades when they stand still
pz      ds 1            ; the firefly's terrace
kr      ds 1            ; row being drawn
drops   ds 1            ; left in this garden
build   ds 1            ; rows still to be planted and trimmed
stage   ds 1
flashes ds 1
stun    ds 1            ; frames that the shades stand still
pause   ds 1            ; frames before play (re)starts; bit 7: after a loss
sacc    ds 1            ; the shades' speed, accumulated
oilx    ds 1
oily    ds 1            ; height of the jar, or NOJAR
hdark   ds 1            ; color of the hedges of the other terraces

        seg code
        org $F000

; ---------------------------------------------------------------------------------------------
; The picture: nine rows of 16 lines, 4 of hedge and 12 of path, and a last hedge. The playfield is
; mirrored; only the two lines of dew in the middle of a path differ left and right (see sporefall.asm
; for the write in cycle 48). Player 0 is the firefly, player 1 the shade of each terrace in turn,
; moved between the terraces. HMOVE is strobed on every line: the garden leaves the left 8 pixels free.

        mac LINE
        sta WSYNC
        sta HMOVE
        endm

        mac JAR                 ; missile 0 is the jar, four pairs high
        tya
        sec
        sbc oily
        cmp #4
        lda #0
        bcs .nojar
        lda #2
.nojar
        sta ENAM0
        endm

        mac TERRACECOLORS       ; X = terrace: colors of its shade and of its hedges
        lda ShadeCol,x
        and smask
        sta COLUP1
        lda hdark
        cpx pz
        bne .dark
        lda hedge
.dark
        sta hcur
        endm

Pair subroutine                 ; two lines without anything special; A = player 0's picture
        LINE
        sta GRP0
        JAR
        lda (p1),y
        LINE
        sta GRP1
        dey
        lda (p0),y
Wait12
        rts                     ; jsr and rts take 12 cycles

GameKernel subroutine
        ldx #0
        stx VDELP0
        stx VDELP1
        stx NUSIZ1
        lda #$30
        sta NUSIZ0
        lda frame               ; the firefly glows while it has a flash
        and #8
        lsr
        lsr
        adc #$1A
        ldx flashes
        bne .bright
        lda #$26
.bright
        sta COLUP0
        lda t3                  ; from GamePrep
        ldx #0
        jsr PosObj              ; lines 10, 11
        ldx #0
        TERRACECOLORS
        lda shx
        clc
        adc #9
        ldx #1
        jsr PosObj              ; lines 12, 13
        lda shlo
        sta p1
        LINE                    ; line 15
        lda #0
        sta kr
        lda #1
        sta CTRLPF
        ldx hrow
        ldy #TOPY
        sta HMCLR
        sta CXCLR
        lda (p0),y

.row
        LINE                    ; pair 0: hedge. X = its bits
        sta GRP0                ; 6
        lda hcur                ; 9
        sta COLUPF              ; 12
        lda Cell0,x             ; 16
        sta PF0                 ; 19
        lda Cell1,x             ; 23
        sta PF1                 ; 26
        lda Cell2,x             ; 30
        sta PF2                 ; 33
        ldx kr                  ; 36
        cpx #ROWS               ; 38
        beq .bottom
        lda (p1),y
        LINE
        sta GRP1                ; 6
        dey                     ; 8
        lda Terrace,x           ; 12
        bmi .same               ; 14
        tax                     ; 16, a new terrace: its shade
        lda shlo,x              ; 20
        sta p1                  ; 23
        lda shx,x               ; 27
        sta t0                  ; 30
        lda (p0),y              ; 36
        tax                     ; 38
        lda t0                  ; 41
        sec                     ; 43
        LINE                    ; pair 1: move player 1
        stx GRP0                ; 6
.div
        sbc #15
        bcs .div
        eor #7
        asl
        asl
        asl
        asl
        sta HMP1
        sta RESP1               ; 21 + 5 * turns: nine pixels further than in PosObj
        LINE
        ldx kr
        lda Terrace,x
        tax
        TERRACECOLORS
        sta HMCLR
        dey
        jmp .path
.bottom
        jmp Bottom
.same
        lda (p0),y
        jsr Pair                ; pair 1
.path
        ldx kr
        lda vrow,x
        tax
        lda (p0),y
        LINE                    ; pair 2: path
        sta GRP0                ; 6
        lda #$40                ; 8
        sta PF0                 ; 11
        lda Wall1,x             ; 15
        sta PF1                 ; 18
        lda Wall2,x             ; 22
        sta PF2                 ; 25
        lda (p1),y
        LINE
        sta GRP1
        dey
        ldx kr                  ; the dew of this row
        lda d1,x
        and #$92
        sta t0
        lda d1,x
        asl
        and #$92
        sta t1
        lda (p0),y
        LINE                    ; pair 3
        sta GRP0
        JAR
        lda d2,x
        and #$92
        sta t2
        lda (p1),y
        LINE
        sta GRP1
        dey
        lda d2,x
        asl
        and #$92
        sta t3
        ldx #$0E                ; color of dew
        lda (p0),y
        LINE                    ; pair 4: dew
        sta GRP0                ; 6
        stx COLUPF              ; 9
        lda #0                  ; 11
        sta PF0                 ; 14
        lda t0                  ; 17
        sta PF1                 ; 20
        lda t2                  ; 23
        sta PF2                 ; 26
        jsr Wait12              ; 38
        nop                     ; 40
        nop                     ; 42
        lda t3                  ; 45
        sta PF2                 ; 48
        lda t1                  ; 51
        sta PF1                 ; 54
        lda (p1),y              ; 60
        LINE
        sta GRP1                ; 6
        dey                     ; 8
        nop                     ; 10
        nop                     ; 12
        nop                     ; 14
        lda t0                  ; 17
        sta PF1                 ; 20
        lda t2                  ; 23
        sta PF2                 ; 26
        jsr Wait12              ; 38
        nop                     ; 40
        nop                     ; 42
        lda t3                  ; 45
        sta PF2                 ; 48
        lda t1                  ; 51
        sta PF1                 ; 54
        ldx kr                  ; 57
        lda vrow,x              ; 61
        tax                     ; 63
        lda (p0),y              ; 69
        LINE                    ; pair 5: path again
        sta GRP0                ; 6
        lda #$40                ; 8
        sta PF0                 ; 11
        lda Wall1,x             ; 15
        sta PF1                 ; 18
        lda hcur                ; 21
        sta COLUPF              ; 24: pixel 4, the first hedge is at 8
        lda Wall2,x             ; 28
        sta PF2                 ; 31
        lda (p1),y
        LINE
        sta GRP1
        dey
        lda (p0),y
        jsr Pair                ; pairs 6 and 7
        jsr Pair
        inc kr
        ldx kr
        lda hrow,x
        tax
        lda (p0),y
        jmp .row

Bottom subroutine
        LINE                    ; the last hedge, 4 lines in all
        LINE
        LINE
        LINE                    ; line 164
        ldx #0
        stx PF0
        stx PF1
        stx PF2
        stx GRP0
        stx GRP1
        stx ENAM0
        lda #$1C
        sta COLUPF
        ldx flashes
        ldy #4
.gap
        sta WSYNC
        dey
        bne .gap
        lda FlashBar,x          ; the flashes that are left
        sta PF2                 ; line 168
        ldy #4
.bar
        sta WSYNC
        dey
        bne .bar
        sty PF2                 ; line 172
        ldy #6
.rest
        sta WSYNC
        dey
        bne .rest
        jmp Footer              ; line 178

; ---------------------------------------------------------------------------------------------
; Getting ready to draw.

GamePrep subroutine
        lda #>FlyA
        sta p0+1
        lda #>ShadeA
        sta p1+1
        lda level
        lsr
        lsr
        lsr
        and #3
        tax
        lda HedgeCol,x
        sta hedge
        tax
        lda mode
        and #2
        beq .light
        ldx #0
.light
        stx hdark
        ldx #$FF
        lda stun
        beq .hue
        cmp #40                 ; blinking tells that they will soon move again
        bcs .gray
        and #4
        beq .hue
.gray
        ldx #$0F
.hue
        stx smask
        ldx #3
.shade
        jsr Where
        lda t0
        sec
        sbc #9
        sta shx-1,x
        lda frame
        and #16
        beq .a
        lda #ShadeB-ShadeA
.a
        clc
        adc #<ShadeA
        sec
        sbc t1
        sta shlo-1,x
        dex
        bne .shade
        jsr Where
        lda #<FlyA
        ldy pause               ; after a loss it does not move
        bmi .b
        lda frame
        and #4
        beq .wing
        lda #FlyB-FlyA
.wing
        clc
        adc #<FlyA
.b
        sec
        sbc t1
        sta p0
        ldy arow
        ldx TerraceOf,y
        stx pz
        lda t0
        pha
        lda oilx
        ldx #2
        jsr PosObj
        sta WSYNC
        sta HMOVE
        pla
        sta t3                  ; for GameKernel
        rts

; Where: X = actor -> t0 = x, t1 = height of its foot. Keeps X.
Where subroutine
        ldy acol,x
        lda ColX,y
        sta t0
        lda arow,x
        asl
        asl
        asl
        eor #$FF
        sec
        adc #66
        sta t1
        ldy aprog,x
        beq .done
        lda adir,x
        cmp #DOWN
        beq .down
        bcc .up
        cmp #RIGHT
        beq .right
        lda acol,x              ; left: 16 pixels out of 5 and 6, else 12
        cmp #5
        beq .wideleft
        cmp #6
        beq .wideleft
        tya
        bcs .subleft
        bcc .subleft
.wideleft
        lda Wide,y
.subleft
        sta t2
        lda t0
        sec
        sbc t2
        sta t0
        rts
.right
        lda acol,x
        cmp #4
        beq .wideright
        cmp #5
        beq .wideright
        tya
        bpl .addright
.wideright
        lda Wide,y
.addright
        clc
        adc t0
        sta t0
        rts
.up
        lda High,y
        clc
        adc t1
        sta t1
        rts
.down
        lda t1
        sec
        sbc High,y
        sta t1
.done
        rts

; ---------------------------------------------------------------------------------------------
; A new game, a new garden.

GameInit subroutine
        lda #4
        sta lives
NewGarden
        lda #18
        sta build
        lda #99
        sta drops
        lda #NOJAR
        sta oily
        lda #0
        sta stun
        ldx #2
        bit sw
        bvc .some
        ldx #0
.some
        stx flashes
        ldx stage
        lda StageKey,x
        eor level
        jsr Seed
        lda #$3F
        sta hrow+ROWS
Home                            ; everybody to the start
        ldx #3
.home
        lda HomeCol,x
        sta acol,x
        lda HomeRow,x
        sta arow,x
        lda #UP
        sta adir,x
        sta aprog,x
        dex
        bpl .home
        lda #4                  ; the firefly waits for the stick
        sta adir
        lda #50
        sta pause
        rts

; ---------------------------------------------------------------------------------------------
; The maze, a row in each frame. First a path to the row above out of every run of connected columns:
; so all of the garden is connected. Then, row by row again, dead ends are opened.

Build subroutine
        dec build
        lda build
        cmp #9
        bcc Trim
        sec
        lda #17
        sbc build
        tax                     ; row 0..8
        lda #$DB                ; dew everywhere
        sta d1,x
        sta d2,x
        lda #$3F
        sta hrow,x
        lda #0
        sta vrow,x
        txa
        beq .done               ; the top row is one long path
        lda #1
        sta t0                  ; bit of the column
        lda #0
        sta t1                  ; the run so far
.column
        lda t1
        ora t0
        sta t1
        lda t0
        cmp #$20
        beq .close              ; the middle always closes
        jsr Rand
        cmp #110
        bcs .open
        lda vrow,x              ; close the run: a hedge to the right
        ora t0
        sta vrow,x
.close
        jsr Rand                ; and paths up out of it, one at least
        and t1
        bne .some
        lda t0
.some
        eor #$FF
        and hrow,x
        sta hrow,x
        lda #0
        sta t1
.open
        asl t0
        lda t0
        cmp #$40
        bcc .column
.done
        rts

Trim subroutine
        lda #8
        sec
        sbc build
        tax                     ; row
        lda #1
        sta t0
.column
        lda #0
        sta t1                  ; hedges around this cell
        lda hrow,x
        and t0
        beq .north
        inc t1
.north
        lda hrow+1,x
        and t0
        beq .south
        inc t1
.south
        lda vrow,x              ; east; in the middle it is like west
        and t0
        beq .east
        inc t1
.east
        lda vrow,x              ; west: bit i-1, and always a hedge at the edge
        asl
        ora #1
        and t0
        beq .west
        inc t1
        ldy t0
        cpy #$20
        bne .west
        inc t1
.west
        lda t1
        cmp #3
        bcc .next
        cpx #0                  ; a dead end: open the first side that has a hedge, north, south, east
        beq .down
        lda hrow,x
        and t0
        beq .down
        eor hrow,x
        sta hrow,x
        bpl .next
.down
        cpx #ROWS-1
        beq .side
        lda hrow+1,x
        and t0
        beq .side
        eor hrow+1,x
        sta hrow+1,x
        bpl .next
.side
        lda t0
        eor #$FF
        and vrow,x
        sta vrow,x
.next
        asl t0
        lda t0
        cmp #$40
        bcc .column
        rts

; ---------------------------------------------------------------------------------------------
; One frame of play.

GameLogic subroutine
        lda build
        beq .built
        jmp Build
.built
        lda pause
        beq .play
        dec pause
        cmp #$81
        beq .lost
        cmp #1
        bne .wait
        lda drops
        beq .next
.wait
        rts
.lost
        lda lives
        bne .again
        sta pause
        lda #OVER
        sta state
        rts
.again
        jmp Home
.next                           ; the garden is done
        inc stage
        lda stage
        cmp #16
        bcc .s
        dec stage
.s
        jmp NewGarden
.play
        lda stun
        beq .nostun
        dec stun
.nostun
        jsr Flash
        jsr Fly
        jsr Shades
        lda stun                ; caught?
        bne .safe
        lda CXPPMM
        bpl .safe
        lda #$80+60
        sta pause
        dec lives
        lda #SfxCaught-Sfx
        ldx #0
        jsr PlaySound
.safe
        rts

Flash subroutine
        lda INPT4
        bmi .no
        lda stun
        bne .no
        lda flashes
        beq .no
        dec flashes
        lda #120
        sta stun
        lda #SfxFlash-Sfx
        ldx #1
        jmp PlaySound
.no
        rts

; The firefly: to the next cell in twelve frames; it may turn round on the way.
Fly subroutine
        lda SWCHA
        lsr
        lsr
        lsr
        lsr
        tay
        lda Sticks,y            ; the direction, 255: none
        tay
        lda aprog
        beq .cell
        tya
        bmi .on
        eor adir
        cmp #1                  ; just the opposite
        bne .on
        ldx #0
        jsr Arrive              ; as if it came from there
        tya
        sta adir
        lda #12
        sec
        sbc aprog
        sta aprog
.on
        ldx #0
        inc aprog
        lda aprog
        cmp #12
        bcc .done
        lda #0
        sta aprog
        jsr Arrive
        jmp Gather
.cell
        ldx #0
        tya
        bmi .ahead
        jsr Open
        bcs .take
.ahead
        ldy adir                ; nothing, or a hedge, that way: on as before
        cpy #4
        beq .done
        jsr Open
        bcc .done
.take
        sty adir
        inc aprog
.done
        rts

Arrive                          ; X = actor: one cell on in its direction; keeps Y
        lda adir,x
        cmp #DOWN
        beq .down
        bcc .up
        cmp #RIGHT
        beq .right
        dec acol,x
        rts
.right
        inc acol,x
        rts
.up
        dec arow,x
        rts
.down
        inc arow,x
        rts

; Open: X = actor, Y = direction -> carry set if there is a path. Keeps X and Y.
Open subroutine
        sty t0
        stx t1
        cpy #DOWN
        beq .down
        bcc .up
        cpy #RIGHT
        beq .right
        ldy acol,x              ; left
        beq .no
        dey
        bpl .side
.right
        ldy acol,x
        cpy #COLS-1
        beq .no
.side
        lda WallBit,y
        ldy arow,x
        and vrow,y
        beq .yes
.no
        clc
        bcc .back
.up
        lda arow,x
        beq .no
        ldy acol,x
        lda HalfBit,y
        ldy arow,x
        and hrow,y
        beq .yes
        bne .no
.down
        lda arow,x
        cmp #ROWS-1
        beq .no
        ldy acol,x
        lda HalfBit,y
        ldy arow,x
        and hrow+1,y
        bne .no
.yes
        sec
.back
        ldy t0
        rts

; What lies in the firefly's cell?
Gather subroutine
        ldx arow
        ldy acol
        lda DewMask,y
        cpy #3
        bcc .one                ; columns 0..2 and 8..10 are in PF1
        cpy #8
        bcs .one
        and d2,x
        beq .nodew
        eor d2,x
        sta d2,x
        jmp .dew
.one
        and d1,x
        beq .nodew
        eor d1,x
        sta d1,x
.dew
        ora d1,x                ; was it the last of its row?
        ora d2,x
        php
        lda #SfxDew-Sfx
        ldx #0
        jsr PlaySound
        lda mode                ; twice as much in the dark
        and #2
        lsr
        adc #1
        plp
        bne .points
        lda #SfxRow-Sfx
        ldx #1
        jsr PlaySound
        lda #6
.points
        jsr AddScore
        dec drops
        bne .more
        lda #$50                ; all of it
        jsr AddScore
        lda #SfxGarden-Sfx
        ldx #1
        jsr PlaySound
        lda #60
        sta pause
        lda lives
        cmp #6
        bcs .nodew
        inc lives
.nodew
        lda oily                ; oil?
        bmi .done
        ldx arow
        cmp JarY,x
        bne .done
        ldx acol
        lda ColX,x
        clc
        adc #1
        cmp oilx
        bne .done
        lda #NOJAR
        sta oily
        lda flashes
        cmp #3
        bcs .full
        inc flashes
.full
        lda #SfxOil-Sfx
        ldx #1
        jsr PlaySound
        lda #$20
        jmp AddScore
.more
        lda drops               ; oil appears when 70 and 35 drops are left
        cmp #70
        beq .oil
        cmp #35
        bne .nodew
.oil
        jsr Rand
        and #7
        tax
        lda JarY,x
        sta oily
        jsr Rand
        and #7
        tax
        inx
        lda ColX,x
        clc
        adc #1
        sta oilx
.done
        rts

; The shades move at a speed that rises from garden to garden. Only one of them decides in a frame.
Shades subroutine
        lda stun
        bne .done
        lda stage
        asl
        asl
        asl
        adc #130
        sta t0
        lda mode
        lsr
        lda t0
        bcc .normal
        adc #49                 ; carry is set: 50
        bcs .max
.normal
        cmp #225
        bcc .speed
.max
        lda #225
.speed
        clc
        adc sacc
        sta sacc
        bcc .done
        lda #0
        sta t3                  ; 1: a decision was made
        ldx #3
.shade
        lda aprog,x
        beq .decide
        inc aprog,x
        lda aprog,x
        cmp #12
        bcc .next
        lda #0
        sta aprog,x
        jsr Arrive
        jmp .next
.decide
        lda t3
        bne .next
        inc t3
        jsr Decide
.next
        dex
        bne .shade
.done
        rts

; X = shade: choose the open side that is nearest to the firefly; not back, if there is another.
Decide subroutine
        lda #$FF
        sta t2                  ; best distance so far
        jsr Rand
        bit sw
        bmi .wise               ; right difficulty A: never at random
        ldy HomeRow,x           ; the firefly is elsewhere: mostly at random
        cmp #100
        bcc .lost
        lda ZoneIs,x
        cmp pz
        bne .lost
.wise
        lda #0
        beq .set
.lost
        lda rc
        ora #1
.set
        sta t3                  ; 0: hunt, else a random number (and not 0: a decision was made)
        ldy #3
.try
        tya
        eor adir,x
        cmp #1
        beq .skip               ; back
        tya
        beq .isup
        cmp #DOWN
        bne .ask
        lda arow,x              ; the terrace ends below
        cmp ZoneEnd,x
        bcs .skip
        bcc .ask
.isup
        lda ZoneTop,x
        cmp arow,x
        bcs .skip
.ask
        jsr Open
        bcc .skip
        lda t3
        beq .hunt
        asl t3                  ; at random: whatever comes
        eor t2
        and #$7F
        ora #1
        jmp .compare
.hunt
        lda acol,x
        clc
        adc StepX,y
        sec
        sbc acol
        bcs .px
        eor #$FF
        adc #1
.px
        sta t1
        lda arow,x
        clc
        adc StepY,y
        sec
        sbc arow
        bcs .py
        eor #$FF
        adc #1
.py
        clc
        adc t1
.compare
        cmp t2
        bcs .skip
        sta t2
        tya
        sta aprog,x             ; remember it here
.skip
        dey
        bpl .try
        lda t2
        cmp #$FF
        bne .go
        lda adir,x              ; a dead end: turn round
        eor #1
        tay
        jsr Open
        lda #0
        bcc .stay
        tya
        sta adir,x
        lda #1
.stay
        sta aprog,x
        lda #1
        sta t3
        rts
.go
        lda aprog,x
        sta adir,x
        lda #1
        sta aprog,x
        sta t3
        rts

; ---------------------------------------------------------------------------------------------
; Tables.

HomeCol .byte 5,0,10,0
HomeRow .byte 8,0,3,6
ZoneIs  .byte 0,0,1,2
ZoneTop .byte 0,0,3,6
ZoneEnd .byte 0,2,5,8
StepX   .byte 0,0,-1,1
StepY   .byte -1,1,0,0
Terrace .byte $FF,$FF,$FF,1,$FF,$FF,2,$FF,$FF
TerraceOf .byte 0,0,0,1,1,1,2,2,2
ColX    .byte 12,24,36,48,60,76,92,104,116,128,140
HalfBit .byte 1,2,4,8,16,32,16,8,4,2,1
WallBit .byte 1,2,4,8,16,16,8,4,2,1
DewMask .byte $80,$10,$02,$02,$10,$C0,$08,$01,$01,$08,$40
JarY    .byte 67,59,51,43,35,27,19,11,3
Wide    .byte 0,1,3,4,5,7,8,9,11,12,13,15,16
High    .byte 0,1,1,2,3,3,4,5,5,6,7,7,8
StageKey .byte $00,$1D,$3A,$47,$74,$69,$B2,$AF,$C8,$D5,$E6,$F3,$18,$25,$52,$8F
Sticks                          ; right left down up, 0 = pressed -> direction; two at once: one of them
        .byte $FF,$FF,$FF,$FF,$FF,RIGHT,RIGHT,RIGHT
        .byte $FF,LEFT,LEFT,LEFT,$FF,DOWN,UP,$FF
ShadeCol .byte $46,$86,$66
HedgeCol .byte $C6,$B6,$D4,$E6
FlashBar .byte 0,$C0,$D8,$DB

Sfx     .byte 0
SfxDew  .byte 0,$48,9, 0,$44,7, $FF
SfxRow  .byte 2,$48,14, 2,$48,11, 3,$46,9, $FF
SfxOil  .byte 2,$C9,20, 2,$C9,16, 2,$C9,12, 3,$C6,9, $FF
SfxFlash .byte 0,$8C,0, 1,$8A,1, 1,$88,2, 2,$86,3, 3,$84,5, $FF
SfxCaught .byte 3,$CC,12, 3,$CB,15, 3,$CA,18, 4,$C8,22, 6,$C6,26, 9,$C3,31, $FF
SfxGarden .byte 5,$4A,20, 5,$4A,16, 5,$4A,13, 5,$4A,10, 5,$4A,13, 9,$4A,10, $FF

        align 256
Cell0
        .byte $40,$C0,$40,$C0,$40,$C0,$40,$C0,$40,$C0,$40,$C0,$40,$C0,$40,$C0
        .byte $40,$C0,$40,$C0,$40,$C0,$40,$C0,$40,$C0,$40,$C0,$40,$C0,$40,$C0
        .byte $40,$C0,$40,$C0,$40,$C0,$40,$C0,$40,$C0,$40,$C0,$40,$C0,$40,$C0
        .byte $40,$C0,$40,$C0,$40,$C0,$40,$C0,$40,$C0,$40,$C0,$40,$C0,$40,$C0
Cell1
        .byte $49,$C9,$79,$F9,$4F,$CF,$7F,$FF,$49,$C9,$79,$F9,$4F,$CF,$7F,$FF
        .byte $49,$C9,$79,$F9,$4F,$CF,$7F,$FF,$49,$C9,$79,$F9,$4F,$CF,$7F,$FF
        .byte $49,$C9,$79,$F9,$4F,$CF,$7F,$FF,$49,$C9,$79,$F9,$4F,$CF,$7F,$FF
        .byte $49,$C9,$79,$F9,$4F,$CF,$7F,$FF,$49,$C9,$79,$F9,$4F,$CF,$7F,$FF
Cell2
        .byte $24,$24,$24,$24,$24,$24,$24,$24,$27,$27,$27,$27,$27,$27,$27,$27
        .byte $3C,$3C,$3C,$3C,$3C,$3C,$3C,$3C,$3F,$3F,$3F,$3F,$3F,$3F,$3F,$3F
        .byte $E4,$E4,$E4,$E4,$E4,$E4,$E4,$E4,$E7,$E7,$E7,$E7,$E7,$E7,$E7,$E7
        .byte $FC,$FC,$FC,$FC,$FC,$FC,$FC,$FC,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF
Wall1
        .byte $00,$40,$08,$48,$01,$41,$09,$49,$00,$40,$08,$48,$01,$41,$09,$49
        .byte $00,$40,$08,$48,$01,$41,$09,$49,$00,$40,$08,$48,$01,$41,$09,$49
Wall2
        .byte $00,$00,$00,$00,$00,$00,$00,$00,$04,$04,$04,$04,$04,$04,$04,$04
        .byte $20,$20,$20,$20,$20,$20,$20,$20,$24,$24,$24,$24,$24,$24,$24,$24

        align 256
; pictures of 6 rows, foot first, with zeros below and above: two to a page
        ds 66,0
FlyA    .byte %00011000
        .byte %00011000
        .byte %00111100
        .byte %11111111
        .byte %11100111
        .byte %01000010
        ds 66,0
FlyB    .byte %00011000
        .byte %00111100
        .byte %11111111
        .byte %11111111
        .byte %00100100
        .byte %00000000
        align 256
        ds 66,0
ShadeA  .byte %10100101
        .byte %01111110
        .byte %11111111
        .byte %01011010
        .byte %10111101
        .byte %01000010
        ds 66,0
ShadeB  .byte %01011010
        .byte %01111110
        .byte %11111111
        .byte %11011011
        .byte %00111100
        .byte %10000001
        ds 66,0

        mac ExtraFont
Icon    equ 96
        .byte %00000000
        .byte %00011000
        .byte %00111100
        .byte %01111110
        .byte %01111110
        .byte %00100100
        .byte %01000010
        .byte %00000000
        endm

        include "common.inc"

        org $FFFC
        .word Boot
        .word Boot
