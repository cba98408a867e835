/* Tests of the npm package against the native program. test_package.sh runs them:
 *   node --test package.mjs, with PACKAGE, SIXER, ROMS (a folder, or empty) and WORK (a folder) in the environment. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { traceDigest } from "./trace.mjs";

const { PACKAGE, SIXER, ROMS, WORK } = process.env;
const sixer = await import(pathToFileURL(join(PACKAGE, "sixer.js")).href);
const { Action, Agent, Env, Inspector, Model, Recorder, Rom, SixerError, Tape, Train, Vec } = sixer;

test("before it is loaded, every call says so", () => {
  assert.throws(() => Rom.open("duskrain"), { name: "SixerError", code: "closed", message: /await load\(\) first/ });
});

await sixer.load();

const native = (...args) => execFileSync(SIXER, args, { encoding: "utf8", cwd: WORK, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });
/** An error of this code whose sentence matches. */
const fails = (code, message) => (e) => {
  assert.ok(e instanceof SixerError, String(e));
  assert.equal(e.code, code, e.message);
  assert.match(e.message, message);
  return true;
};
const own = sixer.games().filter((g) => g.imageInside);

/* ---- the same bytes --------------------------------------------------------------------------------------------- */

function compareTrace(rom, what, steps, core = "auto") {
  const options = { steps, hold: 3, every: 10, saveRestore: 97 };
  const printed = native("trace", what, "--steps", `${steps}`, "--hold", "3", "--every", "10", "--save-restore", "97", "--columns", "rgb,gray,sound");
  const env = new Env(rom, { seed: 1, sound: true, core });
  assert.equal(`# digest ${traceDigest(env, options)}`, printed.trim().split("\n").at(-1), what);
  const used = env.core;
  env.close();
  return used;
}

test("our own games: traces have the digests of the native program", () => {
  assert.ok(own.length >= 6);
  for (const { id } of own) {
    assert.equal(compareTrace(Rom.open(id), id, 600), "jit");
    assert.equal(compareTrace(Rom.open(id), id, 200, "interp"), "interp");
  }
});

test("the games of ale_py: traces have the digests of the native program", { skip: ROMS ? false : "no images of ale_py" }, () => {
  const images = readdirSync(ROMS).filter((name) => name.endsWith(".bin"));
  assert.ok(images.length > 100);
  let translated = 0;
  for (const name of images) {
    const rom = Rom.fromBytes(readFileSync(join(ROMS, name)), name.slice(0, -4));
    translated += compareTrace(rom, join(ROMS, name), 200) === "jit";
    rom.close();
  }
  assert.ok(translated > 100, `${translated} games are translated`);
});

test("all cores give the same digests", () => {
  const rom = Rom.open("undervault");
  const digests = ["interp", "plain", "jit"].map((core) => {
    const env = new Env(rom, { core, seed: 3, sound: true });
    assert.equal(env.core, core);
    return traceDigest(env, { steps: 200, hold: 2, every: 1 });
  });
  assert.deepEqual(digests, [digests[0], digests[0], digests[0]]);
});

test("where nothing may be compiled, the interpreter plays", () => {
  const program = `import { load, Env, Rom } from ${JSON.stringify(pathToFileURL(join(PACKAGE, "sixer.js")).href)};
    await load();
    globalThis.WebAssembly.Module = class { constructor() { throw new WebAssembly.CompileError("refused"); } };
    const env = new Env(Rom.open("duskrain"), { seed: 1 });
    for (let i = 0; i < 20; i++) env.step(i % 18);
    console.log(env.core, Buffer.from(env.ram()).toString("hex"));`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  const env = new Env(Rom.open("duskrain"), { seed: 1 });
  for (let i = 0; i < 20; i++) env.step(i % 18);
  assert.equal(env.core, "jit");
  assert.equal(printed.trim(), `interp ${Buffer.from(env.ram()).toString("hex")}`);
});

/** Play by a fixed rule; the same as `play_natively` of the tape. */
function play(env, steps) {
  for (let i = 0; i < steps; i++) if (env.step((i * 7 + (i >> 4)) % 18).over) env.reset();
}

