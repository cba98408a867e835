/* The view "Watch it think": agents and planners with their trees, trained models with what they predict, and training in
 * the page. All of it runs in a second worker. */
import { $, download, el, say } from "./dom.js";
import { picture } from "./screen.js";
import { bars, curve, densities, tree } from "./plots.js";

const TABS = ["plan", "model", "train"];

export class ThinkView {
  constructor(app) {
    this.app = app;
    this.running = null; // "plan", "model" or "train"
    this.queue = []; // pictures to be shown, one per refresh
    this.tab = "plan";
    this.scores = [];
    for (const tab of TABS) {
      $(`tab-${tab}`).addEventListener("click", () => this.#showTab(tab));
      $(`tab-${tab}`).addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!by) return;
        const next = TABS[(TABS.indexOf(tab) + by + 3) % 3];
        this.#showTab(next);
        $(`tab-${next}`).focus();
      });
    }
    for (const id of ["agent", "budget"]) $(id).addEventListener("change", () => this.#choose());
    $("plan-run").addEventListener("click", () => this.#toggle("plan"));
    $("plan-step").addEventListener("click", () => this.#once("plan"));
    $("plan-new").addEventListener("click", () => this.#choose(true));
    $("model-file").addEventListener("click", () => $("chooser").click());
    $("model-run").addEventListener("click", () => this.#toggle("model"));
    $("model-step").addEventListener("click", () => this.#once("model"));
    $("model-new").addEventListener("click", () => this.#restart());
    $("saliency").addEventListener("change", () => this.app.screen.draw(null));
    $("train-run").addEventListener("click", () => this.#toggle("train"));
    $("train-save").addEventListener("click", () => this.#saveModel());
    $("train-watch").addEventListener("click", () => this.#watchTrained());
    for (const id of ["train-game", "train-agent"]) $(id).addEventListener("change", () => this.#dropTraining());
  }

  games(list) {
    $("train-game").replaceChildren(...list.map(({ id, title }) => el("option", { value: id }, title)));
    $("train-game").value = "duskrain";
  }

  active(on) {
    if (!on) {
      this.stop();
      this.queue = [];
      return;
    }
    this.app.attempt(async () => {
      const engine = await this.app.thinkEngine();
      if (!$("agent").children.length) {
        const { agents } = await engine.call("think.agents");
        this.agents = agents;
        $("agent").replaceChildren(...agents.map(({ name }) => el("option", { value: name }, name)));
        $("agent").value = "rollout-iw1";
      }
      this.#agentNote();
      if (this.tab === "plan") await this.#choose();
    });
  }

  #showTab(tab) {
    this.stop();
    this.tab = tab;
    this.app.screen.draw(null);
    for (const other of TABS) {
      $(`tab-${other}`).setAttribute("aria-selected", String(other === tab));
      $(`tab-${other}`).tabIndex = other === tab ? 0 : -1;
      $(`think-${other}`).hidden = other !== tab;
    }
    this.repaint();
  }

  repaint() {
    if (this.tab === "train") this.#drawCurve();
    else if (this.last) this.#show(this.last);
  }

  /* ---- Playing ------------------------------------------------------------------------------------------------ */

  #agentNote() {
    const agent = this.agents?.find(({ name }) => name === $("agent").value);
    $("agentnote").textContent = agent ? `${agent.summary.charAt(0).toUpperCase()}${agent.summary.slice(1)}.` : "";
    $("budget").disabled = $("trail").disabled = !agent?.plans;
  }

  /** The chosen agent in the game that the person plays, from where it is. */
  #choose(fresh = false) {
    const { app } = this;
    this.#agentNote();
    const running = this.running === "plan";
    this.stop();
    return app.attempt(async () => {
      const engine = await app.thinkEngine();
      // agents here play for one: a game for several begins anew
      const state = fresh || !app.playing || app.status?.over || app.seats.players > 1 ? null : (await app.call("save", { picture: true })).bytes;
      const out = await engine.call("think.begin", { rom: app.image ?? { id: "hedgelight" }, agent: $("agent").value, frames: Number($("budget").value), state, flavor: {} });
      this.ready = "plan";
      this.actions = out.actions;
      this.last = null;
      app.screen.shape(out.height, out.info.format);
      this.#picture(out);
      $("planfacts").textContent = `${out.info.title}: ${out.actions.length} actions`;
      $("planbars").replaceChildren();
      if (running) this.#toggle("plan");
    });
  }

  #picture({ pixels, height }) {
    this.queue = [];
    this.app.screen.show(pixels, height);
    this.app.screen.draw(null);
  }

  stop() {
    this.running = null;
    this.#buttons();
  }

  stopped() {
    this.ready = null;
    this.training = null;
    this.stop();
  }

  #buttons() {
    $("plan-run").textContent = this.running === "plan" ? "Stop" : "Let it play";
    $("model-run").textContent = this.running === "model" ? "Stop" : "Let it play";
    $("train-run").textContent = this.running === "train" ? "Stop" : this.training ? "Go on" : "Train";
  }

  async #toggle(what) {
    if (this.running === what) {
      this.stop();
      return;
    }
    this.running = what;
    this.#buttons();
    if (what === "train") await this.#train();
    else this.#loop(what);
  }

  async #loop(what) {
    while (this.running === what && this.app.view === "think") {
      if (!(await this.#decide(what))) break;
      // wait until the pictures of this decision are shown
      while (this.queue.length > 3 && this.running === what) await new Promise((done) => setTimeout(done, 8));
    }
    if (this.running === what) this.stop();
  }

  #once(what) {
    this.stop();
    return this.#decide(what);
  }

  #decide(what) {
    const { app } = this;
    return app.attempt(async () => {
      if (what === "plan" && this.ready !== "plan") await this.#choose();
      // the worker has one agent: it was another one's turn
      if (what === "model" && this.ready !== "model") this.#modelLoaded(await this.#loadModel(this.modelBytes));
      const engine = await app.thinkEngine();
      const out = await engine.call("think.decide", { trail: $("trail").value, saliency: what === "model" && $("saliency").checked ? 12 : 0 });
      this.last = out;
      this.#show(out);
      return true;
    });
  }

  #show(out) {
    for (const pixels of out.pictures ?? []) if (pixels.byteLength) this.queue.push({ pixels, height: out.height });
    out.pictures = [];
    if (this.tab === "plan") this.#showPlan(out);
    else if (this.tab === "model") this.#showModel(out);
  }

  refresh() {
    const next = this.queue.shift();
    if (next) this.app.screen.show(next.pixels, next.height);
  }

  #showPlan(out) {
    const { status, stats, action } = out;
    const parts = [`chose ${out.name}`, `score ${status.score}`, `lives ${status.lives}`];
    if (stats) parts.push(`${stats.nodes} nodes, ${stats.depth} steps deep`, `${Math.round(out.seconds * 1000)} ms, ${Math.round(stats.frames / Math.max(out.seconds, 0.001) / 1000)} k frames/s`);
    $("planfacts").textContent = parts.join(" · ");
    if (!out.tree?.length) {
      this.app.screen.draw(null);
      $("planbars").replaceChildren();
      $("plantree").hidden = true;
      return;
    }
    const children = out.tree.filter((node) => node.parent === 0);
    const rows = this.actions.map(({ action: code, name }) => {
      const node = children.find((child) => child.action === code);
      return { name, value: node ? node.value : null, chosen: code === action, detail: node?.visits > 1 ? `${node.visits} visits` : "" };
    });
    bars($("planbars"), rows);
    $("plantree").hidden = false;
    tree($("plantree"), out.tree, action);
    this.#trails(out.trails);
  }

  #trails(trails) {
    if (!trails?.length) {
      this.app.screen.draw(null);
      return;
    }
    const values = trails.map((line) => line.value);
    const low = Math.min(...values), high = Math.max(...values);
    this.app.screen.draw((top, sx) => {
      top.lineCap = "round";
      for (const { from, to, value } of trails) {
        const part = high > low ? (value - low) / (high - low) : 0.5;
        top.strokeStyle = `hsl(${200 - 160 * part} 90% ${55 + 20 * part}% / ${0.25 + 0.6 * part})`;
        top.lineWidth = (1.5 + 2.5 * part) / sx;
        top.beginPath();
        top.moveTo(from.x, from.y);
        top.lineTo(to.x, to.y);
        top.stroke();
      }
    });
  }

  /* ---- Models ------------------------------------------------------------------------------------------------- */

  openModel(bytes, image = null) {
    const { app } = this;
    this.#showTab("model");
    return app.attempt(async () => {
      const out = await this.#loadModel(bytes, image);
      this.modelBytes = bytes;
      this.modelGame = out.info.game;
      app.play.modelOpened();
      this.#modelLoaded(out);
      const { agent, game, seed, progress } = out.model;
      $("modelfacts").textContent = `${agent} on ${out.info.title}, seed ${seed}: ${progress.frames.toLocaleString()} frames, ${progress.episodes.toLocaleString()} episodes of training${Number.isFinite(progress.mean) ? `, mean score ${progress.mean.toFixed(1)}` : ""}.`;
      for (const id of ["model-run", "model-step", "model-new"]) $(id).disabled = false;
      $("saliency").disabled = !out.network;
      app.screen.shape(out.height, out.info.format);
      this.#picture(out);
      $("modelbars").replaceChildren();
      $("modelstack").replaceChildren();
      say(`A model of ${agent} for ${game}.`);
    }, "Only checkpoints of the same version of sixer can be opened.");
  }

  /** Its game is one of ours, or the image that is open. */
  async #loadModel(bytes, image = null) {
    const engine = await this.app.thinkEngine();
    const own = this.app.image?.bytes ? this.app.image : null;
    try {
      return await engine.call("think.openModel", { bytes, image });
    } catch (error) {
      if (error.code !== "image" || !own) throw error;
      return engine.call("think.openModel", { bytes, image: own });
    }
  }

  #modelLoaded(out) {
    this.ready = "model";
    this.actions = out.actions;
    this.last = null;
  }

  #restart() {
    this.stop();
    return this.app.attempt(async () => {
      if (this.ready !== "model") this.#modelLoaded(await this.#loadModel(this.modelBytes));
      const engine = await this.app.thinkEngine();
      this.#picture(await engine.call("think.restart"));
    });
  }

  #showModel(out) {
    const { view, status } = out;
    const facts = `chose ${out.name} · score ${status.score} · lives ${status.lives}`;
    if (!view) { // an agent that does not predict
      $("modelbars").replaceChildren(el("p", { class: "facts" }, facts));
      return;
    }
    const rows = this.actions.map(({ action, name }, i) => ({ name, value: view.values[i], chosen: action === out.action }));
    if (view.kind === "none") bars($("modelbars"), rows);
    else densities($("modelbars"), rows, view);
    const linear = out.linear ? ` · ${out.linear.active.toLocaleString()} of ${out.linear.features.toLocaleString()} features active` : "";
    $("modelbars").prepend(el("p", { class: "facts" }, facts + linear));
    $("modelstack").replaceChildren(...[...$("modelstack").children].slice(0, view.frames));
    const size = view.width * view.height;
    while ($("modelstack").children.length < view.frames) $("modelstack").append(el("canvas", { role: "img", "aria-label": "What the network sees" }));
    for (let i = 0; i < view.frames; i++) picture($("modelstack").children[i], view.pixels.subarray(i * size, (i + 1) * size), view.width, view.height, true);
    this.#saliency(out.saliency, out.cells);
  }

  #saliency(map, cells) {
    if (!map || !$("saliency").checked) {
      this.app.screen.draw(null);
      return;
    }
    const most = Math.max(...map, 1e-12), height = this.app.screen.height;
    this.app.screen.draw((top) => {
      for (let row = 0; row < cells; row++)
        for (let column = 0; column < cells; column++) {
          const part = map[row * cells + column] / most;
          top.fillStyle = `rgb(255 40 30 / ${(0.65 * part).toFixed(3)})`;
          top.fillRect((column * 160) / cells, (row * height) / cells, 160 / cells, height / cells);
        }
    });
  }

  /* ---- Training ----------------------------------------------------------------------------------------------- */

  #dropTraining() {
    this.stop();
    this.training = null;
    this.scores = [];
    $("train-save").disabled = $("train-watch").disabled = true;
    $("trainfacts").textContent = "";
    this.#drawCurve();
    this.#buttons();
  }

  async #train() {
    const { app } = this;
    const done = await app.attempt(async () => {
      const engine = await app.thinkEngine();
      if (!this.training) {
        const agent = $("train-agent").value;
        const options = OPTIONS[agent];
        const { random } = await engine.call("think.trainStart", { game: $("train-game").value, agent, options });
        this.training = { game: $("train-game").value, agent, random };
        this.scores = [];
      }
      $("train-save").disabled = $("train-watch").disabled = false;
      this.#buttons();
      let began = performance.now(), from = null;
      while (this.running === "train" && app.view === "think") {
        const out = await engine.call("think.trainRun", { ms: 150 });
        this.scores.push(...out.scores);
        const { progress } = out;
        from ??= progress.frames;
        const speed = (progress.frames - from) / ((performance.now() - began) / 1000);
        const mean = this.scores.slice(-20).reduce((sum, one) => sum + one.score, 0) / Math.max(1, Math.min(20, this.scores.length));
        $("trainfacts").textContent = `${progress.frames.toLocaleString()} frames · ${progress.episodes} episodes · mean of the last 20: ${this.scores.length ? mean.toFixed(1) : "none yet"} · ${Math.round(speed).toLocaleString()} frames/s`;
        if (out.pixels) app.screen.show(out.pixels, out.height);
        this.#drawCurve();
        if (progress.trained) break;
      }
      return true;
    }, "Choose another learner or game and train again.");
    if (!done) this.training = null;
    if (this.running === "train") this.stop();
  }

  #drawCurve() {
    curve($("curve"), this.scores, this.training?.random);
  }

  #model() {
    return this.app.attempt(async () => (await (await this.app.thinkEngine()).call("think.trainSave")).bytes);
  }

  async #saveModel() {
    this.stop();
    const bytes = await this.#model();
    if (bytes) download(bytes, `${this.training.agent}_${this.training.game}_1.checkpoint`);
  }

  async #watchTrained() {
    this.stop();
    const bytes = await this.#model();
    if (!bytes) return;
    await this.openModel(bytes);
    if (this.ready === "model") this.#toggle("model");
  }
}

/* A network of half the preset's size, updated less often: some 330 frames per second of processor time instead of 100. */
const SMALL = "preset=quick,size=28,hidden=64,period=3,epsilon_steps=2500";
const OPTIONS = { sarsa: "preset=machado2018,alpha=1,epsilon=0.05", dqn: SMALL, c51: SMALL };
