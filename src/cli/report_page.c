/* The page of a report: one file of HTML with its style and plots inside, which needs no network and no scripts. Every
 * text that comes from a file is escaped. */
#include <string.h>

#include "cli/report.h"
#include "util/text.h"

static const char style[] =
    ":root{color-scheme:light dark}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;padding:1.2rem;max-width:56rem;font:16px/1.5 "
    "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;background:#fff;color:#222}"
    "h1{font-size:1.6rem;line-height:1.2;overflow-wrap:anywhere}h2{font-size:1.2rem;margin:2.2rem "
    "0 .4rem}"
    "nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;padding:0;list-style:none}"
    "a{color:#0060a0}p{overflow-wrap:anywhere}"
    "figure{margin:.8rem 0}figcaption{font-weight:600;font-size:.9rem}"
    ".wide{overflow-x:auto;max-width:100%}"
    "table{border-collapse:collapse;font-size:.82rem;font-variant-numeric:tabular-nums;margin:."
    "5rem 0}"
    "caption{text-align:left;font-weight:600;padding:.2rem 0}"
    "th,td{padding:.15rem .6rem;text-align:left;border-bottom:1px solid #ddd;vertical-align:top}"
    "th{white-space:nowrap}td{overflow-wrap:anywhere;min-width:3rem}"
    "td:first-child{overflow-wrap:break-word}"
    "@media(min-width:40rem){#protocol td:first-child,#warnings td:first-child{white-space:nowrap}}"
    "summary{cursor:pointer;color:#0060a0}"
    "pre{background:#f3f3f3;padding:.5rem;overflow-x:auto;font-size:.78rem;white-space:pre-wrap;"
    "overflow-wrap:anywhere;margin:.4rem 0}"
    "section.warned{border-left:4px solid #d55e00;padding-left:.8rem}"
    "@media screen and "
    "(prefers-color-scheme:dark){body{background:#16181c;color:#e6e6e6}a,summary{color:#7cc0ff}"
    "pre{background:#24272c}th,td{border-color:#3a3d43}}"
    "@media "
    "print{details:not([open]){display:none}body{max-width:none;padding:0;font-size:10pt}nav{"
    "display:none}"
    "figure,tr{break-inside:avoid}h2,h2+p{break-after:avoid}.wide{overflow:visible}a{color:inherit;"
    "text-"
    "decoration:none}"
    "svg{max-height:23cm}}";

static void write_part(const report *r, const report_part *part, FILE *file) {
  bool warned = !strcmp(part->id, "warnings") && sixer_scores_warning_count(r->s->scores);
  fprintf(file, "<section id=\"%s\"%s>\n<h2>%s</h2>\n<p>", part->id,
          warned ? " class=\"warned\"" : "", part->title);
  text_write_html(file, part->text);
  fputs("</p>\n", file);
  for (size_t i = 0; i < part->plot_count; i++) {
    const plot *p = part->plots[i].drawn;
    fprintf(file, "<figure id=\"figure-%s\">\n<figcaption>", part->plots[i].name);
    text_write_html(file, p->title);
    fputs("</figcaption>\n", file);
    plot_write(p, false, file);
    fputs("\n</figure>\n", file);
  }
  if (part->closed) fputs("<details><summary>Numbers</summary>\n", file);
  out_print_as(part->table, OUT_HTML, file);
  if (part->closed) fputs("</details>\n", file);
  bool plots = part->plot_count > 0;
  fprintf(file, "<details><summary>How to make this again</summary>\n<pre>");
  text_write_html(file, r->command);
  fprintf(file, " --only %s --tables csv%s", part->id, plots ? "\n" : "");
  if (plots) {
    text_write_html(file, r->command);
    fprintf(file, " --only %s --plots svg", part->id);
  }
  fputs("</pre></details>\n</section>\n", file);
}

static const report_part *find(const report *r, const char *id) {
  for (size_t i = 0; i < r->count; i++) {
    if (!strcmp(r->parts[i].id, id)) return &r->parts[i];
  }
  return NULL;
}

void report_write_page(const report *r, FILE *file) {
  /* the protocol and the warnings were filled last and are read first */
  const report_part *first[] = {find(r, "protocol"), find(r, "warnings")};
  fputs(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"sixer report\">\n<link rel=\"icon\" "
      "href=\"data:,\">\n<title>",
      file);
  text_write_html(file, r->title);
  fprintf(file, "</title>\n<style>%s\n%s</style>\n</head>\n<body>\n<h1>", style, plot_style());
  text_write_html(file, r->title);
  fputs("</h1>\n<nav><ul>\n", file);
  for (size_t i = 0; i < r->count + 2; i++) {
    const report_part *part = i < 2 ? first[i] : &r->parts[i - 2];
    if (!part || (i >= 2 && (part == first[0] || part == first[1]))) continue;
    fprintf(file, "<li><a href=\"#%s\">%s</a></li>\n", part->id, part->title);
  }
  fputs("</ul></nav>\n<main>\n", file);
  for (size_t i = 0; i < r->count + 2; i++) {
    const report_part *part = i < 2 ? first[i] : &r->parts[i - 2];
    if (!part || (i >= 2 && (part == first[0] || part == first[1]))) continue;
    write_part(r, part, file);
  }
  fputs("</main>\n<footer><p>Made by</p><pre>", file);
  text_write_html(file, r->command);
  fprintf(file, "</pre><p>sixer %s, behavior %d</p></footer>\n</body>\n</html>\n", SIXER_VERSION,
          SIXER_BEHAVIOR);
}

void report_write_tables(const report *r, out_form form, FILE *file) {
  for (size_t i = 0; i < r->count; i++) {
    const report_part *part = &r->parts[i];
    if (form == OUT_LATEX)
      fprintf(file, "%s%% %s: %s --only %s --tables latex\n", i ? "\n" : "", part->title,
              r->command, part->id);
    if (form == OUT_MARKDOWN) fprintf(file, "%s## %s\n\n", i ? "\n" : "", part->title);
    if (form == OUT_CSV && i) fputc('\n', file);
    out_print_as(part->table, form, file);
  }
}