test("a tape recorded here is verified by the native program", () => {
  const rom = Rom.open("sporefall"), env = new Env(rom, { seed: 5, frameSkip: 2 });
  play(env, 30); // so that it begins with a state
  const recorder = new Recorder(env, "package.mjs");
  play(env, 500);
  const early = recorder.bytes();
  env.setRam(3, env.ram()[3] ^ 1);
  const state = env.save();
  play(env, 50);
  env.load(state);
  play(env, 200);
  const bytes = recorder.finish();
  writeFileSync(join(WORK, "here.tape"), bytes);
  assert.match(native("replay", "here.tape"), /verified/);
  assert.ok(early.length < bytes.length);
  const report = Tape.open(bytes).verify(rom);
  assert.deepEqual([report.verified, report.steps, report.problem], [true, 750, null]);
  assert.equal(env.recorder, null);
  play(env, 10); // goes on without the tape
});

test("a tape of the native program is verified here", () => {
  native("record", "random", "hedgelight", "--seed", "4", "--max-frames", "3000", "-o", "there.tape");
  const tape = Tape.open(readFileSync(join(WORK, "there.tape")));
  assert.equal(tape.info.game, "hedgelight");
  const rom = tape.rom(), report = tape.verify(rom);
  assert.ok(report.verified && report.steps > 100 && report.seconds === tape.info.seconds, JSON.stringify(report));
  assert.equal(tape.rulesChanged(rom), false);
});

test("a tape that is damaged says so and plays up to there", () => {
  const rom = Rom.open("sporefall"), env = new Env(rom), recorder = new Recorder(env);
  play(env, 600);
  const bytes = recorder.finish();
  bytes[bytes.length - 40] ^= 0x55;
  const tape = Tape.open(bytes);
  assert.ok(tape.info.damage);
  assert.equal(tape.verify(rom).verified, false);
  assert.equal(Tape.open(tape.repair()).verify(rom).verified, true);
  assert.throws(() => Tape.open(new Uint8Array(100)), fails("tape", /is not a tape/));
  assert.throws(() => tape.env(Rom.open("duskrain")), fails("tape", /not on/));
});

test("training gives the bytes of the native program: linear and deep", () => {
  const runs = [
    { agent: "sarsa", options: { features: "blob-prost" }, rom: "duskrain", frames: 4000 },
    { agent: "sarsa", options: { features: "ram" }, rom: "sporefall", frames: 4000 },
    { agent: "dqn", options: { preset: "quick", start: 100, memory: 2000 }, rom: "duskrain", frames: 900 },
  ];
  for (const [i, run] of runs.entries()) {
    const { preset, ...rest } = run.options;
    const set = ["--set", Object.entries(rest).map(([name, value]) => `${name}=${value}`).join(",")];
    native("train", run.agent, run.rom, ...(preset ? ["--preset", preset] : []), ...set, "--protocol", "machado2018",
      "--frames", `${run.frames}`, "--seed", "1", "--evaluation", "0", "--out", `run${i}`);
    const name = readdirSync(join(WORK, `run${i}`)).find((n) => n.endsWith(".checkpoint"));
    const there = readFileSync(join(WORK, `run${i}`, name));
    const train = new Train({ ...run, rom: Rom.open(run.rom), protocol: "machado2018", seed: 1, evaluation: 0 });
    while (!train.progress.finished) train.run(50);
    const here = train.save();
    assert.ok(Buffer.from(here).equals(there), `${run.agent}: ${here.length} bytes here, ${there.length} there`);
    train.close();
  }
});

test("a model trained here plays natively, and one trained there plays here", () => {
  const rom = Rom.open("duskrain");
  const model = Model.open(readFileSync(join(WORK, "run2", readdirSync(join(WORK, "run2")).find((n) => n.endsWith(".checkpoint")))));
  assert.equal(model.setting("agent"), "dqn");
  const { config, actions } = model.config(rom), agent = model.agent(rom), env = new Env(rom, config);
  for (let i = 0; i < 20; i++) env.step(agent.act(env, actions));
  const view = agent.look(env, actions);
  assert.equal(view.values.length, actions.length);
  assert.equal(view.pixels.length, view.frames * view.width * view.height);
  assert.equal(agent.saliency(env, 2, actions).length, 4);
  assert.throws(() => model.config(Rom.open("sporefall")), fails("state", /./));
  assert.throws(() => Model.open(new Uint8Array(1000)), fails("state", /the model/));
});

