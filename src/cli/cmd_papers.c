/* sixer papers: the tables and figures of four papers, computed again from the published data. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/out.h"
#include "sixer/papers.h"

static const char name[] = "papers";

static const char description[] =
    "The tables and figures of four papers, computed again from the published data: our figure, "
    "the printed one, the difference, and what is known about it. Papers: bellemare2013, "
    "machado2018, saber (or toromanoff2019), atari5 (or aitchison2023). Without a name: how many "
    "figures of each item agree.\n"
    "\n"
    "  sixer papers                           all papers in brief\n"
    "  sixer papers bellemare2013 --table 5   one table\n"
    "  sixer papers atari5 --different        what does not agree\n"
    "  sixer papers --markdown                the page docs/results/papers.md";

typedef struct papers_options {
  int64_t table, figure;
  bool text, different, markdown, tsv, json;
} papers_options;

enum { SHOWN_WHOLE = 24 };

static void count_verdicts(const sixer_paper_item *item, size_t counts[5]) {
  memset(counts, 0, 5 * sizeof *counts);
  for (size_t i = 0; i < item->count; i++) counts[item->figures[i].verdict]++;
}

static bool chosen(const papers_options *o, const sixer_paper_item *item) {
  if (o->table == INT64_MIN && o->figure == INT64_MIN && !o->text) return true;
  if (!strcmp(item->kind, "table")) return o->table == item->number;
  if (!strcmp(item->kind, "figure")) return o->figure == item->number;
  return o->text;
}

static void item_name(const sixer_paper_item *item, char *text, size_t size) {
  snprintf(text, size, item->number ? "%s %d" : "%s", item->kind, item->number);
}

/* Digits to show of ours: one more than printed, unless it agrees or is a whole number. A figure in the middle of two,
 * such as -1.5 where -1 is printed, agrees, but would be shown as -2. */
static int own_digits(const sixer_paper_figure *f) {
  char ours[64], printed[64];
  snprintf(ours, sizeof ours, "%.*f", f->digits, f->ours);
  snprintf(printed, sizeof printed, "%.*f", f->digits, f->printed);
  bool agrees = f->verdict == SIXER_VERDICT_PLOTTED ||
                (f->verdict == SIXER_VERDICT_EQUAL && !strcmp(ours, printed));
  return agrees || (!f->digits && f->ours == floor(f->ours)) ? f->digits : f->digits + 1;
}

static int difference_digits(const sixer_paper_figure *f) {
  return !f->digits && f->ours == floor(f->ours) ? 0 : f->digits + 1;
}

/* ---- tables ---- */

static void add_brief(out *o, const char *paper, const sixer_paper_item *item) {
  char text[40];
  size_t counts[5];
  item_name(item, text, sizeof text);
  count_verdicts(item, counts);
  out_text(o, paper);
  out_text(o, text);
  out_text(o, item->title);
  out_int(o, (long long)item->count);
  for (int v = 0; v < 5; v++) out_int(o, (long long)counts[v]);
}

static void add_figures(out *o, const papers_options *opt, const char *paper,
                        const sixer_paper_item *item) {
  char key[60], title[400], text[40];
  item_name(item, text, sizeof text);
  snprintf(key, sizeof key, "%s_%s", paper, text);
  for (char *p = key; *p; p++) {
    if (*p == ' ') *p = '_';
  }
  snprintf(title, sizeof title, "%s, %s: %s. %s", paper, text, item->title, item->how);
  out_table(o, key, title, "figure|ours|printed|difference|verdict|note");
  for (size_t i = 0; i < item->count; i++) {
    const sixer_paper_figure *f = &item->figures[i];
    if (opt->different && f->verdict != SIXER_VERDICT_DIFFERS) continue;
    out_text(o, f->label);
    out_number(o, f->ours, own_digits(f));
    out_number(o, f->printed, f->digits);
    out_number(o, f->ours - f->printed, difference_digits(f));
    out_text(o, sixer_verdict_name(f->verdict));
    out_text(o, f->note);
  }
}

/* ---- the page ---- */

