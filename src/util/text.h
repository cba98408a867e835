/* Texts that come from outside and go to a terminal, into JSON or into a page. */
#ifndef SIXER_UTIL_TEXT_H
#define SIXER_UTIL_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Bytes of the character at `text` if it is valid UTF-8 and not a control character, else 0. Control characters, of
 * which escape sequences are made, are U+0000 to U+001F and U+007F to U+009F. */
size_t text_character(const char *text);

/* Replace what is not a character by '?'. Newlines and tabs stay. */
void text_clean(char *text);

/* Write a text so that HTML, XML and their attributes show it as it is: & < > " ' become entities, line breaks and tabs
 * stay, and what is not a character becomes U+FFFD. */
void text_write_html(FILE *file, const char *text);

#endif