test("states are the bytes of the native program", () => {
  const rom = Rom.open("undervault"), env = new Env(rom, { seed: 9 });
  play(env, 100);
  const recorder = new Recorder(env, "states");
  env.step(0);
  writeFileSync(join(WORK, "state.tape"), recorder.finish());
  assert.match(native("replay", "state.tape"), /verified/); // the tape begins with the state
  const state = env.save(), copy = new Env(rom, { seed: 1 });
  copy.load(state);
  play(env, 50);
  play(copy, 50);
  assert.deepEqual(copy.save(), env.save());
  state[state.length >> 1] ^= 1;
  assert.throws(() => new Env(Rom.open("duskrain")).load(state), fails("state", /./));
  assert.throws(() => env.load(state.slice(0, 50)), fails("state", /./));
});

/* ---- everything else -------------------------------------------------------------------------------------------- */

test("an env of a vec is what it is alone", () => {
  const rom = Rom.open("duskrain"), config = { sticky: 0.25, frameSkip: 4, actions: "codes", stack: 2 };
  const vec = new Vec(rom, 3, config), alone = new Vec(rom, 1, config);
  vec.reset({ seeds: [1, 2, 3] });
  alone.reset({ seeds: [2] });
  let all, one;
  for (let i = 0; i < 60; i++) {
    all = vec.step([0, (i >> 2) % 18, Action.LEFT]);
    one = alone.step([(i >> 2) % 18]);
  }
  assert.deepEqual(vec.shape, [2, 84, 84]);
  assert.deepEqual(all.obs.slice(vec.obsSize, 2 * vec.obsSize), one.obs);
  assert.equal(all.rewards[1], one.rewards[0]);
  assert.deepEqual(vec.ram(1), alone.ram(0));
  assert.deepEqual(vec.rgb(1), alone.rgb(0));
  assert.deepEqual(vec.status(1), alone.status(0));
  const state = vec.save(1), before = vec.step([1, 1, 1]).obs.slice();
  vec.load(1, state);
  assert.deepEqual(vec.step([1, 1, 1]).obs.slice(vec.obsSize, 2 * vec.obsSize), before.slice(vec.obsSize, 2 * vec.obsSize));
  assert.throws(() => vec.step([0, 0, 99]), fails("action", /env 2 is 99/));
  assert.throws(() => vec.step([0]), fails("argument", /1 actions for 3/));
  assert.throws(() => new Vec(rom, 0), fails("argument", /at least one/));
  vec.close();
  assert.throws(() => vec.observe(), fails("closed", /Vec is closed/));
});

test("agents: lists, planning, the tree, saving", () => {
  const names = Agent.list().map((a) => a.name);
  for (const name of ["random", "scripted", "uct", "iw1", "sarsa", "dqn"]) assert.ok(names.includes(name), name);
  assert.ok(Agent.options("uct").some((o) => o.name === "simulations"));
  assert.ok(Agent.presets("dqn").some((p) => p.name === "quick"));
  const rom = Rom.open("duskrain"), env = new Env(rom, { frameSkip: 4 });
  const before = env.save();
  const uct = new Agent("uct", { simulations: 20, horizon: 20 }, 1), again = new Agent("uct", "simulations=20,horizon=20", 1);
  assert.equal(uct.act(env), again.act(env));
  assert.deepEqual(env.save(), before, "a planner does not change the env");
  assert.ok(uct.last.simulations === 20 && uct.last.frames > 0);
  const tree = uct.tree();
  assert.ok(tree.length > 1 && tree[0].parent === -1 && tree.slice(1).every((n, i) => n.parent <= i));
  assert.deepEqual(new Agent("random").tree(), []);
  const random = new Agent("random", {}, 3), saved = random.save();
  const first = Array.from({ length: 10 }, () => random.act(env));
  const other = new Agent("random", {}, 99);
  other.load(env, saved);
  assert.deepEqual(Array.from({ length: 10 }, () => other.act(env)), first);
  const scripted = new Agent("scripted");
  let score = 0;
  for (let i = 0; i < 600; i++) {
    const r = env.step(scripted.act(env));
    score += r.reward;
    if (r.over) env.reset(), scripted.reset();
  }
  assert.ok(score > 0, "a written player scores");
  assert.throws(() => new Agent("uctt"), fails("argument", /did you mean 'uct'/));
  assert.throws(() => new Agent("uct", { simulation: 3 }), fails("argument", /simulations/));
  assert.throws(() => new Agent("random").look(env), fails("argument", /./));
  assert.throws(() => new Agent("pipe", "command=ls").act(env), fails("argument", /cannot be started/));
});

