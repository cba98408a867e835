/* Terminals of Linux and macOS: see os_terminal.h. */
#if !defined(_WIN32)
#include "util/os_terminal.h"

#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

_Static_assert(sizeof(struct termios) <= sizeof(os_terminal_mode), "room for the mode");

bool os_is_terminal(int file) { return isatty(file); }

bool os_terminal_size(int file, int *columns, int *lines) {
  struct winsize size;
  if (ioctl(file, TIOCGWINSZ, &size) || !size.ws_col) return false;
  *columns = size.ws_col;
  *lines = size.ws_row;
  return true;
}

bool os_terminal_read_mode(os_terminal_mode *out) {
  struct termios mode;
  if (tcgetattr(STDIN_FILENO, &mode)) return false;
  memcpy(out->saved, &mode, sizeof mode);
  return true;
}

void os_terminal_raw(const os_terminal_mode *before) {
  struct termios raw;
  memcpy(&raw, before->saved, sizeof raw);
  raw.c_iflag &= (tcflag_t) ~(ICRNL | IXON);
  raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO | ISIG);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

void os_terminal_restore(const os_terminal_mode *before) {
  struct termios mode;
  memcpy(&mode, before->saved, sizeof mode);
  tcsetattr(STDIN_FILENO, TCSANOW, &mode);
}

void os_terminal_wait_output(void) {
  struct pollfd wait = {STDOUT_FILENO, POLLOUT, 0};
  poll(&wait, 1, 100);
}
#endif
