; Undervault: exploration. Keys, doors, 64 rooms, and a torch that burns down.
;
; Under the hill lie eight rows of eight rooms, in four depths of two rows. Between the depths the doors are
; locked: a stripe in the wall shows the color of the key, and the key lies somewhere above the door. In the
; lowest depth lies the heart of the vault; take it, and carry it back up to the room where you came in. Relics
; in between are worth points and feed the torch. Sentinels roam in some of the rooms: their touch costs
; a life, and so does darkness. Home with the heart, the next vault opens.
;
; Modes: 0 vault, 1 sentinels (in most rooms), 2 dark (the walls show only while the button is held, and
; the torch burns twice as fast; relics count twice), 3 dark with sentinels. Left difficulty A: whoever dies loses the last key
; and must find it again. Right difficulty A: the sentinels are twice as fast.

        processor 6502
        include "console.inc"

NMODES  equ 4
MAGIC   equ $D5
SCORECOL equ $1C
LIFECOL equ $1C
TITLEHUE equ $40
TOPY    equ 77          ; heights count pairs of lines
ITEMS   equ 12          ; 0-2 keys, 3 the heart, 4-11 relics
HEART   equ 3
TAKEN   equ $FF
NOLOCK  equ $FF

; ---- RAM ----
        seg.u ram
        org GRAM
items   ds ITEMS        ; the room each lies in, or TAKEN
rp1     ds 6            ; the room's pillars: PF1 and PF2 of six rows, mirrored below
rp2     ds 6
p0      ds 2
p1      ds 2
room    ds 1            ; row * 8 + column
exits   ds 1            ; 1 north, 2 south, 4 west, 8 east
lockn   ds 1            ; the lock of the north and of the south door, or NOLOCK
locks   ds 1
manx    ds 1
many    ds 1
oldx    ds 1            ; where the last step came from
oldy    ds 1
inx_    ds 1            ; where the room was entered
iny_    ds 1
keys    ds 1            ; number of keys
heart   ds 1            ; 1: carried
home    ds 1            ; the room of the entrance
here    ds 1            ; what is in this room: an item, or $80 + kind of sentinel, or TAKEN
objx    ds 1
objy    ds 1
objd    ds 1            ; direction of a sentinel
torch   ds 1            ; what is left of it
torcht  ds 1
stage   ds 1
vkey    ds 1            ; the vault's own number
vkey2   ds 1            ; and another made from it, so that all its bits count
gen     ds 1            ; items still to be placed
pf0mid  ds 1            ; the side walls beside the side doors
pf2top  ds 1
pf2bot  ds 1
wallc   ds 1
floor   ds 1            ; color of the room's floor
topc    ds 1            ; colors of the stripes
botc    ds 1
krow    ds 1
cnt     ds 1
ballx   ds 1            ; the ball closes the one side door that is not there
ballon  ds 1
safe    ds 1            ; frames of being safe
enter   ds 1            ; 1: the room is to be worked out

        seg code
        org $F000

; ---------------------------------------------------------------------------------------------
; The picture: 13 rows of 6 pairs of lines; the first and the last are the walls with their doors, a stripe of
; the lock's color in their middle. Rooms are mirrored left and right, so one playfield does for both halves.

WallRow subroutine              ; A = player 0's picture, t2 = PF2, t3 = color of the stripe
        ldx #6
        stx cnt
.pair
        sta WSYNC
        sta GRP0                ; 3
        lda #$F0                ; 5
        sta PF0                 ; 8
        lda #$FF                ; 10
        sta PF1                 ; 13
        lda t2                  ; 16
        sta PF2                 ; 19
        ldx floor
        stx COLUBK              ; 25: the first pixel that shows it is 64
        ldx ballon              ; the ball is hidden by the wall
        stx ENABL
        ldx wallc
        lda cnt
        cmp #3
        beq .stripe
        cmp #4
        bne .plain
.stripe
        ldx t3
.plain
        lda (p1),y
        sta WSYNC
        sta GRP1                ; 3
        stx COLUPF              ; 6
        dey
        lda (p0),y
        dec cnt
        bne .pair
        rts

GameKernel subroutine
        lda #0
        sta VDELP0
        sta VDELP1
        sta NUSIZ0
        sta NUSIZ1
        lda #$1E
        ldx heart
        beq .plain
        lda frame               ; the heart glows
        and #$0F
        ora #$40
