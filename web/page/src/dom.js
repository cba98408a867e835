/* Small helpers for the page: elements, messages, storage, files. */

export const $ = (id) => document.getElementById(id);

/** An element with attributes (functions are listeners) and children. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Say something to the person: one sentence, and what to do. Errors stay until they are closed. */
export function say(text, kind = "note", action = null) {
  const node = el("div", { class: `message ${kind}`, role: kind === "error" ? "alert" : null }, el("span", {}, text));
  if (action) node.append(el("button", { click: () => (node.remove(), action.run()) }, action.label));
  node.append(el("button", { class: "close", "aria-label": "Close this message", click: () => node.remove() }, "×"));
  const box = $("messages");
  while (box.children.length >= 3) box.firstChild.remove();
  box.append(node);
  if (kind !== "error") setTimeout(() => node.remove(), 9000);
  return node;
}

/** Values of this device; nothing is kept if the browser does not allow it. */
export const store = {
  get(name, otherwise = null) {
    try {
      const text = localStorage.getItem(`sixer.${name}`);
      return text === null ? otherwise : JSON.parse(text);
    } catch {
      return otherwise;
    }
  },
  set(name, value) {
    try {
      if (value === null) localStorage.removeItem(`sixer.${name}`);
      else localStorage.setItem(`sixer.${name}`, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  },
};

export function download(bytes, name) {
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function toBase64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}

export function fromBase64(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

async function through(bytes, stream) {
  const response = new Response(new Blob([bytes]).stream().pipeThrough(stream));
  return new Uint8Array(await response.arrayBuffer());
}
export const pack = (bytes) => through(bytes, new CompressionStream("deflate-raw"));
export const unpack = (bytes, format = "deflate-raw") => through(bytes, new DecompressionStream(format));

export const hex = (value, digits = 2) => value.toString(16).toUpperCase().padStart(digits, "0");

/** The focus of a click with the mouse goes back to the game, so that the space bar does not press the button again. */
export const byPointer = (event) => event.detail > 0;
