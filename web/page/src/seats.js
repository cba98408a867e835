/* Who sits where in a game for several players: people at the keyboard and at pads, and an agent for each of the other players.
 * As `sixer play --players N --against AGENT`: agents decide at every frame, those that plan at every fifth, and hold their
 * action in between. */
import { Agent, Model } from "sixer";

const SEARCH = { uct: { simulations: 0, frames: 300, reuse: 1 }, "rollout-iw1": { frames: 300 } };
const PERIOD = 5; // frames of a decision of a planner
const LETTERS = ["", "B", "C", "D"]; // of the fields of an input

export class Seats {
  #agents = []; // by player: { agent, actions, period, left, action } or null for a person

  /** `against`: null for people only, { name } for an agent, { model } for the bytes of a checkpoint. With people only there are as
   *  many people as players; else one. */
  constructor(rom, players, against) {
    this.players = players;
    this.against = against;
    this.config = {}; // what the env must be like for these agents
    try {
      for (let player = 0; player < players; player++) this.#agents.push(against && player > 0 ? this.#seat(rom, player) : null);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #seat(rom, player) {
    const { name, model } = this.against;
    const seat = { actions: rom.playerActions(this.players), period: SEARCH[name] ? PERIOD : 1, left: 0, action: 0 };
    if (model) {
      const opened = Model.open(model);
      try {
        if (opened.setting("game") !== rom.info.game) throw Object.assign(new Error(`The model plays ${opened.setting("game")}, not ${rom.info.game}.`), { code: "image" });
        const { config, actions } = opened.config(rom);
        seat.agent = opened.agent(rom);
        Object.assign(seat, { actions, period: config.frameSkip });
        this.config = { colorAveraging: config.colorAveraging };
      } finally {
        opened.close();
      }
    } else seat.agent = new Agent(name, SEARCH[name], player);
    seat.agent.evaluate(true);
    seat.agent.sit(player);
    return seat;
  }

  get people() {
    return this.#agents.filter((seat) => !seat).length;
  }

  /** The input of the next frame: what people do, and what agents choose. */
  fill(env, input) {
    const now = env.playersResult;
    const filled = { ...input, strengthB: 1, strengthC: 1, strengthD: 1 };
    for (let player = 0; player < 4; player++) {
      const field = `action${LETTERS[player]}`, seat = this.#agents[player];
      if (seat) {
        if (seat.left-- <= 0 && !now.ended[player]) {
          seat.action = seat.agent.act(env, seat.actions);
          seat.left = seat.period - 1;
        }
        filled[field] = seat.action;
      }
      if (player >= this.players || now.lives[player] < 0) filled[field] = 0; // nobody, or out
    }
    return filled;
  }

  /** The game begins again, or jumps. */
  reset() {
    for (const seat of this.#agents) {
      if (!seat) continue;
      seat.agent.reset();
      Object.assign(seat, { left: 0, action: 0 });
    }
  }

  close() {
    for (const seat of this.#agents) seat?.agent?.close();
    this.#agents = [];
  }
}
