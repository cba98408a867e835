/* Lines with AVX2: the log, known lines, runs and the cache of lines, compiled once more for processors that have it.
 *
 * These files compare and copy words of 16 bytes all the time. With AVX2 a comparison is two instructions instead of
 * five, and values need not be moved before they are changed. The same sources make both versions, under different
 * names; tia_log_catch_up() and tia_known_collisions() choose. */
#include "util/os_cpu.h"

#if OS_X86_64
#include <immintrin.h> /* whose functions have targets of their own */

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#define TIA_LINES_AVX2
#define tia_log_process      tia_log_process_avx2
#define tia_log_process_line tia_log_process_line_avx2
#define tia_log_catch_up     tia_log_catch_up_avx2
#define tia_known_lines_pay  tia_known_lines_pay_avx2
#define tia_known_lines      tia_known_lines_avx2
#define tia_known_collisions tia_known_collisions_avx2
#define tia_run_show         tia_run_show_avx2
#define tia_runs_note        tia_runs_note_avx2
#define tia_close_line       tia_close_line_avx2
#define tia_advance_far      tia_advance_far_avx2
#define tia_beam_collisions  tia_beam_collisions_avx2
#define tia_cache_draw       tia_cache_draw_avx2

/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "machine/tia_cache.c"
#include "machine/tia_known.c"
#include "machine/tia_log.c"
#include "machine/tia_runs.c"
#include "machine/tia_segments.c"
/* NOLINTEND(bugprone-suspicious-include) */

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
