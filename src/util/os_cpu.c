/* What the processor can do, by CPUID and XGETBV. Compilers have __builtin_cpu_supports(), but its tables belong to
 * libgcc, which not every platform links. */
#include "util/os_cpu.h"

#include <stdatomic.h>
#include <stdint.h>

#if OS_X86_64
#include <cpuid.h>

/* Which register files the system saves: XCR0. */
static uint64_t saved_registers(void) {
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

static uint32_t bit_if(os_cpu_feature feature, bool there) { return (uint32_t)there << feature; }

static uint32_t look(void) {
  enum { YMM = 0x6, ZMM = 0xE6 }; /* bits of XCR0: SSE and AVX; and the three of AVX-512 */
  uint32_t a, b, c, d, leaf7b = 0, leaf7c = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
  uint64_t saved = c & bit_OSXSAVE ? saved_registers() : 0;
  bool ymm = (saved & YMM) == YMM && (c & bit_AVX), zmm = ymm && (saved & ZMM) == ZMM;
  uint32_t found = bit_if(OS_CPU_SSE41, c & bit_SSE4_1) | bit_if(OS_CPU_PCLMUL, c & bit_PCLMUL) |
                   bit_if(OS_CPU_FMA, ymm && (c & bit_FMA));
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) leaf7b = b, leaf7c = c;
  bool avx512 = zmm && (leaf7b & bit_AVX512F);
  found |= bit_if(OS_CPU_BMI, leaf7b & bit_BMI) | bit_if(OS_CPU_BMI2, leaf7b & bit_BMI2) |
           bit_if(OS_CPU_AVX2, ymm && (leaf7b & bit_AVX2)) | bit_if(OS_CPU_AVX512F, avx512) |
           bit_if(OS_CPU_AVX512DQ, avx512 && (leaf7b & bit_AVX512DQ)) |
           bit_if(OS_CPU_AVX512BW, avx512 && (leaf7b & bit_AVX512BW)) |
           bit_if(OS_CPU_AVX512VL, avx512 && (leaf7b & bit_AVX512VL)) |
           bit_if(OS_CPU_AVX512VBMI, avx512 && (leaf7c & bit_AVX512VBMI));
  return found;
}
#elif OS_ARM64
static uint32_t look(void) { return 1u << OS_CPU_FMA; } /* part of the base */
#else
static uint32_t look(void) { return 0; }
#endif

/* CPUID takes microseconds in a virtual machine. Every thread finds the same, so it does not matter who stores it. */
bool os_cpu_has(os_cpu_feature feature) {
  enum { LOOKED = 1u << 31 };
  static _Atomic uint32_t known;
  uint32_t found = atomic_load_explicit(&known, memory_order_relaxed);
  if (!found) {
    found = look() | (uint32_t)LOOKED;
    atomic_store_explicit(&known, found, memory_order_relaxed);
  }
  return found >> feature & 1;
}
