/* Numbers as text: see number.h. */
#include "util/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of up to 15 digits with a small exponent: digits and power of ten are both exact doubles,
 * so that one operation rounds correctly (Clinger 1990). It does not look at the locale. False if
 * the text is anything else. */
static bool plain_number(const char *p, double *value) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  bool minus = *p == '-';
  if (*p == '-' || *p == '+') p++;
  long long digits = 0;
  int count = 0, seen = 0, exponent = 0;
  for (bool point = false; (*p >= '0' && *p <= '9') || (*p == '.' && !point); p++) {
    if (*p == '.') {
      point = true;
      continue;
    }
    seen++;
    if (count || *p != '0') count++;
    if (count > 15) return false;
    digits = 10 * digits + (*p - '0');
    exponent -= point;
  }
  if (!seen) return false;
  if (*p == 'e' || *p == 'E') {
    p++;
    bool down = *p == '-';
    if (*p == '-' || *p == '+') p++;
    int e = 0, e_digits = 0;
    for (; *p >= '0' && *p <= '9' && e_digits < 4; p++, e_digits++) e = 10 * e + (*p - '0');
    if (!e_digits) return false;
    exponent += down ? -e : e;
  }
  if (*p || exponent < -22 || exponent > 22) return false;
  double v = (double)digits;
  v = exponent < 0 ? v / powers[-exponent] : v * powers[exponent];
  *value = minus ? -v : v;
  return true;
}

bool number_read(const char *text, int allow, double *value) {
  char *end;
  if (plain_number(text, value)) return true;
  /* strtod also knows hexadecimal and nan(...), which no score is written in */
  for (const char *p = text; *p; p++) {
    if (*p == 'x' || *p == 'X' || *p == '(' || *p == ',' || isspace((unsigned char)*p))
      return false;
  }
  double v = strtod(text, &end);
  if (end == text || *end) return false;
  if (isnan(v) && !(allow & NUMBER_NAN)) return false;
  if (isinf(v) && !(allow & NUMBER_INF)) return false;
  *value = v;
  return true;
}

const char *number_text(double value, char buffer[32]) {
  if (!isfinite(value)) {
    snprintf(buffer, 32, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    return buffer;
  }
  if (value == floor(value) && fabs(value) < 1e15) {
    snprintf(buffer, 32, "%.0f", value == 0 ? 0 : value); /* and no -0 */
    return buffer;
  }
  /* 15 digits, without zeros at the end, are the shortest if they read back the same. Whole numbers are different: %g
   * writes them with an exponent if they have more digits than asked for. */
  for (int digits = fabs(value) < 1e15 ? 15 : 1; digits <= 17; digits++) {
    snprintf(buffer, 32, "%.*g", digits, value);
    if (strtod(buffer, NULL) == value) break;
  }
  for (char *p = buffer; *p; p++) {
    if (*p == ',') *p = '.'; /* the program's locale may have a decimal comma */
  }
  return buffer;
}

static bool same_value(const char *a, size_t length_a, const char *b, size_t length_b) {
  char one[40], two[40];
  double x, y;
  if (length_a == length_b && !memcmp(a, b, length_a)) return true;
  if (length_a >= sizeof one || length_b >= sizeof two) return false;
  snprintf(one, sizeof one, "%.*s", (int)length_a, a);
  snprintf(two, sizeof two, "%.*s", (int)length_b, b);
  return number_read(one, NUMBER_FINITE, &x) && number_read(two, NUMBER_FINITE, &y) && x == y;
}

bool number_same_settings(const char *a, const char *b) {
  for (;; a++, b++) {
    size_t length_a = strcspn(a, "=,\n"), length_b = strcspn(b, "=,\n");
    if (!same_value(a, length_a, b, length_b)) return false;
    a += length_a, b += length_b;
    if (*a != *b || !*a) return *a == *b;
  }
}
