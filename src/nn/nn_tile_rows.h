/* Tiles of 1 to 6 rows, or to 12 with TILES_TO_12, of COLUMNS vectors, with both kinds of rows. No include guard. */
#define ROWS            1
#define TILE_CONTIGUOUS 0
#include "nn/nn_tile_body.h"
#define ROWS            1
#define TILE_CONTIGUOUS 1
#include "nn/nn_tile_body.h"
#define ROWS            2
#define TILE_CONTIGUOUS 0
#include "nn/nn_tile_body.h"
#define ROWS            2
#define TILE_CONTIGUOUS 1
#include "nn/nn_tile_body.h"
#define ROWS            3
#define TILE_CONTIGUOUS 0
#include "nn/nn_tile_body.h"
#define ROWS            3
#define TILE_CONTIGUOUS 1
#include "nn/nn_tile_body.h"
#define ROWS            4
#define TILE_CONTIGUOUS 0
#include "nn/nn_tile_body.h"
#define ROWS            4
#define TILE_CONTIGUOUS 1
#include "nn/nn_tile_body.h"
#define ROWS            5
#define TILE_CONTIGUOUS 0
#include "nn/nn_tile_body.h"
#define ROWS            5
#define TILE_CONTIGUOUS 1
#include "nn/nn_tile_body.h"
#define ROWS            6
#define TILE_CONTIGUOUS 0
#include "nn/nn_tile_body.h"
#define ROWS            6
#define TILE_CONTIGUOUS 1
#include "nn/nn_tile_body.h"
#ifdef TILES_TO_12
#define ROWS            7
#define TILE_CONTIGUOUS 0
#include "nn/nn_tile_body.h"
#define ROWS            7
#define TILE_CONTIGUOUS 1
#include "nn/nn_tile_body.h"
#define ROWS            8
#define TILE_CONTIGUOUS 0
#include "nn/nn_tile_body.h"
#define ROWS            8
#define TILE_CONTIGUOUS 1
#include "nn/nn_tile_body.h"
#define ROWS            9
#define TILE_CONTIGUOUS 0
#include "nn/nn_tile_body.h"
#define ROWS            9
#define TILE_CONTIGUOUS 1
#include "nn/nn_tile_body.h"
#define ROWS            10
#define TILE_CONTIGUOUS 0
#include "nn/nn_tile_body.h"
#define ROWS            10
#define TILE_CONTIGUOUS 1
#include "nn/nn_tile_body.h"
#define ROWS            11
#define TILE_CONTIGUOUS 0
#include "nn/nn_tile_body.h"
#define ROWS            11
#define TILE_CONTIGUOUS 1
#include "nn/nn_tile_body.h"
#define ROWS            12
#define TILE_CONTIGUOUS 0
#include "nn/nn_tile_body.h"
#define ROWS            12
#define TILE_CONTIGUOUS 1
#include "nn/nn_tile_body.h"
#endif