.plain
        sta COLUP0
        lda manx
        ldx #0
        jsr PosObj              ; lines 10, 11
        jsr ObjColor
        lda objx
        ldx #1
        jsr PosObj              ; lines 12, 13
        lda #$31                ; mirrored, ball of 8 pixels
        sta CTRLPF
        lda wallc
        sta COLUPF
        lda pf2top
        sta t2
        lda topc
        sta t3
        sta WSYNC
        sta HMOVE               ; line 15
        lda #1
        sta krow
        ldy #TOPY
        sta CXCLR
        lda room                ; the entrance is lit
        cmp home
        bne .inside
        lda #$80
        bne .sky
.inside
        lda #0
.sky
        sta floor
        lda (p0),y
        jsr WallRow
        sta t0
        ldx #1
        bne .first
.pair
        sta WSYNC
        sta GRP0
        lda (p1),y
        sta WSYNC
        sta GRP1                ; 3
        dey                     ; 5
        dec cnt                 ; 10
        beq .nextrow            ; 12
        lda (p0),y
        jmp .pair
.nextrow
        inc krow                ; 18
        ldx krow                ; 21
        cpx #12                 ; 23
        beq .bottom             ; 25
        lda (p0),y              ; 31
        sta t0                  ; 34
.first
        lda Fold,x              ; 38
        tax                     ; 40
        lda rp1,x               ; 44
        sta t1                  ; 47
        lda rp2,x               ; 51
        sta t2                  ; 54
        ldx krow                ; 57
        lda pf0mid              ; 60
        ora SideOr,x            ; 64
        ldx #6                  ; 66
        stx cnt                 ; 69
        ldx t0                  ; 72
        sta WSYNC               ; 75
        stx GRP0                ; 3
        sta PF0                 ; 6
        lda t1                  ; 9
        sta PF1                 ; 12
        lda t2                  ; 15
        sta PF2                 ; 18
        lda (p1),y
        sta WSYNC
        sta GRP1
        dey
        dec cnt
        lda (p0),y
        jmp .pair
.bottom
        lda pf2bot
        sta t2
        lda botc
        sta t3
        lda (p0),y
        jsr WallRow
        lda #0
        sta WSYNC               ; line 172
        sta PF0
        sta PF1
        sta PF2
        sta GRP0
        sta GRP1
        sta COLUBK
        sta ENABL
        lda #$2A
        sta COLUPF
        lda torch
        lsr
        lsr
        lsr
        tay
        sta WSYNC
        lda BarPF1,y            ; lines 173 to 175: the torch
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

ObjColor subroutine
        ldx here
        bmi .sentinel
        lda ItemCol,x
        bne .set
.sentinel
        lda frame
        and #$0E
        ora #$30
.set
        sta COLUP1
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
        lda safe
        and #4
        bne .hidden
        lda manx
        lsr
        eor many
        and #2
        beq .stride
        PICTURE p0,ManA,many
        jmp .man
.stride
        PICTURE p0,ManB,many
        jmp .man
.hidden
        lda #<Nothing
        sta p0
        lda #>Nothing
        sta p0+1
.man
        ldx here
        cpx #TAKEN
        beq .nothing
        txa
        bmi .sentinel
        cpx #HEART
        beq .heart
        bcc .key
        PICTURE p1,Relic,objy
        jmp .object
.heart
        PICTURE p1,Heart,objy
        jmp .object
.key
        PICTURE p1,Key,objy
        jmp .object
.sentinel
        lda frame
        and #8
        beq .other
        PICTURE p1,SentA,objy
        jmp .object
.other
        PICTURE p1,SentB,objy
        jmp .object
.nothing
        lda #<Nothing
        sta p1
        lda #>Nothing
        sta p1+1
.object
        ; colors
        lda room
        lsr
        lsr
        lsr
        lsr
        tax                     ; depth
        lda level               ; each level has its own stone
        asl
        asl
        asl
        asl
        and #$30
        eor DepthCol,x
        tay
        lda mode
        and #2
        beq .lit
        lda INPT4
        bpl .lit
        ldy #0
.lit
        sty wallc
        ; doors
        ldx #$FF
        lda exits
        lsr
        bcc .nonorth
        lda lockn
        cmp keys                ; NOLOCK is never smaller
        bcc .northopen
        cmp #NOLOCK
        bne .nonorth
.northopen
        ldx #$1F
