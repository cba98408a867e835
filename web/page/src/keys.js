/* The dialog with all keys, where they can be changed. */
import { $, el } from "./dom.js";
import { COMMANDS, keyName } from "./input.js";

export function keysDialog(input) {
  const dialog = $("keysdialog");
  let waiting = null;

  const fill = () => {
    waiting = null;
    $("keytable").replaceChildren(
      ...COMMANDS.map(([command, text]) => {
        const keys = input.keys[command].map(keyName).join(", ") || "none";
        const button = el("button", { type: "button", "aria-label": `${text}: ${keys}. Change`, "data-key": command, click: () => wait(command, button) }, keys);
        return el("label", {}, el("span", {}, text), button);
      }),
    );
  };
  const wait = (command, button) => {
    waiting = command;
    button.textContent = "press a key …";
  };

  dialog.addEventListener("keydown", (event) => {
    if (!waiting) return;
    event.preventDefault();
    event.stopPropagation();
    const command = waiting;
    if (event.code !== "Escape") input.set(command, [event.code]);
    fill();
    dialog.querySelector(`[data-key="${command}"]`).focus();
  });
  $("keys").addEventListener("click", () => {
    fill();
    dialog.showModal();
  });
  $("keysdefault").addEventListener("click", () => {
    input.reset();
    fill();
  });
  dialog.addEventListener("close", () => $("screen").focus({ preventScroll: true }));
}
