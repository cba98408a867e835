/* The processor: which one the code is compiled for, what this one can do, and how many there are.
 *
 * Kernels for an instruction set are compiled where OS_X86_64 or OS_ARM64 is 1, and chosen by os_cpu_has(). */
#ifndef SIXER_UTIL_OS_CPU_H
#define SIXER_UTIL_OS_CPU_H

#include <stdbool.h>

#if defined(__x86_64__)
#define OS_X86_64 1
#else
#define OS_X86_64 0
#endif
#if defined(__AARCH64EL__) /* little-endian, as all systems for it are */
#define OS_ARM64 1
#else
#define OS_ARM64 0
#endif
#if defined(__wasm32__)
#define OS_WASM32 1
#else
#define OS_WASM32 0
#endif
/* SSE2 is part of every x86-64. */
#if defined(__SSE2__)
#define OS_SSE2 1
#else
#define OS_SSE2 0
#endif

/* Translated code calls C and is called by it as on Unix, whatever the system's own convention is. */
#if defined(_WIN32) && OS_X86_64
#define OS_UNIX_CALL __attribute__((sysv_abi))
#else
#define OS_UNIX_CALL
#endif

/* Extensions of x86-64, and fused multiply-add also of ARM. A vector extension counts only if the system saves its
 * registers. */
typedef enum os_cpu_feature {
  OS_CPU_SSE41,
  OS_CPU_PCLMUL,
  OS_CPU_FMA,
  OS_CPU_BMI,
  OS_CPU_BMI2,
  OS_CPU_AVX2,
  OS_CPU_AVX512F,
  OS_CPU_AVX512DQ,
  OS_CPU_AVX512BW,
  OS_CPU_AVX512VL,
  OS_CPU_AVX512VBMI
} os_cpu_feature;

/* Does this processor have the extension? Asked once per process and remembered. */
bool os_cpu_has(os_cpu_feature feature);

/* Processors that this process may use, at least 1, and those that are switched on. */
int os_processors(void);
int os_processors_on(void);

/* Keep the calling thread on one processor. Only for speed: a failure changes nothing. */
void os_pin_thread(int processor);

/* Keep this process and its children on the processor it runs on now; false if the system does not let it. Then undo
 * that. */
typedef struct os_affinity {
  unsigned char saved[128];
} os_affinity;
bool os_pin_here(os_affinity *before);
bool os_unpin(const os_affinity *before);

/* Tell the processor that this is a loop that waits. */
static inline void os_relax(void) {
#if OS_X86_64
  __builtin_ia32_pause();
#elif OS_ARM64
  __asm__ volatile("yield");
#endif
}

#endif