test("learning step by step", () => {
  const rom = Rom.open("duskrain"), agent = new Agent("sarsa", { features: "ram" }, 1);
  const env = new Env(rom, agent.prepare({ frameSkip: 5 }));
  assert.ok(agent.learns);
  for (let i = 0; i < 200; i++) {
    const result = env.step(agent.act(env, rom.minimalActions));
    agent.learn(env, result);
    if (result.over) env.reset(), agent.reset();
  }
  assert.equal(agent.progress.steps, 200);
  assert.ok(agent.progress.features > 0);
  assert.throws(() => agent.act(env, [0]), fails("argument", /./));
});

test("an inspector steps as the env does and explains every pixel", () => {
  const rom = Rom.open("duskrain"), env = new Env(rom, { seed: 1 }), plain = new Env(rom, { seed: 1 });
  const inspector = new Inspector(env);
  assert.throws(() => inspector.instruction(0), fails("argument", /call step\(\) first/));
  for (let i = 0; i < 30; i++) assert.deepEqual(inspector.step(i % 18), plain.step(i % 18));
  assert.deepEqual(env.save(), plain.save());
  const count = inspector.instructions;
  assert.ok(count > 1000 && inspector.lines > 200);
  assert.deepEqual(inspector.ramAt(count), env.ram());
  const middle = inspector.instruction(count >> 1);
  assert.ok(middle.text.length > 2 && middle.line > 0 && middle.clock < 228);
  assert.equal(inspector.find(middle.pc, middle.index), middle.index);
  assert.ok(inspector.lineStart(middle.line) <= middle.index);
  assert.equal(inspector.disassemble(middle.pc, 1)[0].text, middle.text);
  // the color that the explaining write set is the color of the pixel
  const screen = env.screen(), seen = new Set();
  let explained = 0;
  for (let y = 0; y < env.height; y += 7) {
    for (let x = 0; x < 160; x += 3) {
      const pixel = inspector.pixel(x, y);
      assert.equal(pixel.color, screen[160 * y + x]);
      seen.add(pixel.object);
      const color = pixel.writes.find((w) => w.role === "color");
      if (!color) continue;
      explained++;
      assert.equal(color.write.value & 0xfe, pixel.color, `${x}, ${y}: ${JSON.stringify(pixel)}`);
      if (color.write.instruction >= 0) assert.equal(inspector.instruction(color.write.instruction).pc, color.write.pc);
    }
  }
  assert.ok(explained > 1000 && seen.has("background") && seen.has("player0"), [...seen].join());
  assert.equal(inspector.pixelsBefore(count), 160 * env.height);
  assert.equal(inspector.objectMap().length, 160 * env.height);
  assert.equal(inspector.tiaByLine().length, 64 * inspector.lines);
  const address = inspector.instruction(100).pc;
  inspector.setBreakpoints([address]);
  const { hit } = inspector.runTo(0, 10);
  assert.equal(inspector.instruction(hit).pc, address);
  inspector.setBreakpoints([0x1fff & ~0]);
  assert.equal(inspector.runTo(0, 2).hit, -1);
  assert.throws(() => inspector.pixel(160, 0), fails("argument", /no pixel/));
});

