/* sixer for JavaScript: an Arcade Learning Environment. The Atari 2600 as a task for an agent, in browsers and Node.
 *
 *     import { load, Rom, Env } from "sixer";
 *
 *     await load();
 *     const rom = Rom.open("duskrain");
 *     const env = new Env(rom, { frameSkip: 4, seed: 7 });
 *     let score = 0;
 *     for (let i = 0; i < 1000; i++) {
 *       const result = env.step(i % 18);
 *       score += result.reward;
 *       if (result.over) env.reset();
 *     }
 *     env.close();
 *     rom.close();
 *
 * It is the C library compiled to WebAssembly: the same bytes, the same names (`sixer_env_step` is `Env.step`), and the
 * manual is that of the C headers. An error of the library is an exception, a `SixerError` with its code and its
 * sentence. Everything runs in the calling thread, without shared memory: in a page, put long work into a worker.
 *
 * Objects are freed by `close()`, or some time after they were dropped. A closed object throws when it is used; closing
 * twice is fine. A rom stays alive as long as one of its envs.
 *
 * Arrays of bytes that functions return are copies that belong to the caller. Functions with a parameter `into` write
 * into an array of the caller's instead, and return it. */

/* ---- Loading ---------------------------------------------------------------------------------------------------- */

export interface LoadOptions {
  /** The engine: bytes, a compiled module, or where to fetch it. Default: sixer.wasm beside this module. */
  wasm?: BufferSource | WebAssembly.Module | URL | string;
  /** false: the smaller engine sixer-play.wasm, without Agent, Train and Model. Default: true. */
  agents?: boolean;
}

/** Load the engine. Call it once and wait for it, before anything else; later calls return at once. */
export function load(options?: LoadOptions): Promise<void>;

/** Version of sixer, "0.2.0". */
export function version(): string;
/** The behavior number is raised whenever any golden digest changes: a score means nothing without it. */
export function behavior(): number;

/* ---- Errors ----------------------------------------------------------------------------------------------------- */

export type ErrorCode =
  | "file"       // a file is missing, empty, too large or unreadable
  | "cartridge"  // no cartridge type fits the image
  | "game"       // no such game, or a definition that does not parse
  | "config"     // a setting out of range
  | "flavor"     // the game has no such mode or difficulty
  | "action"     // not an action
  | "state"      // a saved state that is truncated, foreign, or of another version
  | "picture"    // the screen was asked for and is not known
  | "argument"   // an index or size out of range
  | "memory"     // out of memory
  | "tape"       // a tape is damaged or foreign, or does not replay as recorded
  | "diverged"   // what an agent learned has grown beyond bounds
  | "closed"     // the object was closed before, or the engine is not loaded
  | "crashed";   // the engine stopped in the middle of a call: load the page again

export class SixerError extends Error {
  readonly code: ErrorCode;
}

/* ---- Actions ---------------------------------------------------------------------------------------------------- */

/** The 18 positions of a joystick with its button, in the order that the field uses. For paddle games, actions with
 *  RIGHT and LEFT turn the paddle and actions with FIRE press its button. */
export const Action: {
  readonly NOOP: 0; readonly FIRE: 1; readonly UP: 2; readonly RIGHT: 3; readonly LEFT: 4; readonly DOWN: 5;
  readonly UPRIGHT: 6; readonly UPLEFT: 7; readonly DOWNRIGHT: 8; readonly DOWNLEFT: 9; readonly UPFIRE: 10;
  readonly RIGHTFIRE: 11; readonly LEFTFIRE: 12; readonly DOWNFIRE: 13; readonly UPRIGHTFIRE: 14;
  readonly UPLEFTFIRE: 15; readonly DOWNRIGHTFIRE: 16; readonly DOWNLEFTFIRE: 17;
};
export type ActionName = keyof typeof Action;
/** "NOOP", "FIRE", ...; undefined if there is no such action. */
export function actionName(action: number): ActionName | undefined;

