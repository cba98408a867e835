; Both channels through all 16 waveforms, many dividers and volumes, several frames each.
        include "vcs.inc"
        START
frame   BEGIN_FRAME
        lda FRAME
        lsr
        lsr
        sta AUDC0
        eor #$FF
        sta AUDC1
        lda FRAME
        sta AUDF0
        asl
        sta AUDF1
        lda FRAME
        ora #8
        sta AUDV0
        lda FRAME
        lsr
        sta AUDV1
        PICTURE
        lda FRAME
        sta COLUBK
        LINES 100
        lda FRAME
        and #$10
        beq done
        sta AUDC0       ; several writes a frame: the last one counts
        lda #3
        sta AUDF0
        lda FRAME
        lsr
        sta AUDC0
done    LINES 90
        END_FRAME 20
        FINISH
