/* Tiles for 32 registers of 16 floats, and everything else in terms of them; internal to nn_avx512.c. It is a file
 * of its own so that tests/nn/test_nn_wide.c can compile it with vectors in portable C and run it on any processor. */
#define TILES_TO_12
#define COLUMNS 2
#include "nn/nn_tile_rows.h"
#undef COLUMNS
#define COLUMNS 1
#include "nn/nn_tile_rows.h"
#undef COLUMNS
#define COLUMNS         4
#define ROWS            1
#define TILE_CONTIGUOUS 0
#include "nn/nn_tile_body.h"

enum { TILE_ROWS = 12, TILE_WIDE = 4 };
#define TILE_PANELS 2
static nn_tile_function *const tiles[] = {
    NULL,       tile_1x2_p, tile_2x2_p, tile_3x2_p,  tile_4x2_p,  tile_5x2_p, tile_6x2_p,
    tile_7x2_p, tile_8x2_p, tile_9x2_p, tile_10x2_p, tile_11x2_p, tile_12x2_p};
static nn_tile_function *const tiles_contiguous[] = {
    NULL,       tile_1x2_s, tile_2x2_s, tile_3x2_s,  tile_4x2_s,  tile_5x2_s, tile_6x2_s,
    tile_7x2_s, tile_8x2_s, tile_9x2_s, tile_10x2_s, tile_11x2_s, tile_12x2_s};
static nn_tile_function *const narrow_tiles[] = {
    NULL,       tile_1x1_p, tile_2x1_p, tile_3x1_p,  tile_4x1_p,  tile_5x1_p, tile_6x1_p,
    tile_7x1_p, tile_8x1_p, tile_9x1_p, tile_10x1_p, tile_11x1_p, tile_12x1_p};
static nn_tile_function *const narrow_tiles_contiguous[] = {
    NULL,       tile_1x1_s, tile_2x1_s, tile_3x1_s,  tile_4x1_s,  tile_5x1_s, tile_6x1_s,
    tile_7x1_s, tile_8x1_s, tile_9x1_s, tile_10x1_s, tile_11x1_s, tile_12x1_s};
static nn_tile_function *const wide_tiles[] = {NULL, tile_1x4_p};
#include "nn/nn_vector_body.h"