/** The switches of the console, as a person works them during a step (`StepInput.switches`), added up. RESET and SELECT
 *  are pressed; the others are flipped from where the env has them. An episode that has ended does nothing in a step
 *  until a reset, except with RUN: then the console runs on, as it does when it waits for RESET. */
export const Switch: {
  readonly RESET: 1; readonly SELECT: 2; readonly RUN: 4; readonly COLOR: 8; readonly LEFT: 64; readonly RIGHT: 128;
};

/* ---- Games ------------------------------------------------------------------------------------------------------ */

/** What a definition says about a game. */
export interface GameInfo {
  id: string;            // "ms_pacman"
  title: string;         // "Ms. Pac-Man"
  md5s: string[];        // of its known images
  modes: number[];
  difficulties: number[];
  legalActions: number[];
  minimalActions: number[];
  defaultMode: number;
  levelCount: number;
  paddles: boolean;      // the game is steered by a paddle
  imageInside: boolean;  // the library contains the image: one of our own games
  several: boolean;      // the definition has rules for several players
  corrections: boolean;  // scoring "fixed" can differ from "ale"
}
/** All games that are known, in alphabetical order of their ids. */
export function games(): GameInfo[];

/** A byte of memory with the name that the game's definition gives it. */
export interface MemoryName {
  name: string;    // "score", "lives", ...: as the definition calls it
  address: number; // 0x80..0xFF
}

/* ---- Cartridges ------------------------------------------------------------------------------------------------- */

export interface RomInfo {
  md5: string;
  type: string;               // cartridge type: "4K", "F8SC", ...
  format: string;             // "NTSC", "PAL", "PAL60" or "SECAM"
  game: string | null;        // id of the game whose rules apply
  title: string;              // of that game; the image's stem if none
  gameByName: boolean;        // the rules were chosen by the file's stem, not by MD5
  paddles: boolean;
  size: number;               // of the image, in bytes
  height: number;             // of the screen; Env.height has that of an env
  width: number;              // 160
  stateSize: number;          // bytes of a saved console + game
  modes: number[];
  difficulties: number[];
  legalActions: number[];
  minimalActions: number[];
  defaultMode: number;
  levelCount: number;
}

/** What never changes: image, cartridge type, rules of the game. */
export class Rom {
  /** Open one of our own games, which are inside the library. `game` names the rules to use. */
  static open(id: string, game?: string): Rom;
  /** An image from bytes, which are copied; gzip-compressed ones are decompressed. The rules are chosen by the MD5 of
   *  the image, else by `name`, the file's name without its ending; `game` overrides both. An image without rules
   *  runs, but its reward is always 0 and it never ends. */
  static fromBytes(image: Uint8Array | ArrayBuffer, name?: string, game?: string): Rom;
  readonly info: RomInfo;
  readonly legalActions: number[];
  readonly minimalActions: number[];
  /** The modes for so many players, 1 to 4; empty if there are none. */
  playerModes(players: number, dialect?: "sixer" | "ma"): number[];
  /** The actions that do something in these modes; all players have the same. */
  playerActions(players: number, dialect?: "sixer" | "ma"): number[];
  /** Bytes of the console's memory that the game's definition reads, by name. */
  memoryNames(): MemoryName[];
  /** The definition of the game, as text; null if there is none. */
  definition(): string | null;
  close(): void;
}

/* ---- Environments ----------------------------------------------------------------------------------------------- */

export type Core = "auto" | "plain" | "interp" | "jit";

