#include "util/text.h"

size_t text_character(const char *text) {
  const unsigned char *p = (const unsigned char *)text;
  if (p[0] < 0x80) return p[0] >= 0x20 && p[0] != 0x7F;
  const size_t length = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
  if (p[0] < 0xC2 || p[0] > 0xF4) return 0;
  unsigned long code = p[0] & (0x7Fu >> length);
  for (size_t i = 1; i < length; i++) { /* the text's end is no continuation */
    if ((p[i] & 0xC0) != 0x80) return 0;
    code = code << 6 | (p[i] & 0x3F);
  }
  const unsigned long least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0xA0;
  if (code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return 0;
  return length;
}

void text_clean(char *text) {
  while (*text) {
    const size_t length = text_character(text);
    if (!length && *text != '\n' && *text != '\t') *text = '?';
    text += length ? length : 1;
  }
}

void text_write_html(FILE *file, const char *text) {
  while (*text) {
    size_t length = text_character(text);
    switch (*text) {
      case '&': fputs("&amp;", file); break;
      case '<': fputs("&lt;", file); break;
      case '>': fputs("&gt;", file); break;
      case '"': fputs("&quot;", file); break;
      case '\'': fputs("&#39;", file); break;
      case '\n':
      case '\t': fputc(*text, file); break;
      default:
        if (length)
          fwrite(text, 1, length, file);
        else
          fputs("\xef\xbf\xbd", file);
    }
    text += length ? length : 1;
  }
}
