/* Time: how many frames are due at each refresh of the display.
 *
 * Time is accumulated, so a game runs at its own speed on displays of 50, 60, 75, 120 or 144 Hz. If the display's rate is
 * within 2 % of the console's, every refresh is a frame: that is smooth, and the sound adapts. */

export class Clock {
  constructor(rate = 59.92) {
    this.rate = rate;
    this.reset();
    this.intervals = [];
    this.late = 0; // frames that came after the refresh in which they were due
    this.shown = 0;
  }

  reset() {
    this.before = null;
    this.due = 0;
  }

  /** The refresh at `now` (ms): how many frames to run at this speed. At most `most`, the rest is given up. */
  tick(now, speed = 1, most = 4) {
    if (this.before === null) {
      this.before = now;
      return speed >= 1 ? Math.round(speed) : 0;
    }
    const passed = now - this.before;
    this.before = now;
    if (passed > 250) return Math.max(1, Math.round(speed)); // the tab was hidden, or the computer slept
    this.intervals.push(passed);
    if (this.intervals.length > 61) this.intervals.shift();
    const period = 1000 / this.rate;
    const refresh = this.refresh();
    const locked = refresh && Math.abs(refresh - period) < 0.02 * period;
    this.due += locked ? (Math.max(1, Math.round(passed / refresh)) * speed) : (passed / period) * speed;
    const frames = Math.min(Math.floor(this.due + 1e-6), Math.ceil(most * speed));
    this.due -= Math.floor(this.due + 1e-6);
    if (speed === 1) {
      this.late += Math.max(0, frames - 1);
      this.shown += frames;
    }
    return frames;
  }

  /** Median interval of the display's refreshes. */
  refresh() {
    if (this.intervals.length < 20) return null;
    const sorted = [...this.intervals].sort((a, b) => a - b);
    return sorted[sorted.length >> 1];
  }
}