/** Settings of an env; what is left out has the library's default. Unknown names are refused. */
export interface EnvConfig {
  /** All cores give the same bytes. "plain" is slow; "jit" translates the cartridge to WebAssembly, and interprets where
   *  it cannot. */
  core?: Core;
  /** Seed of the env's own random draws: sticky actions, some modes, the extra randomness below. */
  seed?: number;
  /** Of the console's memory at power-on; 4753849 as in the reference. */
  systemSeed?: number;
  /** Probability that a frame repeats the previous action; 0.25, Machado et al. 2018. */
  sticky?: number;
  /** Frames per step, up to 10000; 1 as in the reference. */
  frameSkip?: number;
  mode?: number;
  difficulty?: number;
  /** Of games with levels: the first of those that episodes are played on, and how many. */
  level?: number;
  levels?: number;
  /** Frames per episode before it is cut off; 0: no limit. */
  maxFrames?: number;
  /** Cut the episode off when a life is lost. */
  endOnLifeLoss?: boolean;
  /** Blend each picture with the one before it. */
  colorAveraging?: boolean;
  /** Make the samples of Env.sound(). */
  sound?: boolean;
  /** Draw; if off, the screen is never known, and nothing else changes. */
  picture?: boolean;
  /** The reward of a step is clamped to this range. */
  rewardMin?: number;
  rewardMax?: number;
  /** Ohms; -1: the game's own limits. */
  paddleMin?: number;
  paddleMax?: number;
  /** Use the reference's other processor model, which runs cycle by cycle. Plain core only. */
  cycleCpu?: boolean;
  /** Note the objects of each frame for Env.objects(); not by the plain core. */
  objects?: boolean;
  scoring?: "ale" | "fixed";
  /** Each reset is followed by 0..noopStarts NOOP frames; Mnih et al. 2015. */
  noopStarts?: number;
  /** Probability per step that a random legal action replaces the given one. */
  randomAction?: number;
  /** If above frameSkip: each step lasts frameSkip..frameSkipMax frames. */
  frameSkipMax?: number;
  /** The action takes effect after 0..delayMax frames of the step. */
  delayMax?: number;
  /** Frames without a reward before an episode counts as stuck; 0: no limit. */
  stuckLimit?: number;
  /** 1, or as many as the game has modes for. */
  players?: number;
  dialect?: "sixer" | "ma";
  turnLimit?: number;
  /** What is corrected in the rules for several players: a sum of SIXER_CORRECT_... of players.h; -1: everything. */
  corrections?: number;
}

export type End = "none" | "game-over" | "life" | "frame-limit" | "stuck";

export interface StepResult {
  reward: number;     // sum over the frames of the step, then clamped
  lives: number;      // as the game's rules report them
  over: boolean;      // the episode has ended, for whatever reason; steps do nothing until a reset
  terminal: boolean;  // the game itself is over
  truncated: boolean; // it was cut off: life loss, frame limit or stuck limit
  end: End;           // why
  executed: number;   // the action of player A in the last frame, after sticky actions and other randomness
  frames: number;     // emulated in this step
}

/** A step for two to four players, for paddles turned at less than full speed (strengths are 0..1) and for people at
 *  the console. What is left out is NOOP, strength 1, no switch. */
export interface StepInput {
  action?: number;
  actionB?: number;
  actionC?: number;
  actionD?: number;
  strength?: number;
  strengthB?: number;
  strengthC?: number;
  strengthD?: number;
  /** Sum of Switch values. */
  switches?: number;
  /** Cut the step off after so many frames; 0: as long as the settings say. */
  frames?: number;
}

export interface PlayersResult {
  players: number;
  reward: number[];   // an entry per player, as the others
  lives: number[];    // -1: the player is out
  ended: boolean[];
  executed: number[];
  score: number[];
  over: boolean; terminal: boolean; truncated: boolean; end: End;
  frames: number;
}

export interface Status {
  mode: number; difficulty: number; level: number; lives: number;
  frames: number;        // since creation
  episodeFrames: number; // since the last reset
  score: number;         // sum of the rewards of this episode, before clamping
  over: boolean; terminal: boolean; truncated: boolean; end: End;
  executed: number;
}

export type ObjectKind = "player0" | "player1" | "missile0" | "missile1" | "ball";
/** An object of the last frame as a box around its lit pixels. */
export interface ScreenObject {
  kind: ObjectKind;
  x: number; y: number; width: number; height: number;
  color: number; // palette byte of the first row
}