.nonorth
        stx pf2top
        ldx wallc
        ldy lockn
        bmi .notop
        ldx KeyCol,y
.notop
        stx topc
        ldx #$FF
        lda exits
        and #2
        beq .nosouth
        lda locks
        cmp keys
        bcc .southopen
        cmp #NOLOCK
        bne .nosouth
.southopen
        ldx #$1F
.nosouth
        stx pf2bot
        ldx wallc
        ldy locks
        bmi .nobot
        ldx KeyCol,y
.nobot
        stx botc
        ; side doors: if there is only one, the ball closes the other side
        ldx #0
        stx ballon
        lda exits
        and #$0C
        bne .side
        ldx #$30
        bne .mid
.side
        cmp #$0C
        beq .mid
        ldy #2
        sty ballon
        ldy #1                  ; at the left
        cmp #8
        beq .ball
        ldy #153                ; at the right
.ball
        sty ballx
.mid
        stx pf0mid
        lda ballx
        ldx #4
        jsr PosObj
        sta WSYNC
        sta HMOVE
        rts

; ---------------------------------------------------------------------------------------------
; A new game, a new vault.

GameInit subroutine
        lda #3
        sta lives
NewVault
        lda #ITEMS
        sta gen
        lda #0
        sta keys
        sta heart
        lda #TAKEN
        sta here
        lda #150
        sta torch
        lda stage               ; the vault's own number: level + 57 * stage
        asl
        asl
        asl
        sec
        sbc stage
        asl
        asl
        asl
        adc stage
        clc
        adc level
        sta vkey
        jsr Seed
        jsr Rand
        jsr Rand
        sta vkey2
        lda #$FF
        sta lockn
        sta locks
        rts

; A number that depends on A and on the vault, always the same: -> A. Keeps X, Y.
Hash subroutine
        sta ra
        sta rx
        lda vkey
        sta rb
        lda vkey2
        sta rc
        jsr Rand
        jsr Rand
        jsr Rand
        jmp Rand

; Which of the two rows of depth X is the long corridor? -> A = 0 or 1. Keeps X.
Corridor subroutine
        txa
        ora #$C8
        jsr Hash
        and #1
        rts

; One item in each frame: X = gen - 1.
PlaceItem subroutine
        dec gen
        ldy gen
        ldx ItemDepth,y
        jsr Corridor
        eor #1                  ; the row that is not the corridor
        cpy #4
        bcc .row
        cpy #8                  ; half of the relics lie in the corridor
        bcs .row
        eor #1
.row
        sta t0
        txa
        asl
        ora t0
        asl
        asl
        asl
        sta t0
        tya
        ora #$60
        jsr Hash
        and #7
        ora t0
        sta items,y
        lda gen
        bne .more
        ldx #0                  ; the entrance: in the corridor of the first depth
        jsr Corridor
        asl
        asl
        asl
        sta t0
        lda #$F1
        jsr Hash
        and #7
        ora t0
        sta home
        sta room
        ldx #ITEMS-1            ; nothing lies at the entrance
.clear
        cmp items,x
        bne .elsewhere
        eor #1
        sta items,x
        lda home
.elsewhere
        dex
        bpl .clear
        lda #76
        sta manx
        lda #20
        sta many
        lda #1
        sta enter
.more
        rts

; ---------------------------------------------------------------------------------------------
; The room: its doors, pillars and what is in it, all worked out from the numbers of the vault and of the
; room, so that nothing needs to be stored. In each depth one row is a corridor; each room of the other row has
; a door to it or to its western neighbor, some have both: so every room can be reached. Two doors lead
; down from each depth.

EnterRoom subroutine
        lda #0
        sta enter
        sta exits
        lda #NOLOCK
        sta lockn
        sta locks
        lda manx
        sta inx_
        sta oldx
        lda many
        sta iny_
        sta oldy
        lda room
        lsr
        lsr
        lsr
        sta t1                  ; row
        lsr
        tax                     ; depth
        lda room
        and #7
        sta t2                  ; column
        jsr Corridor
        sta t3
        ; the room of this column that is not in the corridor
        txa
        asl
        ora t3
        eor #1
        asl
        asl
        asl
        ora t2
        sta t0
        jsr Hash
        jsr Links
        tya
        and #1                  ; bit 0: door to the corridor
        beq .novertical
        lda t1
        and #1                  ; even rows: south
        eor #1
        tax
        inx
        txa
        sta exits
