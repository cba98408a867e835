// Mistakes that the types must catch: tsc fails if a line below an @ts-expect-error has no error.
import { Action, Agent, Env, Inspector, Recorder, Rom, Tape, Train, Vec, load } from "sixer";

const rom = Rom.open("duskrain");
const env = new Env(rom);
// @ts-expect-error: a string is not a rom
new Env("duskrain");
// @ts-expect-error: settings are spelled in camelCase
new Env(rom, { frame_skip: 4 });
// @ts-expect-error: no such core
new Env(rom, { core: "fast" });
// @ts-expect-error: a number, not a text
new Env(rom, { seed: "1" });
// @ts-expect-error: roms are made by open() and fromBytes(), and close() is what frees them
rom.destroy();
// @ts-expect-error: an action is a number
env.step("FIRE");
// @ts-expect-error: no such action
console.log(Action.JUMP);
// @ts-expect-error: the result has no score; status has
console.log(env.step(0).score);
// @ts-expect-error: the rom of an env cannot be changed
env.rom = rom;
// @ts-expect-error: a state is bytes
env.load("state");
// @ts-expect-error: rgba() writes into a clamped array
env.rgba(new Uint8Array(10));
// @ts-expect-error: a recorder needs an env
new Recorder(rom);
// @ts-expect-error: a tape is opened from bytes
Tape.open("a.tape");
// @ts-expect-error: only some settings of a tape can be overridden
Tape.open(new Uint8Array(1)).env(rom, { seed: 1 });
// @ts-expect-error: an event of the end has no input
console.log(Tape.open(new Uint8Array(1)).next().input);
// @ts-expect-error: no such observation
new Vec(rom, 2, { obs: "color" });
// @ts-expect-error: an agent has a name
new Agent();
// @ts-expect-error: learning needs the result of the step
new Agent("sarsa").learn(env);
// @ts-expect-error: a run needs a rom
new Train({ agent: "sarsa" });
// @ts-expect-error: an inspector is put on an env
new Inspector(rom);
// @ts-expect-error: load() is awaited
load().version;
// @ts-expect-error: what the players got cannot be set
env.playersResult = env.stepPlayers([0]);
// @ts-expect-error: an action for each player, not one
env.stepPlayers(0);