/** An environment plays a rom. */
export class Env {
  /** Create an env, power the console on and reset it once. An unknown mode or difficulty is an error that lists the
   *  available ones. */
  constructor(rom: Rom, config?: EnvConfig);
  readonly rom: Rom;
  /** All settings, defaults filled in. */
  readonly config: Required<EnvConfig>;
  /** The core that runs it. "interp" in place of "jit": cartridges of this type are not translated, or the browser
   *  refuses to compile (some limit what the main thread of a page may compile at once; workers have no such limit). */
  readonly core: Exclude<Core, "auto">;
  /** Start a new episode. The console's memory, the generators and the total frame count live on. */
  reset(): void;
  /** Choose the flavor of the next episode, as at the console's switches; applied by the next reset. */
  setMode(mode: number): void;
  setDifficulty(difficulty: number): void;
  setLevels(first: number, count?: number): void;
  /** Advance by one action: frameSkip frames, or fewer if the episode ends inside them. */
  step(input: number | StepInput): StepResult;
  /** Advance by one action for each player. */
  stepPlayers(actions: number[]): PlayersResult;
  /** Power the console on again: the env is as after its creation with this seed. */
  restart(seed: number): void;
  readonly status: Status;
  /** How many players the present mode has. */
  readonly players: number;
  /** The result of the last step for each player once more; after a reset, rewards and frames are 0. Zeros with one player. */
  readonly playersResult: PlayersResult;
  readonly height: number;
  readonly width: 160;
  /** The screen, one palette byte per pixel, `height` rows of 160. Throws "picture" if the picture is not known. */
  screen(into?: Uint8Array): Uint8Array;
  /** The screen in colors: height * 160 * 3 bytes. */
  rgb(into?: Uint8Array): Uint8Array;
  /** The screen in colors as ImageData wants them: height * 160 * 4 bytes, opaque. */
  rgba(into?: Uint8ClampedArray): Uint8ClampedArray;
  /** The screen in gray: height * 160 bytes. */
  gray(into?: Uint8Array): Uint8Array;
  /** What an agent sees, without its history: the screen in gray, resized by area to width x height (84 x 84), as the
   *  vectors do. */
  observation(width?: number, height?: number, into?: Uint8Array): Uint8Array;
  /** The colors of palette bytes on this env's television: 256 entries 0xRRGGBB. */
  palette(): Uint32Array;
  /** The 128 bytes of console memory, addresses 0x80..0xFF, as of the last frame. */
  ram(into?: Uint8Array): Uint8Array;
  setRam(index: number, value: number): void;
  /** 512 samples of the last step, unsigned 8 bit at 31400 Hz; zeros unless config.sound. */
  sound(into?: Uint8Array): Uint8Array;
  /** Objects of the last frame; needs config.objects. */
  objects(): ScreenObject[];
  /** A state is plain bytes: it may be copied, stored, sent to another machine, and loaded into any env of the same
   *  image. `controller` adds the env's generators and the remembered sticky action (default true); `picture` adds the
   *  picture (default true); without it the screen is unknown after loading until the next frame. */
  save(options?: { controller?: boolean; picture?: boolean }): Uint8Array;
  /** Load a state saved with any flags. Throws "state", and nothing changed, if it is damaged or of another image. */
  load(state: Uint8Array): void;
  close(): void;
}

/* ---- Vectors ---------------------------------------------------------------------------------------------------- */

export interface VecConfig extends EnvConfig {
  obs?: "gray" | "rgb" | "palette" | "ram";
  pool?: "none" | "max" | "mean";
  /** Of a picture; 84 and 84. 0 and 0: as the console shows it. */
  height?: number;
  width?: number;
  /** Pictures in an observation; 4. */
  stack?: number;
  /** What an action number means. */
  actions?: "minimal" | "legal" | "codes";
  /** An episode starts with 0..noopMax-1 NOOP frames, drawn uniformly; 30. */
  noopMax?: number;
  fireStart?: boolean;
  /** To -1..1, after the sum over the frames of a step. */
  clipRewards?: boolean;
  lifeLoss?: "plain" | "info" | "end";
  autoreset?: "next" | "same" | "off";
}