.novertical
        lda t1
        eor t3
        lsr
        bcs .chamber
        lda #$0C                ; the corridor: west and east
        ora exits
        sta exits
        bne .ends
.chamber
        tya
        and #2
        asl                     ; bit 1: door west
        ora exits
        sta exits
        ldx t0
        inx
        txa
        inc t2
        jsr Hash
        jsr Links
        dec t2
        tya
        and #2
        asl
        asl
        ora exits
        sta exits
.ends
        lda t2                  ; nothing beyond the ends
        bne .notwest
        lda exits
        and #$0B
        sta exits
.notwest
        lda t2
        cmp #7
        bne .noteast
        lda exits
        and #$07
        sta exits
.noteast
        ; locked doors
        lda t1
        lsr
        tax                     ; depth
        bcs .odd
        dex                     ; even rows: the door above
        bmi .doors
        jsr LockHere
        bcc .doors
        stx lockn
        lda #1
        bne .lock
.odd
        cpx #3
        beq .doors
        jsr LockHere
        bcc .doors
        stx locks
        lda #2
.lock
        ora exits
        sta exits
.doors
        ; pillars
        lda room
        ora #$40
        jsr Hash
        sta t0
        and #7
        asl
        sta t1
        asl
        clc
        adc t1                  ; * 6
        tax
        ldy #0
.pillars
        lda Pat1,x
        sta rp1,y
        lda Pat2,x
        sta rp2,y
        inx
        iny
        cpy #6
        bne .pillars
        ; what is here?
        lda #76
        sta objx
        lda #13
        sta objy
        ldx #0
.item
        lda items,x
        cmp room
        beq .found
        inx
        cpx #ITEMS
        bne .item
        lda room
        cmp home                ; no sentinel at the entrance
        beq .empty
        lda t0                  ; a sentinel?
        lsr
        lsr
        lsr
        and #3
        ldx mode
        cpx #1
        beq .most
        cpx #3
        beq .most
        cmp #0
        bne .empty
        beq .sentinel
.most
        cmp #3
        beq .empty
.sentinel
        lda #40
        sta objy
        lda t0
        asl
        rol
        rol
        and #3                  ; how it moves
        ora #$80
        sta here
        lda #1
        sta objd
        rts
.empty
        ldx #TAKEN
.found
        stx here
        rts

; A = hash of a chamber, t2 = its column -> Y bit 0: door to the corridor, bit 1: door to the west.
Links subroutine
        ldy t2
        beq .corridor           ; the first column always has the door
        tay
        and #6
        beq .both
        tya
        lsr
        bcs .corridor
        ldy #2
        rts
.both
        ldy #3
        rts
.corridor
        ldy #1
        rts

; X = depth, t2 = column: carry set if a locked door leads down from there. Keeps X.
LockHere subroutine
        txa
        ora #$D8
        jsr Hash
        and #7
        cmp t2
        beq .yes
        clc
        adc #3
        and #7
        cmp t2
        beq .yes
        clc
        rts
.yes
        sec
        rts

; ---------------------------------------------------------------------------------------------
; One frame of play.

GameLogic subroutine
        lda gen
        beq .placed
        jmp PlaceItem
.placed
        lda enter
        beq .inside
        jmp EnterRoom
.inside
        lda safe
        beq .vulnerable
        dec safe
.vulnerable
        jsr Torch
        jsr Walk
        lda enter
        bne .done
        lda here
        cmp #TAKEN
        beq .done
        and #$80
        beq .item
        jsr Sentinel
        lda safe
        bne .done
        lda CXPPMM
        bpl .done
        jmp Die
.item
        lda CXPPMM
        bpl .done
        jmp Take
.done
        rts

Torch subroutine
        dec torcht
        bpl .done
        lda mode
        and #2
        beq .slow
        lda #35
        bne .set
.slow
        lda #71
.set
        sta torcht
        dec torch
        bne .done
        lda #100
        sta torch
        jmp Die
.done
        rts

; Walking: sideways in odd frames, up and down in even ones. A step that ends in a wall is taken back in the
; next frame; the TIA tells.
Walk subroutine
        bit CXP0FB
        bvs .blocked            ; the ball
        bpl .free
.blocked
        lda oldx
        sta manx
        lda oldy
        sta many
