/* Pictures of our own games for the picker: the engine plays each for a few seconds. */
import { Agent, Env, Rom, games } from "sixer";

/* How long the scripted player plays before the picture is taken, in frames. */
const FRAMES = { afterglow: 420, cragfast: 500, duskrain: 700, hearthring: 500, hedgelight: 420, sporefall: 500, undervault: 300, wispherd: 420 };

/** Our own games: ids and titles. */
export function ownGames() {
  return { games: games().filter((game) => game.imageInside).map(({ id, title }) => ({ id, title })) };
}

export function pictureOf({ id }) {
  const rom = Rom.open(id);
  const env = new Env(rom, { sticky: 0, frameSkip: 1 });
  const agent = new Agent("scripted", undefined, 1);
  try {
    for (let i = 0; i < (FRAMES[id] ?? 400) && !env.status.over; i++) env.step(agent.act(env));
    const pixels = env.rgba();
    return { height: env.height, pixels, transfer: [pixels.buffer] };
  } finally {
    agent.close();
    env.close();
    rom.close();
  }
}