export interface VecSlot { rom: Rom; mode?: number; difficulty?: number; }

/** Results of a vec, a row per env. The arrays are reused by the next call: copy what must stay. */
export interface VecResults {
  obs: Uint8Array;
  finalObs: Uint8Array;     // with autoreset "same": rows of episodes that ended
  rewards: Int32Array;
  rawRewards: Int32Array;
  terminated: Uint8Array;
  truncated: Uint8Array;
  ends: Uint8Array;
  lives: Int32Array;
  frames: Float64Array;     // of the env since it was created or seeded
  episodeFrames: Int32Array;
  executed: Int32Array;
  levels: Int32Array;
  ended: Uint8Array;
}

/** Many envs stepped together. With the default config a vec equals AtariVectorEnv of ale-py 0.12.1. */
export class Vec {
  /** `count` envs of one rom, or one env per slot. */
  constructor(slots: Rom | VecSlot[], count: number | undefined, config?: VecConfig);
  readonly count: number;
  readonly players: number;
  /** Of one observation: (stack, height, width, 3), (stack, height, width) or (stack, 128). */
  readonly shape: number[];
  readonly obsSize: number;
  /** What the action numbers 0, 1, ... of an env mean. */
  actions(env: number): number[];
  /** Start new episodes in the envs whose mask is not 0 (all if left out). */
  reset(options?: { mask?: ArrayLike<number>; seeds?: ArrayLike<number> }): VecResults;
  /** Step every env by actions[i]. */
  step(actions: ArrayLike<number>, strengths?: ArrayLike<number>): VecResults;
  /** Report all envs as they are, without stepping. */
  observe(): VecResults;
  status(env: number): Status;
  ram(env: number): Uint8Array;
  rgb(env: number): Uint8Array;
  save(env: number, options?: { controller?: boolean; plain?: boolean }): Uint8Array;
  load(env: number, state: Uint8Array): void;
  close(): void;
}

/* ---- Agents ----------------------------------------------------------------------------------------------------- */

export interface AgentInfo { name: string; summary: string; }
export interface AgentOption { name: string; value: string; choices: string | null; help: string; }
export interface AgentPreset { name: string; options: string; source: string; }

/** What the last choice of a planner took. */
export interface AgentStats {
  frames: number; replayed: number; simulations: number; expanded: number; nodes: number; reused: number;
  memory: number; depth: number; value: number; seconds: number; emulation: number; limited: boolean;
}

/** How far a learner is. */
export interface AgentProgress {
  steps: number; updates: number; features: number; memory: number; active: number; maxActive: number;
  rewardUnit: number; value: number; error: number; loss: number; refilled: number; epsilon: number;
  kernels: string | null; featuresTime: number; learningTime: number;
}

/** What a learner with a network sees, and what it predicts. */
export interface AgentView {
  values: Float64Array;      // one for each action of the list
  pixels: Uint8Array;        // `frames` pictures of height x width bytes, oldest first
  frames: number; height: number; width: number;
  kind: "none" | "atoms" | "quantiles";
  points: number;            // of the distribution of an action
  distribution: Float32Array; // `points` numbers for each action, one action after the other
  at: Float32Array;          // what each of them belongs to
}

/** One node of a planner's tree, as it stood when the choice was made: see Agent.tree(). */
export interface TreeNode {
  parent: number;  // index of its parent; -1: the root
  action: number;  // that leads to it from its parent
  depth: number;
  visits: number;  // of UCT and Rollout-IW; else 0
  reward: number;  // of the step that led here
  over: boolean;   // the episode ends here
  value: number;   // expected return, beginning with that step, as the planner counts it
}

