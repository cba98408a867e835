/* The subcommands, one file each. */
#ifndef SIXER_CLI_COMMANDS_H
#define SIXER_CLI_COMMANDS_H

int cmd_trace(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_games(int argc, char **argv);
int cmd_roms(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_play(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_demo(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_tape(int argc, char **argv);
int cmd_baselines(int argc, char **argv);
int cmd_match(int argc, char **argv);
int cmd_eval(int argc, char **argv);
int cmd_atari5(int argc, char **argv);
int cmd_papers(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_train(int argc, char **argv);
int cmd_lab(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_apex(int argc, char **argv);
int cmd_model(int argc, char **argv);
int cmd_background(int argc, char **argv);
int bench_plan(int argc, char **argv);   /* part of bench */
int bench_agents(int argc, char **argv); /* likewise */
int bench_nn(int argc, char **argv);     /* likewise */
int bench_replay(int argc, char **argv); /* likewise */
int bench_deep(int argc, char **argv);   /* likewise */
int bench_serve(int argc, char **argv);  /* likewise */
int bench_apex(int argc, char **argv);   /* likewise */

#endif
