// Programs that must compile against sixer.d.ts: the ways in which people use the package.
import { Action, Agent, Env, Inspector, Model, Recorder, Rom, SixerError, Tape, Train, Vec, games, load } from "sixer";
import type { EnvConfig, PlayersResult, StepResult, TapeEvent, VecResults } from "sixer";

await load();
await load({ wasm: new URL("https://example.org/sixer.wasm") });
const rom: Rom = Rom.open("duskrain");
const other = Rom.fromBytes(new Uint8Array(4096), "name", "breakout");
const config: EnvConfig = { frameSkip: 4, core: "interp", sticky: 0.25, sound: true };
const env = new Env(rom, config);
const result: StepResult = env.step(Action.FIRE);
env.step({ action: Action.UP, switches: 1, strength: 0.5 });
const players: PlayersResult = env.playersResult;
console.log(players.score[0], env.stepPlayers([0, 1]).lives.length);
const score: number = result.reward + env.status.score;
const end: "none" | "game-over" | "life" | "frame-limit" | "stuck" = result.end;
const pixels: Uint8ClampedArray = env.rgba(new Uint8ClampedArray(160 * 210 * 4));
const skip: number = env.config.frameSkip;
const core: "plain" | "interp" | "jit" = env.core;
const recorder = new Recorder(env, "me");
const tape: Tape = Tape.open(recorder.finish());
const event: TapeEvent = tape.play(tape.env(rom, { sound: true }));
if (event.kind === "step") console.log(event.input.action, event.result?.reward);
if (event.kind === "state") console.log(event.state.length);
const vec = new Vec(rom, 8, { obs: "gray", stack: 4 });
const results: VecResults = vec.reset({ seeds: [1, 2, 3, 4, 5, 6, 7, 8] });
new Vec([{ rom, mode: 1 }, { rom: other }], undefined).step(Int32Array.of(0, 1));
const agent = new Agent("uct", { simulations: 100, preset: "x" }, 1);
const chosen: number = agent.act(env, rom.minimalActions);
agent.learn(env, result);
const values: Float64Array = agent.look(env).values;
const train = new Train({ agent: "sarsa", rom, frames: 1000 });
const model: Model = Model.open(train.save());
new Env(rom, model.config(rom).config);
const inspector = new Inspector(env);
const text: string = inspector.instruction(0).text;
for (const { role, write } of inspector.pixel(0, 0).writes) console.log(role, write.register ?? "memory", write.pc);
try {
  env.load(new Uint8Array(3));
} catch (e) {
  if (e instanceof SixerError && e.code === "state") console.log(e.message);
}
console.log(games()[0]?.title, score, end, pixels, skip, results.obs, chosen, values, text);