export class Agent {
  /** The agents there are; their options and presets. */
  static list(): AgentInfo[];
  static options(agent: string): AgentOption[];
  static presets(agent: string): AgentPreset[];
  /** Create an agent by name. Options are "name=value,..." or an object; `preset` may be one of them. */
  constructor(name: string, options?: string | Record<string, string | number | boolean>, seed?: number);
  readonly name: string;
  /** Choose an action in the env's current state. The env is read and never changed. Default: the legal actions. */
  act(env: Env, actions?: number[]): number;
  /** Choose for this player, from 0 on. */
  sit(player: number): void;
  /** Every option with its value, as text that the constructor takes. */
  readonly settings: string;
  /** The episode is over and the env shows its end: tell the agent. */
  end(env: Env): void;
  /** Before the next episode. What was learned stays. */
  reset(): void;
  readonly learns: boolean;
  /** Fit the settings of an env to what the agent looks at; returns a new config. */
  prepare(config?: EnvConfig): EnvConfig;
  /** Learn from what followed the last choice: call it after the step that carried it out, with its result. */
  learn(env: Env, result: StepResult): void;
  /** Choose as in an evaluation (true), or as in training (false, as after creation). */
  evaluate(evaluating: boolean): void;
  readonly progress: AgentProgress;
  /** What the last choice took; all zero for agents that do not plan. */
  readonly last: AgentStats;
  /** What a learner predicts, and what its network sees; a linear one has values only, and no frames. Look where the agent
   *  acts next or has just acted. Throws "argument" for agents that do not predict. */
  look(env: Env, actions?: number[]): AgentView;
  /** Where a learner with a network looks: cells x cells numbers (Greydanus et al. 2018); cells is 1 to 32. */
  saliency(env: Env, cells: number, actions?: number[]): Float32Array;
  /** The tree of a planner; at most `max` nodes, those nearest to the root. Empty for other agents. */
  tree(max?: number): TreeNode[];
  /** An agent in the middle of an episode as bytes. */
  save(): Uint8Array;
  load(env: Env, bytes: Uint8Array): void;
  close(): void;
}

/* ---- Training and models ---------------------------------------------------------------------------------------- */

export interface TrainSettings {
  agent: string;
  options?: string | Record<string, string | number | boolean>;
  label?: string;
  rom: Rom;
  /** Name of a protocol ("machado2018"), or its text. */
  protocol?: string;
  /** 1 or more. */
  seed?: number;
  mode?: number;
  difficulty?: number;
  level?: number;
  levels?: number;
  /** Budget of training: whichever is reached first; 0: no limit. */
  frames?: number;
  episodes?: number;
  /** Episodes without learning afterwards; -1: as many as the protocol scores. */
  evaluation?: number;
  /** Leave the replay memory out of checkpoints. */
  refill?: boolean;
}

export interface TrainProgress {
  frames: number; steps: number; episodes: number; framesBudget: number; episodesBudget: number;
  share: number; mean: number; best: number; last: number; averaged: number; trained: boolean; finished: boolean;
  evaluation: number; evaluated: number; evaluationMean: number; evaluationFrames: number;
  tests: number; bestTest: number; lastTest: number; refilled: number;
}

/** A run of training, as `sixer train` does it: rows and checkpoints have the same bytes. */
export class Train {
  constructor(settings: TrainSettings);
  /** Go on for at most so many decisions. */
  run(steps: number): TrainProgress;
  readonly progress: TrainProgress;
  /** A checkpoint, which is also a model: `sixer watch` plays it, Model.open() opens it. */
  save(): Uint8Array;
  /** The rows of all episodes so far, as `sixer train` writes them; those since the last save() may be missing. */
  episodes(): string;
  /** A picture of the env of the run, to look at. */
  rgba(into?: Uint8ClampedArray): Uint8ClampedArray;
  readonly height: number;
  close(): void;
}