/* A number as it is shown beside a printed one. */
static void print_number(double number, int digits) {
  if (isnan(number))
    printf(" |");
  else
    printf(" %.*f |", digits, number);
}

static void print_row(const sixer_paper_figure *f) {
  printf("| %s |", f->label);
  print_number(f->ours, own_digits(f));
  print_number(f->printed, f->digits);
  print_number(f->ours - f->printed, difference_digits(f));
  printf(" %s%s%s |\n", sixer_verdict_name(f->verdict), f->note ? ": " : "",
         f->note ? f->note : "");
}

/* Small items are shown whole, of large ones only what differs. */
static void print_item(const char *paper, const sixer_paper_item *item) {
  char text[40];
  size_t counts[5];
  bool whole = item->count <= SHOWN_WHOLE;
  item_name(item, text, sizeof text);
  count_verdicts(item, counts);
  text[0] = (char)(text[0] - 'a' + 'A');
  printf("\n### %s: %s\n\n%s %zu figure%s:", text, item->title, item->how, item->count,
         cli_s((int64_t)item->count));
  bool first = true;
  for (int v = 0; v < 5; v++) {
    if (!counts[v]) continue;
    printf("%s %zu %s", first ? "" : ",", counts[v], sixer_verdict_name(v));
    first = false;
  }
  char option[60] = "--text";
  if (item->number) snprintf(option, sizeof option, "--%s %d", item->kind, item->number);
  printf(". `sixer papers %s %s`\n", paper, option);
  if (!whole && !counts[SIXER_VERDICT_DIFFERS]) return;
  printf("\n| figure | ours | printed | difference | |\n|---|---|---|---|---|\n");
  for (size_t i = 0; i < item->count; i++) {
    if (whole || item->figures[i].verdict == SIXER_VERDICT_DIFFERS) print_row(&item->figures[i]);
  }
}

static void print_totals(const sixer_paper *paper) {
  size_t total[5] = {0}, counts[5];
  for (size_t i = 0; i < sixer_paper_count(paper); i++) {
    sixer_paper_item item = sixer_paper_get(paper, i);
    count_verdicts(&item, counts);
    for (int v = 0; v < 5; v++) total[v] += counts[v];
  }
  printf(" %zu | %zu | %zu | %zu | %zu |\n", total[0], total[1], total[2], total[3], total[4]);
}

static int print_page(sixer_paper *const *papers, const char *const *names) {
  printf(
      "<!-- Written by `sixer papers --markdown`; a test compares. Do not edit. -->\n\n"
      "# The papers' tables and figures, computed again\n\n"
      "`sixer papers NAME`, with `--table N`, `--figure N` or `--text` for a part, computes from "
      "the "
      "published data (`data/published`)\nwhat four papers print. A figure is *equal* if all "
      "printed "
      "digits agree, *cut off* if they do without rounding, and *differs*\notherwise, with what is "
      "known about the reason. A *bound* is not the figure itself: what that needs was not "
      "published. "
      "Figures\nthat a paper only *plotted* have no printed number. Tables of more than %d figures "
      "show here what differs; the command shows all.\n\n"
      "| paper | equal | cut off | differs | bound | plotted |\n|---|---|---|---|---|---|\n",
      SHOWN_WHOLE);
  for (size_t p = 0; names[p]; p++) {
    printf("| [%s](#%s) |", names[p], names[p]);
    print_totals(papers[p]);
  }
  for (size_t p = 0; names[p]; p++) {
    printf("\n## %s\n\n%s\n", names[p], sixer_paper_title(papers[p]));
    for (size_t i = 0; i < sixer_paper_count(papers[p]); i++) {
      sixer_paper_item item = sixer_paper_get(papers[p], i);
      print_item(names[p], &item);
    }
  }
  return CLI_OK;
}

/* ---- the command ---- */

/* What a paper has, for a message. */
static void list_items(const sixer_paper *paper, const char *kind, char *text, size_t size) {
  text[0] = 0;
  for (size_t i = 0; i < sixer_paper_count(paper); i++) {
    sixer_paper_item item = sixer_paper_get(paper, i);
    size_t used = strlen(text);
    if (!strcmp(item.kind, kind))
      snprintf(text + used, size - used, "%s%d", used ? ", " : "", item.number);
  }
}

