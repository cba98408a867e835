/* Memory, processors and threads of Windows: see os_memory.h, os_cpu.h and os_thread.h. */
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <malloc.h>
#include <psapi.h>
#include <string.h>

#include "util/os_cpu.h"
#include "util/os_memory.h"
#include "util/os_thread.h"

/* ---- Pages ------------------------------------------------------------------------------------------------------ */

void *os_pages_reserve(size_t size) { return VirtualAlloc(NULL, size, MEM_RESERVE, PAGE_NOACCESS); }

void *os_pages_take(size_t size) {
  return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void *os_pages_take_large(size_t size) { return os_pages_take(size); }

bool os_pages_commit(void *pages, size_t size) {
  return VirtualAlloc(pages, size, MEM_COMMIT, PAGE_READWRITE) != NULL;
}

bool os_pages_drop(void *pages, size_t size) { return VirtualFree(pages, size, MEM_DECOMMIT); }

void os_pages_enlarge(void *pages, size_t size) { /* needs a privilege that users do not have */
  (void)pages, (void)size;
}

void os_pages_free(void *pages, size_t size) {
  (void)size;
  VirtualFree(pages, 0, MEM_RELEASE);
}

/* ---- Machine code ----------------------------------------------------------------------------------------------- */

void *os_code_take(size_t size) { return os_pages_take(size); }

bool os_code_protect(void *code, size_t size, bool writable) {
  DWORD before;
  if (!VirtualProtect(code, size, writable ? PAGE_READWRITE : PAGE_EXECUTE_READ, &before))
    return false;
  if (!writable) FlushInstructionCache(GetCurrentProcess(), code, size);
  return true;
}

void os_code_free(void *code, size_t size) { os_pages_free(code, size); }

/* ---- Blocks ----------------------------------------------------------------------------------------------------- */

void *os_aligned(size_t size) {
  return size > SIZE_MAX - 63 ? NULL : _aligned_malloc((size + 63) / 64 * 64, 64);
}

void os_aligned_free(void *memory) { _aligned_free(memory); }

/* ---- How much --------------------------------------------------------------------------------------------------- */

uint64_t os_memory_available(void) {
  MEMORYSTATUSEX status = {.dwLength = sizeof status};
  return GlobalMemoryStatusEx(&status) ? status.ullAvailPhys : UINT64_MAX;
}

uint64_t os_memory_resident(void) {
  PROCESS_MEMORY_COUNTERS counters;
  if (!GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters)) return 0;
  return counters.WorkingSetSize;
}

/* ---- Processors ------------------------------------------------------------------------------------------------- */

int os_processors_on(void) {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwNumberOfProcessors ? (int)info.dwNumberOfProcessors : 1;
}

int os_processors(void) {
  DWORD_PTR mine, all;
  if (!GetProcessAffinityMask(GetCurrentProcess(), &mine, &all) || !mine) return os_processors_on();
  return __builtin_popcountll(mine);
}

int os_thread_start(pthread_t *thread, void *(*run)(void *), void *argument) {
  return pthread_create(thread, NULL, run, argument); /* 1 or 2 MB, as the program's header says */
}

void os_pin_thread(int processor) {
  if (processor < 64) SetThreadAffinityMask(GetCurrentThread(), (DWORD_PTR)1 << processor);
}

bool os_pin_here(os_affinity *before) {
  DWORD_PTR mine, all;
  if (!GetProcessAffinityMask(GetCurrentProcess(), &mine, &all)) return false;
  memcpy(before->saved, &mine, sizeof mine);
  DWORD here = GetCurrentProcessorNumber();
  return here < 64 && SetProcessAffinityMask(GetCurrentProcess(), (DWORD_PTR)1 << here);
}

bool os_unpin(const os_affinity *before) {
  DWORD_PTR mine;
  memcpy(&mine, before->saved, sizeof mine);
  return SetProcessAffinityMask(GetCurrentProcess(), mine);
}
#endif