.free
        lda manx
        sta oldx
        lda many
        sta oldy
        lda SWCHA
        sta t0
        lda frame
        lsr
        bcc .vertical
        lda t0
        and #$C0
        beq .done               ; both at once: neither
        cmp #$C0
        beq .done
        asl
        bcs .left
        lda manx                ; right
        adc #3
        sta manx
        cmp #150
        bcc .done
        inc room                ; east
        lda #4
        sta manx
        bne .newroom
.left
        lda manx
        sbc #3
        sta manx
        cmp #3
        bcs .done
        dec room                ; west
        lda #148
        sta manx
        bne .newroom
.vertical
        lda t0
        and #$30
        beq .done
        cmp #$30
        beq .done
        and #$10
        beq .up
        dec many
        dec many
        bpl .done
        lda room                ; south
        clc
        adc #8
        sta room
        lda #70
        sta many
        bne .newroom
.up
        inc many
        inc many
        lda many
        cmp #72
        bcc .done
        lda room
        sec
        sbc #8
        sta room
        lda #2
        sta many
.newroom
        lda #1
        sta enter
        lda #TAKEN
        sta here
        lda #SfxDoor-Sfx
        ldx #1
        jsr PlaySound
        lda heart
        beq .done
        lda room
        cmp home
        beq Won
.done
        rts

Won                             ; home with the heart
        lda #$10
        jsr AddHundreds
        inc stage
        lda lives
        cmp #5
        bcs .full
        inc lives
.full
        lda #SfxWon-Sfx
        ldx #0
        jsr PlaySound
        jmp NewVault

Take subroutine
        ldx here
        lda #TAKEN
        sta items,x
        sta here
        cpx #HEART
        beq .heart
        bcs .relic
        inc keys
        lda #SfxKey-Sfx
        ldx #0
        jsr PlaySound
        lda #1
        jmp AddHundreds
.heart
        inc heart
        lda #SfxHeart-Sfx
        ldx #0
        jsr PlaySound
        lda #5
        jmp AddHundreds
.relic
        lda torch
        clc
        adc #30
        cmp #151
        bcc .fed
        lda #150
.fed
        sta torch
        lda #SfxRelic-Sfx
        ldx #0
        jsr PlaySound
        lda #$50                ; twice as much in the dark
        jsr AddScore
        lda mode
        and #2
        beq .lit
        lda #$50
        jmp AddScore
.lit
        rts

Die subroutine
        lda #SfxDie-Sfx
        ldx #0
        jsr PlaySound
        lda #90
        sta safe
        lda inx_
        sta manx
        sta oldx
        lda iny_
        sta many
        sta oldy
        bit sw                  ; left difficulty A: the last key is lost
        bvc .keep
        ldy keys
        beq .keep
        dey
        sty keys
        lda room                ; it falls where you fell, unless this is below its door
        lsr
        lsr
        lsr
        lsr
        sta t0
        cpy t0
        bcc .keepit
        lda room
        sta items,y
        bcs .keep
.keepit
        inc keys
.keep
        dec lives
        bne .more
        lda #OVER
        sta state
        lda #0
        sta safe
.more
        lda #1
        sta enter
        rts

; A sentinel goes to and fro, up and down, or after you, through everything.
Sentinel subroutine
        lda frame
        bit sw                  ; right difficulty A: in every frame
        bmi .move
        lsr
        bcs .done
.move
        lda here
        and #3
        beq .sideways
        cmp #1
        beq .updown
        lda frame               ; after you, at half the speed
        and #2
        beq .done
        lda manx
        cmp objx
        beq .level
        bcc .west
        inc objx
        inc objx
.west
        dec objx
.level
        lda many
        cmp objy
        beq .done
        bcc .lower
        inc objy
        inc objy
.lower
        dec objy
.done
        rts
.sideways
        lda objx
        clc
        adc objd
        sta objx
        cmp #14
        bcc .turn
        cmp #138
        bcs .turn
        rts
.updown
        lda frame
        and #2
        bne .done
        lda objy
        clc
        adc objd
        sta objy
        cmp #9
        bcc .turn
        cmp #62
        bcs .turn
        rts
.turn
        lda #0
        sec
        sbc objd
        sta objd
        rts

; ---------------------------------------------------------------------------------------------
; Tables.

