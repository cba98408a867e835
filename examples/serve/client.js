// An agent in JavaScript (Node.js), speaking with `sixer serve` in lines of JSON (docs/serve.md).
//
//   sixer serve --socket /tmp/sixer.sock &
//   node examples/serve/client.js /tmp/sixer.sock
const net = require("net");
const readline = require("readline");

const socket = net.connect(process.argv[2]);
const replies = readline.createInterface({ input: socket })[Symbol.asyncIterator]();

async function ask(request) {
  socket.write(JSON.stringify(request) + "\n");
  const reply = JSON.parse((await replies.next()).value);
  if (!reply.ok) throw new Error(reply.error);
  return reply;
}

(async () => {
  const { actions } = await ask({ do: "make", game: "duskrain", seed: 1, frame_skip: 4 });
  for (let episode = 0; episode < 3; episode++) {
    let state = await ask({ do: "reset" }), score = 0, steps = 0;
    for (; !state.over; steps++) {
      state = await ask({ do: "step", action: actions[Math.floor(steps / 8) % actions.length] });
      score += state.reward;
    }
    console.error(`score ${score} after ${steps} steps`);
  }
  socket.end();
})();