test("errors have the library's sentences", () => {
  const rom = Rom.open("duskrain"), env = new Env(rom);
  assert.throws(() => Rom.open("pong"), fails("file", /Rom\.fromBytes/));
  assert.throws(() => Rom.fromBytes(new Uint8Array(3000), "x"), fails("cartridge", /3000 bytes/));
  assert.throws(() => Rom.fromBytes(new Uint8Array(0), "x"), fails("cartridge", /0 bytes/));
  assert.throws(() => Rom.fromBytes("duskrain"), fails("argument", /must be bytes/));
  assert.throws(() => new Env(rom, { mode: 77 }), fails("flavor", /no mode 77; available: 0, 1, 2, 3/));
  assert.throws(() => new Env(rom, { frameskip: 4 }), fails("config", /no setting "frameskip".*frameSkip/));
  assert.throws(() => new Env(rom, { frameSkip: 1.5 }), fails("config", /frameSkip must be a whole number/));
  assert.throws(() => new Env(rom, { frameSkip: 0 }), fails("config", /./));
  assert.throws(() => new Env(rom, { core: "fast" }), fails("config", /"auto" or "plain"/));
  assert.throws(() => env.step(18), fails("action", /no action 18/));
  assert.throws(() => env.step(0.5), fails("action", /0\.5 is not an action/));
  assert.throws(() => env.setRam(128, 0), fails("argument", /0 to 127/));
  assert.throws(() => env.setRam(1, 256), fails("argument", /0 to 255/));
  assert.throws(() => new Env(rom, { picture: false }).screen(), fails("picture", /./));
  assert.throws(() => env.rgba(new Uint8ClampedArray(5)), fails("argument", /134400 are needed/));
  assert.throws(() => new Train({ agent: "sarsa", rom, protocol: "nothing" }), fails("config", /no protocol 'nothing'/));
  assert.throws(() => new Train({ agent: "sarsa", rom, frame: 3 }), fails("config", /no setting "frame"/));
});

test("gzip-compressed images are decompressed", () => {
  const image = readFileSync(new URL("../../roms/duskrain.bin", import.meta.url));
  for (const level of [0, 1, 9]) assert.equal(Rom.fromBytes(gzipSync(image, { level }), "duskrain").info.md5, Rom.open("duskrain").info.md5);
  const damaged = gzipSync(image);
  damaged[damaged.length >> 1] ^= 0xff;
  assert.throws(() => Rom.fromBytes(damaged, "duskrain"), fails("file", /damaged/));
});

test("several players", () => {
  const rom = Rom.open("wispherd"), modes = rom.playerModes(2);
  assert.ok(modes.length > 0);
  const env = new Env(rom, { players: 2, mode: modes[0] }), recorder = new Recorder(env, "two");
  assert.equal(env.players, 2);
  for (let i = 0; i < 200; i++) {
    const r = env.stepPlayers([i % 18, (i * 5) % 18]);
    assert.equal(r.reward.length, 2);
    assert.deepEqual(env.playersResult, r);
    if (r.over) env.reset();
  }
  assert.throws(() => env.stepPlayers([0]), fails("action", /./));
  writeFileSync(join(WORK, "two.tape"), recorder.finish());
  assert.match(native("replay", "two.tape"), /verified/);
});

test("a linear learner shows the value of every action, and looking changes no choice", () => {
  const rom = Rom.open("duskrain");
  const play = (look) => {
    const agent = new Agent("sarsa", { features: "ram", epsilon: 0.9 }, 7), env = new Env(rom, { ...agent.prepare({ frameSkip: 5 }), seed: 2 });
    const chosen = [];
    let view = null;
    for (let i = 0; i < 150; i++) {
      if (look) view = agent.look(env);
      chosen.push(agent.act(env));
      const result = env.step(chosen.at(-1));
      agent.learn(env, result);
      if (result.over) env.reset();
    }
    return { chosen, view };
  };
  const { chosen, view } = play(true);
  assert.deepEqual(chosen, play(false).chosen);
  assert.equal(view.values.length, 18);
  assert.ok(new Set(view.values).size > 1, "all values are equal");
  assert.deepEqual([view.frames, view.pixels.length, view.kind], [0, 0, "none"]);
  const env = new Env(rom);
  assert.throws(() => new Agent("sarsa").saliency(env, 4), fails("argument", /no network/));
  assert.throws(() => new Agent("random").look(env), fails("argument", /does not predict/));
});

/** A module that imports one function. */
const importing = (module, name) => {
  const text = (s) => [s.length, ...Buffer.from(s)], section = (id, body) => [id, body.length, ...body];
  return Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...section(1, [1, 0x60, 0, 0]), ...section(2, [1, ...text(module), ...text(name), 0, 0])]);
};

