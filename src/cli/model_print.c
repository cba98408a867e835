/* What `sixer info` prints of a checkpoint: how far the training is, its settings, its sections. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/model_files.h"
#include "util/sections.h"

static void print_real(const char *name, double value) {
  printf(",\n  \"%s\": ", name);
  if (isfinite(value))
    printf("%.17g", value);
  else
    printf("null");
}

static void print_settings_json(const sixer_model *m) {
  const char *text = sixer_model_text(m);
  printf(",\n  \"settings\": {");
  for (bool first = true; *text; first = false) {
    char line[5000], *equals;
    size_t length = strcspn(text, "\n");
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    text += length + (text[length] == '\n');
    if ((equals = strchr(line, '='))) *equals++ = 0;
    printf("%s\n    ", first ? "" : ",");
    cli_print_json(line);
    printf(": ");
    cli_print_json(equals);
  }
  printf("\n  }");
}

static void print_json(const char *path, const sections_reader *r, const sixer_model *m) {
  printf("{\n  \"path\": ");
  cli_print_json(path);
  if (m) {
    sixer_train_progress p = sixer_model_progress(m);
    printf(",\n  \"frames\": %" PRId64 ",\n  \"steps\": %" PRId64 ",\n  \"episodes\": %" PRId64
           ",\n  \"averaged\": %d,\n  \"evaluated\": %d,\n  \"evaluation_frames\": %" PRId64,
           p.frames, p.steps, p.episodes, p.averaged, p.evaluated, p.evaluation_frames);
    print_real("mean", p.mean);
    print_real("best", p.best);
    print_real("evaluation_mean", p.evaluation_mean);
    print_settings_json(m);
  }
  printf(",\n  \"sections\": {");
  uint64_t size;
  const char *name;
  for (size_t i = 0; (name = sections_name_at(r, i, &size)); i++)
    printf("%s\n    \"%s\": %" PRIu64, i ? "," : "", name, size);
  printf("\n  }\n}\n");
}

static void print_text(const char *path, const sections_reader *r, const sixer_model *m) {
  cli_print(stdout, "%s\n", path);
  if (m) {
    sixer_train_progress p = sixer_model_progress(m);
    printf("\ntraining     %" PRId64 " frames, %" PRId64 " decisions, %" PRId64 " episode%s\n",
           p.frames, p.steps, p.episodes, cli_s(p.episodes));
    if (p.averaged)
      printf("score        %.2f, mean of the last %d episode%s; best %g\n", p.mean, p.averaged,
             cli_s(p.averaged), p.best);
    if (p.evaluated)
      printf("evaluation   %.2f, mean of %d episode%s without learning\n", p.evaluation_mean,
             p.evaluated, cli_s(p.evaluated));
    printf("\n%s", sixer_model_text(m));
  }
  printf("\nsections\n");
  uint64_t size;
  const char *name;
  for (size_t i = 0; (name = sections_name_at(r, i, &size)); i++)
    printf("  %-23s %12" PRIu64 " bytes\n", name, size);
}

int model_print(const char *path, bool json) {
  sections_message message;
  sections_reader *r = sections_open(path, message);
  if (!r) return cli_error("info", CLI_FAILED, "%s", message);
  sixer_model *m = NULL;
  sixer_error error;
  if (sections_find(r, "train") && sixer_model_open(path, &m, &error)) {
    sections_free(r);
    return cli_error("info", CLI_FAILED, "%s", error.message);
  }
  if (json)
    print_json(path, r, m);
  else
    print_text(path, r, m);
  sixer_model_close(m);
  sections_free(r);
  return CLI_OK;
}
