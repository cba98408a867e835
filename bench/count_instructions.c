/* A plugin for qemu-user that counts the instructions which a program executes, and prints the count when it ends:
 *
 *   gcc -O2 -shared -fPIC -o count.so bench/count_instructions.c
 *   qemu-aarch64 -plugin ./count.so -d plugin program ...        # "instructions: N", on standard error
 *
 * Debian does not ship qemu-plugin.h; what is used of the documented interface, version 1, is declared here. */
#include <inttypes.h>
#include <stdio.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb; /* a piece of the program that qemu has translated */
enum { QEMU_PLUGIN_INLINE_ADD_U64 };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*call)(qemu_plugin_id_t id,
                                                        struct qemu_plugin_tb *piece));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *piece, int operation,
                                              void *number, uint64_t value);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*call)(qemu_plugin_id_t id, void *),
                                    void *context);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *piece);
void qemu_plugin_outs(const char *text);

/* What qemu looks for. */
extern int qemu_plugin_version;
int qemu_plugin_version = 1;
int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv);

static uint64_t instructions;

static void count(qemu_plugin_id_t id, struct qemu_plugin_tb *piece) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(piece, QEMU_PLUGIN_INLINE_ADD_U64, &instructions,
                                           qemu_plugin_tb_n_insns(piece));
}

static void print(qemu_plugin_id_t id, void *context) {
  char text[64];
  (void)id, (void)context;
  snprintf(text, sizeof text, "instructions: %" PRIu64 "\n", instructions);
  qemu_plugin_outs(text);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv) {
  (void)info, (void)argc, (void)argv;
  qemu_plugin_register_vcpu_tb_trans_cb(id, count);
  qemu_plugin_register_atexit_cb(id, print, NULL);
  return 0;
}