/** A model is a checkpoint of `sixer train`: the agent as it was, to play with. */
export class Model {
  /** Open a checkpoint. All of it is checked. */
  static open(bytes: Uint8Array | ArrayBuffer): Model;
  /** A setting by name ("agent", "options", "game", "rom", "protocol", "seed", ...). */
  setting(name: string): string | null;
  /** All of them as text. */
  readonly text: string;
  readonly progress: TrainProgress;
  readonly sections: { name: string; size: number }[];
  /** Settings of an env like the one that the agent was trained in, and the actions that it chooses from. The rom must
   *  be of the same image. */
  config(rom: Rom): { config: EnvConfig; actions: number[] };
  /** The agent with what it has learned, at the start of an episode. */
  agent(rom: Rom): Agent;
  close(): void;
}

/* ---- Tapes ------------------------------------------------------------------------------------------------------ */

/** Records an env on a tape. Steps, resets, loaded states and changed memory of the env are recorded by themselves
 *  until the recorder or the env is closed. One recorder per env. */
export class Recorder {
  /** `by` says who plays, in one line. An env that has been played before is fine: the tape then begins with its
   *  state. */
  constructor(env: Env, by?: string);
  /** The tape so far, up to the last whole second: a tape that ends early, but plays. */
  bytes(): Uint8Array;
  /** End the tape and return it. */
  finish(): Uint8Array;
  close(): void;
}

export interface TapeInfo {
  md5: string;
  game: string | null;
  by: string;
  version: string;
  behavior: number;
  config: Required<EnvConfig>;
  seconds: number; steps: number; resets: number;
  jumps: boolean;        // states were loaded on the way
  complete: boolean;     // it was closed properly
  damage: string | null; // why the tape is readable only up to `seconds`
  rules: string;
}

export type TapeEvent =
  | { kind: "end"; second: number }
  | { kind: "step"; second: number; last: boolean; input: Required<StepInput>; result: StepResult | null }
  | { kind: "reset"; second: number; last: boolean; mode: number; difficulty: number; level: number; levels: number }
  | { kind: "state"; second: number; last: boolean; state: Uint8Array };

/** What Tape.verify() found. */
export interface TapeReport {
  verified: boolean;     // every second gave its recorded digest
  seconds: number;       // that did
  steps: number; resets: number;
  reward: number;        // of all steps
  problem: string | null; // the first that did not, in a sentence
}

/** A recording of play that can be replayed exactly. */
export class Tape {
  /** Open a tape and check the checksums of all its seconds. A tape that ends early or is damaged opens, and plays up
   *  to the last good second; see TapeInfo.damage. */
  static open(bytes: Uint8Array | ArrayBuffer): Tape;
  readonly info: TapeInfo;
  /** The image that the tape was played on: one of our own games. Throws if the game is another: then pass the image to
   *  Rom.fromBytes(). */
  rom(): Rom;
  /** Has the definition of the game changed since the recording? */
  rulesChanged(rom: Rom): boolean;
  /** An env as it was when the recording began. `overrides` may turn sound on or choose another core. Throws if the
   *  image is another than the tape's. */
  env(rom: Rom, overrides?: Pick<EnvConfig, "sound" | "core" | "objects">): Env;
  /** The next event, without playing it. */
  next(): TapeEvent;
  /** Play the next event on the env. Throws "tape" if a second of play does not reproduce the recorded digest; the
   *  event has been played all the same, and the next call continues with the one after it. */
  play(env: Env): TapeEvent;
  /** Back to the first event; the env must be a new one too. */
  rewind(): void;
  /** Play the whole tape on an env of its own and check every second. */
  verify(rom: Rom): TapeReport;
  /** The part of the tape that is not damaged, as a tape that is closed. */
  repair(): Uint8Array;
  close(): void;
}

/* ---- Inspection ------------------------------------------------------------------------------------------------- */

/** The processor before an instruction. */
export interface Instruction {
  index: number;   // in the frame
  pc: number;
  bytes: number[]; // of the instruction
  text: string;    // "LDA ($80),Y"
  a: number; x: number; y: number; sp: number; p: number;
  line: number;    // scanline in which it begins, 0 is the first of the frame
  clock: number;   // color clock of that line, 0..227; pixels begin at 68
}

