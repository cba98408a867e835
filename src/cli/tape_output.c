/* Where tapes are recorded: see tape_output.h. */
#include "cli/tape_output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "util/error.h"
#include "util/os.h"

sixer_err tape_output_begin(tape_output *o, const char *target, bool force, sixer_error *error) {
  os_status info;
  *o = (tape_output){.target = target, .path = target};
  if (os_stat(target, &info) != 0) return SIXER_OK; /* the recorder says if it cannot be made */
  if (info.kind != OS_FILE)
    return sixer_fail(error, SIXER_ERR_FILE, "%s is %s; name a file for the tape", target,
                      info.kind == OS_FOLDER ? "a folder" : "a device or pipe");
  if (!force)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s is there already: choose another name, or replace it with --force",
                      target);
  o->beside = replace_reserve(target);
  if (!o->beside)
    return sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be replaced: %s", target, strerror(errno));
  o->path = o->beside->temporary;
  return SIXER_OK;
}

sixer_err tape_output_end(tape_output *o, bool well, int64_t steps, sixer_error *error) {
  sixer_err err = SIXER_OK;
  if (!o->target) return SIXER_OK;
  if (!well && steps == 0) {
    if (o->beside)
      replace_abandon(o->beside);
    else
      os_unlink(o->path);
  } else if (!o->beside) {
    if (!well) cli_print(stderr, "%s has the %" PRId64 " steps until then\n", o->path, steps);
  } else if (!well) {
    cli_print(stderr, "%s is unchanged; the %" PRId64 " steps until then are in %s\n", o->target,
              steps, o->path);
    replace_keep(o->beside);
  } else if (!replace_commit(o->beside)) {
    err =
        sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be replaced: %s", o->target, strerror(errno));
  }
  *o = (tape_output){0};
  return err;
}
