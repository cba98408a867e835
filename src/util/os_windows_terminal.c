/* The console of Windows 10 and later, which knows the sequences of xterm: see os_terminal.h. */
#if defined(_WIN32)
#include "util/os_terminal.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <io.h>
#include <string.h>

#include "util/os.h"
#include "util/os_windows.h"

/* The C library takes NUL for a terminal. */
bool os_is_terminal(int file) {
  DWORD mode;
  return _isatty(file) && GetConsoleMode((HANDLE)_get_osfhandle(file), &mode);
}

bool os_terminal_size(int file, int *columns, int *lines) {
  CONSOLE_SCREEN_BUFFER_INFO info;
  if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(file), &info)) return false;
  *columns = info.srWindow.Right - info.srWindow.Left + 1;
  *lines = info.srWindow.Bottom - info.srWindow.Top + 1;
  return true;
}

bool os_terminal_read_mode(os_terminal_mode *out) {
  DWORD mode;
  if (!GetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), &mode)) return false;
  memcpy(out->saved, &mode, sizeof mode);
  return true;
}

void os_terminal_raw(const os_terminal_mode *before) {
  DWORD mode;
  memcpy(&mode, before->saved, sizeof mode);
  mode &= (DWORD) ~(ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT | ENABLE_PROCESSED_INPUT);
  SetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), mode | ENABLE_VIRTUAL_TERMINAL_INPUT);
}

void os_terminal_restore(const os_terminal_mode *before) {
  DWORD mode;
  memcpy(&mode, before->saved, sizeof mode);
  SetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), mode);
}

/* Reading would wait if only events are there that are no characters, such as a key that is released: they go. */
bool os_windows_console_ready(void) {
  HANDLE console = GetStdHandle(STD_INPUT_HANDLE);
  INPUT_RECORD event;
  DWORD count;
  while (PeekConsoleInputW(console, &event, 1, &count) && count) {
    if (event.EventType == KEY_EVENT && event.Event.KeyEvent.bKeyDown &&
        event.Event.KeyEvent.uChar.UnicodeChar)
      return true;
    ReadConsoleInputW(console, &event, 1, &count);
  }
  return false;
}

void os_terminal_wait_output(void) { Sleep(1); }
#endif
