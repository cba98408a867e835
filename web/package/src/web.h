/* What the files of the glue share. The glue is the functions that JavaScript calls: they take numbers and pointers,
 * and give results by numbers in web_out[], errors in web_error. Texts are UTF-8 and end with a zero byte; pointers
 * among the numbers are valid as long as the C headers say. */
#ifndef SIXER_WEB_WEB_H
#define SIXER_WEB_WEB_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sixer/agents.h"
#include "sixer/ale.h"
#include "sixer/catalog.h"
#include "sixer/inspect.h"
#include "sixer/players.h"
#include "sixer/sixer.h"
#include "sixer/tape.h"
#include "sixer/train.h"
#include "sixer/vec.h"
#include "util/error.h"

/* Exported to JavaScript under its own name. */
#define WEB __attribute__((used))

enum { WEB_OUT = 128 };
extern double web_out[WEB_OUT];
extern sixer_error web_error;

/* Append to web_out: begin with web_begin(), then one number after the other. */
void web_begin(void);
void web_put(double value);
void web_put_text(const char *text);
void web_put_list(sixer_list list);

/* The settings that JavaScript is filling in: an env's, and around it a vec's (config.c). */
extern sixer_vec_config web_config;

void web_put_result(const sixer_result *result);
void web_put_progress(const sixer_train_progress *p);

#endif