test("the engines import what the package has; one that imports anything else is refused", async () => {
  const { importsOf } = await import(pathToFileURL(join(PACKAGE, "lib/engine.js")).href);
  for (const name of ["sixer.wasm", "sixer-play.wasm"]) {
    const module = new WebAssembly.Module(readFileSync(join(PACKAGE, name)));
    const imports = importsOf(module), list = WebAssembly.Module.imports(module);
    assert.ok(list.length > 20);
    for (const { module: from, name: what, kind } of list) {
      assert.equal(kind, "function");
      assert.equal(typeof imports[from][what], "function", `${from}.${what}`);
    }
  }
  assert.throws(() => importsOf(new WebAssembly.Module(importing("env", "fork"))), fails("file", /imports env\.fork/));
  assert.throws(() => importsOf(new WebAssembly.Module(importing("other", "invoke_v"))), fails("file", /imports other\.invoke_v/));
  // the check of the build
  const check = (file) => spawnSync(process.execPath, [fileURLToPath(new URL("../../web/package/imports.mjs", import.meta.url)), file], { encoding: "utf8" });
  assert.equal(check(join(PACKAGE, "sixer.wasm")).status, 0);
  writeFileSync(join(WORK, "fork.wasm"), importing("env", "fork"));
  const refused = check(join(WORK, "fork.wasm"));
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /env\.fork/);
});

test("what a definition says, and memory by name", () => {
  const rom = Rom.open("duskrain");
  assert.match(rom.definition(), /lives = ram\[0x86\]/);
  assert.deepEqual(rom.memoryNames().find((m) => m.address === 0x86), { address: 0x86, name: "lives" });
  assert.ok(sixer.games().length > 100);
  assert.equal(sixer.actionName(Action.UPFIRE), "UPFIRE");
  assert.equal(new Env(rom).observation().length, 84 * 84);
  const env = new Env(rom, { objects: true, core: "interp" });
  for (let i = 0; i < 30; i++) env.step(0);
  assert.ok(env.objects().length > 0);
});

test("closing frees; what is still used stays", async () => {
  const engine = await import(pathToFileURL(join(PACKAGE, "lib/engine.js")).href);
  const { memory, __indirect_function_table: table } = engine.engine();
  const size = () => [memory.buffer.byteLength, table.length]; // translated code has places in the table
  const rom = Rom.open("duskrain");
  const once = () => {
    const env = new Env(rom, { colorAveraging: true }), agent = new Agent("uct", { simulations: 5, horizon: 5 });
    agent.act(env);
    agent.close();
    env.close();
    env.close();
  };
  for (let i = 0; i < 20; i++) once();
  const before = size();
  for (let i = 0; i < 300; i++) once();
  assert.deepEqual(size(), before, "memory does not grow");
  const mine = Rom.open("sporefall"), env = new Env(mine);
  mine.close();
  assert.throws(() => mine.info, fails("closed", /Rom is closed/));
  env.step(0);
  env.close();
  assert.throws(() => env.step(0), fails("closed", /Env is closed/));
  assert.throws(() => env.screen(), fails("closed", /Env is closed/));
});

test("dropped objects are freed", { skip: globalThis.gc ? false : "needs --expose-gc" }, async () => {
  const engine = await import(pathToFileURL(join(PACKAGE, "lib/engine.js")).href);
  const rom = Rom.open("duskrain");
  const rounds = async (count) => {
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < 10; k++) new Env(rom).step(0);
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await rounds(10);
  const before = engine.engine().memory.buffer.byteLength;
  await rounds(30);
  assert.equal(engine.engine().memory.buffer.byteLength, before);
});

test("the small engine plays and says that it has no agents", () => {
  const program = `import { load, Agent, Env, Rom } from ${JSON.stringify(pathToFileURL(join(PACKAGE, "sixer.js")).href)};
    await load({ agents: false });
    const env = new Env(Rom.open("duskrain"), { seed: 1 });
    for (let i = 0; i < 20; i++) env.step(i % 18);
    console.log(Buffer.from(env.ram()).toString("hex"));
    try { new Agent("random"); } catch (e) { console.log(e.code, e.message); }`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }).split("\n");
  const env = new Env(Rom.open("duskrain"), { seed: 1 });
  for (let i = 0; i < 20; i++) env.step(i % 18);
  assert.equal(printed[0], Buffer.from(env.ram()).toString("hex"));
  assert.match(printed[1], /^argument this engine has no agents/);
});

test("the package holds what it needs and no more", () => {
  const names = readdirSync(PACKAGE).sort();
  assert.deepEqual(names, ["LICENSE", "README.md", "lib", "package.json", "sixer.d.ts", "sixer-play.wasm", "sixer.js", "sixer.wasm"].sort());
  assert.equal(JSON.parse(readFileSync(join(PACKAGE, "package.json"))).version, sixer.version());
});
