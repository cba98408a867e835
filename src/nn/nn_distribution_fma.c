/* Distributions of returns, compiled once more for processors with fused multiply-add: the same bytes in a fraction of
 * the time. nn_distribution.c chooses. */
#include "util/os_cpu.h"

#if OS_X86_64
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif

#define NN_DISTRIBUTION_FMA
#define nn_softmax            nn_softmax_fma
#define nn_categorical_values nn_categorical_values_fma
#define nn_loss_categorical   nn_loss_categorical_fma
#define nn_loss_quantile      nn_loss_quantile_fma
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "nn/nn_distribution.c"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