ItemDepth .byte 0,1,2,3,0,1,2,3,0,1,2,3
ItemCol .byte $26,$0C,$1C,$46,$CA,$CA,$CA,$CA,$CA,$CA,$CA,$CA
KeyCol  .byte $26,$0C,$1C
DepthCol .byte $94,$C4,$64,$44
Fold    .byte 0,0,1,2,3,4,5,4,3,2,1,0,0
SideOr  .byte $30,$30,$30,$30,$30,0,0,0,$30,$30,$30,$30,$30

Pat1    .byte $00,$00,$00,$00,$00,$00
        .byte $00,$3C,$3C,$00,$00,$00
        .byte $00,$00,$00,$00,$00,$00
        .byte $00,$00,$FF,$00,$00,$00
        .byte $00,$08,$08,$08,$00,$00
        .byte $F0,$C0,$00,$00,$00,$00
        .byte $00,$03,$0C,$30,$00,$00
        .byte $00,$00,$55,$00,$15,$00
Pat2    .byte $00,$00,$00,$00,$00,$00
        .byte $00,$00,$00,$00,$00,$00
        .byte $00,$00,$00,$00,$E0,$E0
        .byte $00,$00,$0F,$00,$00,$00
        .byte $00,$04,$04,$04,$00,$00
        .byte $00,$00,$00,$00,$1C,$1C
        .byte $00,$01,$00,$00,$00,$C0
        .byte $00,$00,$05,$00,$05,$00
BarPF1  .byte $00,$00,$00,$00,$00,$00,$00,$00,$00,$00,$01,$03,$07,$0F,$0F,$1F,$3F,$7F,$FF,$FF
BarPF2  .byte $00,$80,$C0,$E0,$F0,$F0,$F8,$FC,$FE,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF,$FF

Sfx     .byte 0
SfxDoor .byte 1,$64,20, 1,$63,24, 2,$62,28, $FF
SfxKey  .byte 2,$4A,14, 2,$4A,10, 2,$4A,14, 2,$4A,8, 5,$48,6, $FF
SfxRelic .byte 2,$4A,20, 2,$4A,15, 4,$48,11, $FF
SfxHeart .byte 7,$C8,28, 3,$C0,28, 7,$CA,28, 3,$C0,28, 7,$CC,22, 9,$CA,15, $FF
SfxWon  .byte 5,$4A,20, 5,$4A,16, 5,$4A,13, 9,$4A,10, 5,$4A,13, 5,$4A,10, 19,$4A,8, $FF
SfxDie  .byte 3,$7C,8, 3,$7B,12, 3,$7A,17, 5,$78,23, 9,$74,31, $FF

Nothing ds TOPY+1,0             ; zeros below and above each picture
ManA    .byte %00100100         ; foot first
        .byte %00011000
        .byte %00111100
        .byte %01111110
        .byte %00011001
        .byte %00011001
        ds TOPY+1,0
ManB    .byte %00011000
        .byte %00011000
        .byte %00111100
        .byte %01111110
        .byte %00011001
        .byte %00011001
        ds TOPY+1,0
Key     .byte %01100000
        .byte %01000000
        .byte %01100000
        .byte %01000000
        .byte %01110000
        .byte %01110000
        ds TOPY+1,0
Heart   .byte %00010000
        .byte %00111000
        .byte %01111100
        .byte %11111110
        .byte %11111110
        .byte %01101100
        ds TOPY+1,0
Relic   .byte %00111100
        .byte %00011000
        .byte %00111100
        .byte %01111110
        .byte %01111110
        .byte %01000010
        ds TOPY+1,0
SentA   .byte %10000001
        .byte %01011010
        .byte %00111100
        .byte %11111111
        .byte %01011010
        .byte %00111100
        .byte %01000010
        ds TOPY+1,0
SentB   .byte %00100100
        .byte %01011010
        .byte %10111101
        .byte %01111110
        .byte %01011010
        .byte %00111100
        .byte %00100100
        ds TOPY+1,0

EXTRA   equ keys
        mac ExtraFont
Icon    equ 96                  ; a torch
        .byte %00000000
        .byte %00010000
        .byte %00010000
        .byte %00010000
        .byte %00111000
        .byte %00111000
        .byte %00010000
        .byte %00000000
Icon2   equ 104                 ; a key
        .byte %00000000
        .byte %00011000
        .byte %00010000
        .byte %00011000
        .byte %00010000
        .byte %00101000
        .byte %00111000
        .byte %00000000
        endm

        include "common.inc"

        org $FFFC
        .word Boot
        .word Boot
