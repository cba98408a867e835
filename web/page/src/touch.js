/* Fingers and the mouse: a stick and a button over the picture on touch screens; in paddle games, the pointer's place is
 * the paddle's and pressing is the button. */
import { $ } from "./dom.js";

export function touchControls(app) {
  const { input } = app;
  const stick = $("stick"), knob = stick.firstElementChild, fire = $("fire");

  const move = (event) => {
    const box = stick.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width - 0.5, y = (event.clientY - box.top) / box.height - 0.5;
    input.touch.x = Math.abs(x) > 0.14 ? Math.sign(x) : 0;
    input.touch.y = Math.abs(y) > 0.14 ? Math.sign(y) : 0;
    knob.style.transform = `translate(${Math.max(-0.4, Math.min(0.4, x)) * 100}%, ${Math.max(-0.4, Math.min(0.4, y)) * 100}%)`;
  };
  const release = () => {
    input.touch.x = input.touch.y = 0;
    knob.style.transform = "";
  };
  stick.addEventListener("pointerdown", (event) => {
    stick.setPointerCapture(event.pointerId);
    move(event);
    event.preventDefault();
  });
  stick.addEventListener("pointermove", (event) => event.buttons && move(event));
  for (const end of ["pointerup", "pointercancel"]) stick.addEventListener(end, release);

  const press = (down) => (event) => {
    input.touch.fire = down;
    fire.classList.toggle("down", down);
    event.preventDefault();
  };
  fire.addEventListener("pointerdown", press(true));
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) fire.addEventListener(end, press(false));

  // the paddle
  const canvas = $("screen");
  const paddle = (event) => {
    if (!app.info?.paddles || app.view !== "play") return;
    const box = canvas.getBoundingClientRect();
    input.paddle = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
  };
  canvas.addEventListener("pointermove", paddle);
  canvas.addEventListener("pointerdown", (event) => {
    if (!app.info?.paddles || app.view !== "play") return;
    paddle(event);
    input.mouseFire = true;
  });
  addEventListener("pointerup", () => (input.mouseFire = false));
}