static int show_one(const papers_options *opt, const char *paper_name, const sixer_paper *paper,
                    out *o) {
  bool any = false;
  for (size_t i = 0; i < sixer_paper_count(paper); i++) {
    sixer_paper_item item = sixer_paper_get(paper, i);
    if (!chosen(opt, &item)) continue;
    size_t counts[5];
    count_verdicts(&item, counts);
    any = true;
    if (opt->different && !counts[SIXER_VERDICT_DIFFERS]) continue;
    add_figures(o, opt, paper_name, &item);
  }
  if (!any) {
    char tables[200], figures[200];
    list_items(paper, "table", tables, sizeof tables);
    list_items(paper, "figure", figures, sizeof figures);
    return cli_error(name, CLI_USAGE,
                     "%s has no such item; computed are tables %s and figures %s. The others hold "
                     "data or pictures, or need what was not published",
                     paper_name, tables, figures);
  }
  out_print(o, stdout);
  return CLI_OK;
}

static int run(const papers_options *opt, const char *which, out *o) {
  const char *const *names = sixer_paper_names();
  sixer_paper *papers[8] = {NULL};
  sixer_error error;
  int status = CLI_OK;
  if (which) {
    if (sixer_paper_open(which, &papers[0], &error))
      return cli_error(name, CLI_USAGE, "%s", error.message);
    status = show_one(opt, which, papers[0], o);
    sixer_paper_close(papers[0]);
    return status;
  }
  for (size_t p = 0; !status && names[p]; p++) {
    if (sixer_paper_open(names[p], &papers[p], &error))
      status = cli_error(name, CLI_FAILED, "%s", error.message);
  }
  if (!status && opt->markdown) {
    status = print_page(papers, names);
  } else if (!status) {
    out_table(o, "items", "figures that were computed again, by how they agree",
              "paper|item|title|figures|equal|cut_off|differs|bound|plotted");
    for (size_t p = 0; names[p]; p++) {
      for (size_t i = 0; i < sixer_paper_count(papers[p]); i++) {
        sixer_paper_item item = sixer_paper_get(papers[p], i);
        add_brief(o, names[p], &item);
      }
    }
    out_print(o, stdout);
  }
  for (size_t p = 0; names[p]; p++) sixer_paper_close(papers[p]);
  return status;
}

int cmd_papers(int argc, char **argv) {
  papers_options opt = {.table = INT64_MIN, .figure = INT64_MIN};
  const option_def defs[] = {
      {"table", OPTION_INT, &opt.table, "N", "only this table"},
      {"figure", OPTION_INT, &opt.figure, "N", "only this figure"},
      {"text", OPTION_FLAG, &opt.text, NULL, "only what the text says"},
      {"different", OPTION_FLAG, &opt.different, NULL, "only what does not agree"},
      {"markdown", OPTION_FLAG, &opt.markdown, NULL, "all papers as a page"},
      {"tsv", OPTION_FLAG, &opt.tsv, NULL, "tab-separated tables"},
      {"json", OPTION_FLAG, &opt.json, NULL, "everything as JSON"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL},
  };
  const char *arguments[1] = {NULL};
  int status, count = cli_parse(name, description, defs, argc, argv, arguments, 1, &status);
  if (count < 0) return status;
  if (opt.json + opt.tsv + opt.markdown > 1)
    return cli_error(name, CLI_USAGE, "choose one of --json, --tsv and --markdown");
  bool item = opt.table != INT64_MIN || opt.figure != INT64_MIN || opt.text;
  if (!count && (item || opt.different))
    return cli_error(name, CLI_USAGE, "of which paper? For example `sixer papers saber --table 2`");
  if (count && opt.markdown)
    return cli_error(name, CLI_USAGE, "--markdown is a page of all papers: give no name");
  out *o = out_create(opt.json ? OUT_JSON : opt.tsv ? OUT_TSV : OUT_TABLE);
  status = run(&opt, arguments[0], o);
  out_destroy(o);
  return status;
}
