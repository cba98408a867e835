/* Files that are replaced whole: a reader finds the old content or the new, never a part.
 *
 * The new content is written to a hidden file in the same folder under a name that nobody else uses
 * (film.gif becomes .film.part-PID-N.gif with a random N). replace_commit() synchronizes it with the disk, renames
 * it to its place and synchronizes the folder. If anything fails, or replace_abandon() is called,
 * the hidden file is removed and the old content stays.
 *
 *     replacement *r = replace_open("scores.csv");
 *     if (!r) return fail(strerror(errno));
 *     fprintf(r->file, ...);
 *     if (!replace_commit(r)) return fail(strerror(errno));
 *
 * A symbolic link stays a link: the file that it points to is replaced. A device, a FIFO, a socket
 * or a path below /dev or /proc (such as /dev/stdout) is written to directly. Permissions of the
 * old file are kept. Functions return false or NULL on failure and leave the reason in errno. */
#ifndef SIXER_UTIL_REPLACE_H
#define SIXER_UTIL_REPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct replacement {
  FILE *file;      /* write here; NULL after replace_reserve() */
  char *target;    /* the path that is replaced, links followed */
  char *temporary; /* the path that is written; equal to `target` if that is written directly */
  /* True at first. False leaves out both synchronizations: after a power failure the file may be
   * empty. For files that are many and easily made again. */
  bool durable;
} replacement;

/* Begin to replace `path`, or to create it. */
replacement *replace_open(const char *path);

/* The same, but another program or library creates and writes the file r->temporary. It does not
 * exist yet, and it has the file name extension of `path`. */
replacement *replace_reserve(const char *path);

/* Put the new content in place. An earlier error of r->file counts as a failure. Frees `r`. */
bool replace_commit(replacement *r);

/* The same, but fails with EEXIST if there is a file at `path` by now. */
bool replace_commit_new(replacement *r);

/* Remove what was written. Frees `r`; NULL is allowed. Leaves errno alone. */
void replace_abandon(replacement *r);

/* Leave what was written under its temporary name. Frees `r`. */
void replace_keep(replacement *r);

/* Remove hidden files of `path` that were left when a process was killed: those of processes that
 * are gone, or all of them if nobody else can be writing the file. */
void replace_clean(const char *path, bool all);

/* Replace or create `path` with these bytes. */
bool replace_bytes(const char *path, const void *bytes, size_t size);

#endif
