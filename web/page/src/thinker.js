/* What plans and learns: baselines and planners with their trees, trained models, and training in the page. It has games of
 * its own, so the person's game is not touched. */
import { Agent, Env, Model, Rom, Train, actionName } from "sixer";

const NODES = 600; // of a tree that are sent to the page
const TRAILS = 300; // of them, followed over the picture
const SKIP = { scripted: 1 }; // frames of a decision; 5 as in the papers of the planners
const OWN_BUDGET = ["uct", "iw1", "p-iw1", "2bfs", "rollout-iw1", "full-tree"];

export class Thinker {
  /* ---- Who plays ---------------------------------------------------------------------------------------------- */

  agents() {
    const shown = ["random", "perturb", "scripted", ...OWN_BUDGET];
    const all = Agent.list().filter(({ name }) => shown.includes(name));
    return { agents: all.map((agent) => ({ ...agent, plans: OWN_BUDGET.includes(agent.name) })) };
  }

  #clear() {
    for (const part of ["agent", "frameEnv", "trailEnv", "env", "model"]) {
      this[part]?.close();
      this[part] = null;
    }
  }

  #rom({ id, bytes, name }) {
    this.#clear();
    this.rom?.close();
    this.rom = null;
    this.rom = id ? Rom.open(id) : Rom.fromBytes(bytes, name);
    return this.rom;
  }

  /** An agent by name in a game that begins, or goes on from a state. */
  begin({ rom, agent, frames, state, flavor, seed = 1 }) {
    const opened = this.#rom(rom);
    const plans = OWN_BUDGET.includes(agent);
    const options = plans ? (agent === "uct" ? { simulations: 0, frames, reuse: 1 } : { frames }) : undefined;
    this.config = { sticky: 0, frameSkip: SKIP[agent] ?? 5, ...flavor };
    this.env = new Env(opened, { ...this.config, objects: true });
    this.agent = new Agent(agent, options, seed);
    this.actions = opened.minimalActions;
    this.plans = plans;
    if (state) this.env.load(state);
    return { ...this.#describe(), settings: this.agent.settings };
  }

  /** A trained model: the bytes of a checkpoint, and the image if the game is not one of ours. */
  openModel({ bytes, image }) {
    const model = Model.open(bytes);
    try {
      const game = model.setting("game");
      let rom;
      try {
        rom = this.#rom(image ?? { id: game });
      } catch (error) {
        throw Object.assign(new Error(`This model plays ${game}, which is not inside sixer. Open the image of that game first, then the model again.`), { code: "image" });
      }
      const { config, actions } = model.config(rom);
      this.config = { ...config, picture: true };
      this.env = new Env(rom, this.config);
      this.agent = model.agent(rom);
      this.agent.evaluate(true);
      Object.assign(this, { model, actions, plans: false });
    } catch (error) {
      model.close();
      throw error;
    }
    const setting = (name) => model.setting(name);
    return {
      ...this.#describe(),
      network: Boolean(this.#look(0)?.view.frames),
      model: { agent: setting("agent"), game: setting("game"), seed: setting("seed"), progress: model.progress },
    };
  }

  #describe() {
    const pixels = this.env.rgba();
    return {
      info: this.rom.info,
      height: this.env.height,
      status: this.env.status,
      actions: this.actions.map((action) => ({ action, name: actionName(action) })),
      pixels,
      transfer: [pixels.buffer],
    };
  }

  /* ---- Decisions ---------------------------------------------------------------------------------------------- */

  /** One decision: what was thought, then the pictures of the frames that it is carried out in. */
  decide({ trail = "player0", saliency = 0, tree = true } = {}) {
    const { env, agent } = this;
    if (env.status.over) {
      env.reset();
      agent.reset();
    }
    const out = { transfer: [] };
    const view = this.model ? this.#look(saliency) : null;
    const before = env.save({ picture: false });
    const started = performance.now();
    const action = agent.act(env, this.actions);
    out.seconds = (performance.now() - started) / 1000;
    if (this.plans && tree) {
      out.tree = agent.tree(NODES);
      out.trails = this.#trails(out.tree, before, trail);
      out.stats = agent.last;
    }
    if (view) Object.assign(out, view);
    if (view && !view.view.frames) out.linear = agent.progress;
    const result = env.step(action);
    if (result.over) agent.end?.(env);
    out.pictures = this.#frames(before, action, result.frames);
    for (const picture of out.pictures) out.transfer.push(picture.buffer);
    return { ...out, action, name: actionName(action), reward: result.reward, status: env.status, height: env.height };
  }

  /** The single frames of a step, by a copy with frame skip 1; sticky actions of a model's env show only the last. */
  #frames(before, action, frames) {
    if (this.config.sticky || frames <= 1) return [this.env.rgba()];
    this.frameEnv ??= new Env(this.rom, { ...this.config, frameSkip: 1, objects: false });
    const out = [];
    this.frameEnv.load(before);
    for (let i = 0; i < frames; i++) {
      this.frameEnv.step(action);
      out.push(this.frameEnv.rgba());
    }
    return out;
  }

  /** Where an object goes in the futures of a tree: for each node, the place before and after its step. */
  #trails(tree, before, kind) {
    this.trailEnv ??= new Env(this.rom, { ...this.config, objects: true });
    const env = this.trailEnv;
    const states = [before];
    const places = [nearest(this.env.objects(), kind, null)];
    const lines = [];
    if (!places[0]) return lines;
    const parents = new Set(tree.map((node) => node.parent));
    for (let i = 1; i < Math.min(tree.length, TRAILS); i++) {
      const { parent, action, value } = tree[i];
      if (!states[parent] || !places[parent]) continue;
      env.load(states[parent]);
      env.step(action);
      const place = nearest(env.objects(), kind, places[parent]);
      places[i] = place;
      if (parents.has(i)) states[i] = env.save({ picture: false });
      if (place) lines.push({ from: places[parent], to: place, value, depth: tree[i].depth });
    }
    return lines;
  }

  #look(cells) {
    let view;
    try {
      view = this.agent.look(this.env, this.actions);
    } catch (error) {
      if (error.code === "argument") return null; // it does not predict
      throw error;
    }
    const map = cells && view.frames ? this.agent.saliency(this.env, cells, this.actions) : null;
    return { view, saliency: map, cells };
  }

  restart() {
    this.env.reset();
    this.agent.reset();
    return this.#describe();
  }

  /* ---- Training ----------------------------------------------------------------------------------------------- */

  trainStart({ game, agent, options }) {
    this.trainEnd();
    this.trainRom = Rom.open(game);
    this.train = new Train({ agent, options, rom: this.trainRom, protocol: PROTOCOL, seed: 1, frames: 100e6, evaluation: 0, refill: true });
    this.trainGame = game;
    this.rowsSeen = 0;
    return { random: this.#random(game) };
  }

  /** Go on for about `ms` milliseconds. */
  trainRun({ ms }) {
    const end = performance.now() + ms;
    let progress;
    let steps = this.trainSteps ?? 20;
    do {
      const began = performance.now();
      progress = this.train.run(steps);
      const took = performance.now() - began;
      steps = Math.max(1, Math.min(2000, Math.round((steps * 30) / Math.max(took, 1))));
    } while (performance.now() < end && !progress.trained);
    this.trainSteps = steps;
    const pixels = this.train.rgba();
    return { progress, scores: this.#newScores(), pixels, height: this.train.height, transfer: [pixels.buffer] };
  }

  /** Scores of the episodes that have ended since the last call: the column `score` of the rows. */
  #newScores() {
    const lines = this.train.episodes().trim().split("\n").filter((line) => line && !line.startsWith("#"));
    const separator = lines[0]?.includes("\t") ? "\t" : ",";
    const column = lines[0]?.split(separator).indexOf("score") ?? -1;
    const frames = lines[0]?.split(separator).indexOf("total_frames") ?? -1;
    const rows = lines.slice(1 + this.rowsSeen).map((line) => line.split(separator));
    this.rowsSeen += rows.length;
    return rows.map((row) => ({ score: Number(row[column]), frames: Number(row[frames]) }));
  }

  trainSave() {
    return { bytes: this.train.save() };
  }

  trainEnd() {
    this.train?.close();
    this.trainRom?.close();
    this.train = this.trainRom = null;
    this.trainSteps = 20;
    return {};
  }

  /** Mean score of a few episodes of random play under the same rules, to compare with. */
  #random(game) {
    const rom = Rom.open(game);
    const env = new Env(rom, { sticky: 0, frameSkip: 5, maxFrames: 18000, picture: false });
    let total = 0, state = 1;
    for (let episode = 0; episode < 5; episode++) {
      while (!env.status.over) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        env.step(rom.minimalActions[Math.floor((state / 2 ** 32) * rom.minimalActions.length)]);
      }
      total += env.status.score;
      env.reset();
    }
    env.close();
    rom.close();
    return total / 5;
  }
}

/** What a short training is played under: few actions, and nothing random in the console. */
const PROTOCOL = `name = "page"
base = "machado2018"
[environment]
actions = "minimal"
sticky = 0.0
`;

/** The middle of the box of an object that is nearest to where it was, else of the largest one. */
function nearest(objects, kind, was) {
  let best = null, score = Infinity;
  for (const box of objects) {
    if (box.kind !== kind) continue;
    const x = box.x + box.width / 2, y = box.y + box.height / 2;
    const distance = was ? Math.abs(x - was.x) + Math.abs(y - was.y) : -box.width * box.height;
    if (distance < score) {
      score = distance;
      best = { x, y };
    }
  }
  return was && score > 60 ? null : best;
}
