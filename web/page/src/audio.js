/* Sound: samples of the console go into a ring buffer in an AudioWorklet, which resamples them to the context's rate.
 *
 * A frame brings 512 samples, whatever the display does. The worklet changes its speed by up to 2 % so that the buffer
 * stays at about 70 ms: so it neither runs dry nor grows, and nobody hears the change. */

const WORKLET = `
class Ring extends AudioWorkletProcessor {
  constructor({ processorOptions: { rate } }) {
    super();
    this.step = rate / sampleRate;
    this.size = 1 << 14;
    this.ring = new Float32Array(this.size);
    this.read = 0; this.write = 0; this.last = 0; this.level = 0; this.gain = 0; this.dry = 0;
    this.target = rate * 0.07;
    this.port.onmessage = ({ data }) => {
      if (data === "stats") { this.port.postMessage({ dry: this.dry, filled: this.write - this.read }); return; }
      if (this.write - this.read > rate * 0.25) return;
      for (let i = 0; i < data.length; i++) this.ring[this.write++ & this.size - 1] = data[i] / 128;
    };
  }
  process(inputs, [[out]]) {
    const filled = this.write - this.read;
    if (!this.on && filled > this.target) this.on = true;
    const speed = this.step * (1 + Math.max(-0.02, Math.min(0.02, (filled - this.target) / this.target * 0.02)));
    for (let i = 0; i < out.length; i++) {
      let value = this.last;
      if (this.on && this.write - this.read > 2) {
        const at = Math.floor(this.read), part = this.read - at;
        value = this.ring[at & this.size - 1] * (1 - part) + this.ring[at + 1 & this.size - 1] * part;
        this.read += speed;
        this.gain = Math.min(1, this.gain + 0.01);
      } else {
        if (this.on) this.dry++;
        this.on = false;
        this.gain = Math.max(0, this.gain - 0.002);
      }
      this.last = value;
      this.level += (value - this.level) * 0.001; // the console's samples are all positive: take the middle away
      out[i] = (value - this.level) * this.gain * 0.5;
    }
    return true;
  }
}
registerProcessor("ring", Ring);`;

export class Sound {
  on = false;

  /** Needs a click or key of the person before it, as browsers ask. */
  async start(framesPerSecond = 59.92) {
    if (!this.context) {
      const Context = globalThis.AudioContext;
      if (!Context) throw new Error("this browser has no Web Audio");
      const context = new Context({ latencyHint: "interactive" });
      if (!context.audioWorklet) throw new Error("this browser has no AudioWorklet here");
      // a data URL: from the disk, pages have no origin and worklets do not load their blobs
      await context.audioWorklet.addModule(`data:text/javascript,${encodeURIComponent(WORKLET)}`);
      const node = new AudioWorkletNode(context, "ring", { numberOfInputs: 0, outputChannelCount: [1], processorOptions: { rate: 512 * framesPerSecond } });
      node.connect(context.destination);
      node.port.onmessage = ({ data }) => (this.stats = data);
      Object.assign(this, { context, node });
    }
    await this.context.resume();
    this.on = true;
  }

  stop() {
    this.on = false;
    this.context?.suspend();
  }

  play(samples) {
    if (this.on && samples?.length) this.node.port.postMessage(samples, [samples.buffer]);
  }

  askStats() {
    this.node?.port.postMessage("stats");
  }
}
