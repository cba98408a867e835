/* The picture: 160 columns of pixels that are 12/7 as wide as high (wider on PAL televisions), sharp at any size, and a
 * second canvas over it for what is drawn on top. */
import { $ } from "./dom.js";

const PAL = 7.375e6 / 3546894; // the pixel clock of square pixels over the TIA's

export class Screen {
  constructor() {
    this.canvas = $("screen");
    this.overlay = $("overlay");
    this.context = this.canvas.getContext("2d", { alpha: false, willReadFrequently: true });
    this.top = this.overlay.getContext("2d");
    this.height = 210;
    new ResizeObserver(() => this.#fit()).observe(this.canvas);
  }

  shape(height, format) {
    const aspect = format === "PAL" || format === "SECAM" ? PAL : 12 / 7;
    this.height = height;
    $("bezel").style.setProperty("--shape", `${160 * aspect} / ${height}`);
    $("bezel").style.setProperty("--ratio", String((160 * aspect) / height));
  }

  /** RGBA bytes, `height` rows of 160. */
  show(pixels, height) {
    if (this.canvas.height !== height) this.canvas.height = height;
    this.height = height;
    this.context.putImageData(new ImageData(pixels, 160, height), 0, 0);
    this.pixels = pixels;
  }

  #fit() {
    const box = this.canvas.getBoundingClientRect(), scale = devicePixelRatio || 1;
    this.overlay.width = Math.max(1, Math.round(box.width * scale));
    this.overlay.height = Math.max(1, Math.round(box.height * scale));
    this.redraw?.();
  }

  /** Draw over the picture in the coordinates of its pixels. */
  draw(paint) {
    const { top, overlay } = this;
    this.redraw = paint ? () => this.#paint(paint) : null;
    if (paint) this.#paint(paint);
    else top.clearRect(0, 0, overlay.width, overlay.height);
  }
  #paint(paint) {
    const { top, overlay } = this;
    top.setTransform(1, 0, 0, 1, 0, 0);
    top.clearRect(0, 0, overlay.width, overlay.height);
    top.setTransform(overlay.width / 160, 0, 0, overlay.height / this.height, 0, 0);
    paint(top, overlay.width / 160, overlay.height / this.height);
  }

  /** The pixel under a pointer. */
  pixelAt(event) {
    const box = this.canvas.getBoundingClientRect();
    // clicks come with whole numbers, rounded down
    const x = Math.floor(((Math.floor(event.clientX) + 0.5 - box.left) / box.width) * 160);
    const y = Math.floor(((Math.floor(event.clientY) + 0.5 - box.top) / box.height) * this.height);
    return { x: Math.max(0, Math.min(159, x)), y: Math.max(0, Math.min(this.height - 1, y)) };
  }
}

/** Show gray bytes or RGBA in a small canvas of its own. */
export function picture(canvas, pixels, width, height, gray = false) {
  canvas.width = width;
  canvas.height = height;
  const data = new ImageData(width, height);
  if (gray) for (let i = 0; i < width * height; i++) data.data.set([pixels[i], pixels[i], pixels[i], 255], 4 * i);
  else data.data.set(pixels);
  canvas.getContext("2d").putImageData(data, 0, 0);
}
