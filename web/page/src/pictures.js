/* Pictures of our own games for the picker: the engine plays each for a few seconds. */
import { Agent, Env, Rom, games } from "sixer";

/* How long the scripted player plays before the picture is taken, in frames. */
const FRAMES = { afterglow: 420, cragfast: 500, duskrain: 700, hearthring: 500, hedgelight: 420, sporefall: 500, undervault: 300, wispherd: 420 };

export function pictures() {
  const out = [];
  for (const { id, title } of games().filter((game) => game.imageInside)) {
    const rom = Rom.open(id);
    const env = new Env(rom, { sticky: 0, frameSkip: 1 });
    const agent = new Agent("scripted", undefined, 1);
    for (let i = 0; i < (FRAMES[id] ?? 400) && !env.status.over; i++) env.step(agent.act(env));
    out.push({ id, title, height: env.height, pixels: env.rgba() });
    agent.close();
    env.close();
    rom.close();
  }
  return { games: out, transfer: out.map((game) => game.pixels.buffer) };
}
