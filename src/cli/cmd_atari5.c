int cmd_atari5(int argc, char **argv);int cmd_atari5(int argc, char **argv){(void)argc;(void)argv;return 0;}
