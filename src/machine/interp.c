#include "machine/machine.h"
void machine_frame_interp(machine *m) { machine_frame_plain(m); }