/** A write that an instruction made. */
export interface Write {
  instruction: number; // index in the frame; -1: in an earlier frame
  frame: number;       // env.status.frames of the frame in which it happened
  pc: number;          // of the instruction
  address: number;
  /** Name of the register ("GRP0", "SWACNT"), or null for memory. */
  register: string | null;
  value: number;
  line: number; clock: number;
}

export type PixelObject = "player0" | "player1" | "missile0" | "missile1" | "ball" | "playfield" | "background"
  | "vblank" | "hmove-blank";

/** Where a pixel comes from. */
export interface PixelInfo {
  x: number; y: number; line: number; clock: number;
  color: number;             // palette byte
  object: PixelObject;       // that the pixel shows
  lit: PixelObject[];        // all objects that are there, the hidden ones too
  /** The writes that put it there: its color, its shape, its position and width, as far as they are known (they are
   *  once the inspector was on when they were made). */
  writes: { role: "color" | "shape" | "position" | "motion" | "size" | "priority" | "blank"; write: Write }[];
}

/** Opens the console up. An inspector is put on an env; steps are then made by it, with the plain core, and every
 *  instruction, every write and every pixel of the step's last frame is kept. The env stands at the end of that frame; moving
 *  inside the frame is moving in the record, backwards too. Results are those of ordinary steps. */
export class Inspector {
  constructor(env: Env);
  readonly env: Env;
  /** Step the env as env.step() does and keep its last frame. */
  step(input: number | StepInput): StepResult;
  /** Like step, for one frame after the other until an instruction at one of the breakpoints is executed or `frames`
   *  frames have passed. Returns the index of that instruction, or -1. */
  runTo(input: number | StepInput, frames: number): { result: StepResult; hit: number };
  /** Addresses at which runTo() stops; bits 13 to 15 of addresses do not count. */
  setBreakpoints(addresses: number[]): void;
  /** Instructions of the recorded frame. 0 before the first step. */
  readonly instructions: number;
  /** Scanlines of the recorded frame, and the one that is the top row of the screen. */
  readonly lines: number;
  readonly firstLine: number;
  instruction(index: number): Instruction;
  /** The first instruction that begins in this line or later. */
  lineStart(line: number): number;
  /** Next instruction at an address, from `index` on; -1: none. */
  find(address: number, index?: number): number;
  /** The 128 bytes of memory before an instruction (index = instructions: after the last). */
  ramAt(index: number): Uint8Array;
  /** The values last written to the TIA's 64 write registers before an instruction. -1: not known. */
  tiaAt(index: number): Int16Array;
  /** The same at the end of each line: lines x 64 values. */
  tiaByLine(): Int16Array;
  /** Names of the TIA's write registers, by number. */
  readonly tiaNames: string[];
  /** Writes of one instruction, or of the whole frame. */
  writes(index?: number): Write[];
  /** Objects of every pixel of the screen, height x 160: bits 0 to 5 are P0, P1, M0, M1, BL, PF; bit 6: vertical blank,
   *  bit 7: blanked by HMOVE. */
  objectMap(): Uint8Array;
  pixel(x: number, y: number): PixelInfo;
  /** How many pixels of the screen the beam has drawn before an instruction. */
  pixelsBefore(index: number): number;
  /** Code from memory as it is now: `count` instructions from `address` on. Nothing changes by reading. */
  disassemble(address: number, count: number): { pc: number; bytes: number[]; text: string }[];
  /** Bytes as the processor would read them now: memory, code, registers. Reading has no effect. */
  peek(address: number, count: number): Uint8Array;
  /** The timer and the ports. `interval` is 0 if the recorded frame did not set the timer. */
  readonly riot: { timer: number; interval: number; swcha: number; swchb: number };
  close(): void;
}
