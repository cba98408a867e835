/* Small drawings: bars of values, distributions of returns, a search tree, a learning curve. */
import { el } from "./dom.js";

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function prepare(canvas, height) {
  const scale = devicePixelRatio || 1, width = canvas.clientWidth || 300;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "11px system-ui, sans-serif";
  return { context, width, height };
}

const short = (value) => (value === 0 ? "0" : Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 1 ? value.toFixed(2) : value.toFixed(3));

/** A row for each action: name, bar, value. */
export function bars(box, rows) {
  const known = rows.map((row) => row.value).filter((value) => value !== null && Number.isFinite(value));
  const low = Math.min(0, ...known), high = Math.max(1e-9, ...known), span = high - low || 1;
  box.replaceChildren(
    ...rows.map(({ name, value, chosen, detail }) => {
      const part = value === null ? 0 : (value - low) / span;
      return el("div", { class: `barrow${chosen ? " chosen" : ""}` }, el("span", {}, name.toLowerCase()),
        el("div", { class: "track" }, el("i", { style: `width:${(100 * part).toFixed(1)}%` })),
        el("b", {}, value === null ? "–" : short(value)), detail ? el("small", {}, detail) : null);
    }),
  );
}

/** A small curve for each action: the predicted distribution of the return. */
export function densities(box, rows, view) {
  const { points, at, distribution, kind } = view;
  const canvases = rows.map(({ name, value, chosen }) => {
    const canvas = el("canvas", { role: "img", "aria-label": `Predicted returns of ${name.toLowerCase()}, mean ${short(value)}` });
    return { canvas, node: el("div", { class: `density${chosen ? " chosen" : ""}` }, el("span", {}, `${name.toLowerCase()}  ${short(value)}`), canvas) };
  });
  box.replaceChildren(...canvases.map(({ node }) => node));
  let low = Infinity, high = -Infinity;
  const lines = rows.map((row, action) => {
    const part = distribution.subarray(action * points, (action + 1) * points);
    const line = [];
    if (kind === "atoms") for (let i = 0; i < points; i++) line.push([at[i], part[i]]);
    else for (let i = 1; i < points; i++) line.push([(part[i] + part[i - 1]) / 2, (at[i] - at[i - 1]) / Math.max(1e-3, part[i] - part[i - 1])]);
    for (const [x] of line) {
      low = Math.min(low, x);
      high = Math.max(high, x);
    }
    return line;
  });
  canvases.forEach(({ canvas }, i) => {
    const { context, width, height } = prepare(canvas, 34);
    const most = Math.max(...lines[i].map(([, y]) => y), 1e-9), span = high - low || 1;
    context.fillStyle = css("--accent");
    context.beginPath();
    context.moveTo(0, height);
    for (const [x, y] of lines[i]) context.lineTo(((x - low) / span) * width, height - 2 - (y / most) * (height - 6));
    context.lineTo(width, height);
    context.fill();
    context.strokeStyle = css("--warm");
    context.beginPath();
    const mean = ((rows[i].value - low) / span) * width;
    context.moveTo(mean, 0);
    context.lineTo(mean, height);
    context.stroke();
  });
}

/** A search tree: a row for each step ahead, children under their parents, the chosen branch marked. */
export function tree(canvas, nodes, action) {
  const { context, width, height } = prepare(canvas, 150);
  const children = nodes.map(() => []);
  nodes.forEach((node, i) => node.parent >= 0 && children[node.parent].push(i));
  const leaves = new Float64Array(nodes.length);
  for (let i = nodes.length - 1; i >= 0; i--) leaves[i] = children[i].reduce((sum, child) => sum + leaves[child], 0) || 1;
  const deepest = Math.max(1, ...nodes.map((node) => node.depth));
  const x = new Float64Array(nodes.length), left = new Float64Array(nodes.length), wide = new Float64Array(nodes.length);
  wide[0] = width;
  nodes.forEach((node, i) => {
    let at = left[i];
    x[i] = left[i] + wide[i] / 2;
    for (const child of children[i]) {
      left[child] = at;
      wide[child] = (wide[i] * leaves[child]) / leaves[i];
      at += wide[child];
    }
  });
  const y = (depth) => 8 + (depth / deepest) * (height - 16);
  const values = nodes.slice(1).map((node) => node.value), low = Math.min(...values), high = Math.max(...values);
  const chosen = new Set([children[0].find((child) => nodes[child].action === action)]);
  nodes.forEach((node, i) => chosen.has(node.parent) && chosen.add(i));
  for (let i = 1; i < nodes.length; i++) {
    const { parent, depth, value } = nodes[i];
    const part = high > low ? (value - low) / (high - low) : 0.5;
    context.strokeStyle = chosen.has(i) ? css("--warm") : css("--accent");
    context.globalAlpha = 0.25 + 0.7 * part;
    context.lineWidth = chosen.has(i) ? 1.6 : 1;
    context.beginPath();
    context.moveTo(x[parent], y(depth - 1));
    context.lineTo(x[i], y(depth));
    context.stroke();
  }
  context.globalAlpha = 1;
}

/** Scores of episodes over the frames of training, their running mean, and the score of random play. */
export function curve(canvas, scores, random) {
  const { context, width, height } = prepare(canvas, 220);
  const pad = { left: 44, right: 10, top: 10, bottom: 24 };
  const high = Math.max(1, random ?? 0, ...scores.map((one) => one.score)) * 1.08, low = Math.min(0, ...scores.map((one) => one.score));
  const end = Math.max(1, scores.length ? scores.at(-1).frames : 1);
  let total = 0;
  const at = scores.map((one, i) => (Number.isFinite(one.frames) && scores.at(-1).frames > scores[0].frames ? one.frames / end : (i + 1) / scores.length));
  const X = (part) => pad.left + part * (width - pad.left - pad.right);
  const Y = (value) => height - pad.bottom - ((value - low) / (high - low)) * (height - pad.top - pad.bottom);
  context.strokeStyle = css("--line");
  context.fillStyle = css("--soft");
  for (let i = 0; i <= 4; i++) {
    const value = low + ((high - low) * i) / 4;
    context.beginPath();
    context.moveTo(pad.left, Y(value));
    context.lineTo(width - pad.right, Y(value));
    context.stroke();
    context.fillText(short(value), 4, Y(value) + 4);
  }
  context.fillText(scores.length ? `${scores.length} episodes` : "The curve appears here", pad.left, height - 7);
  if (random !== undefined && random !== null) {
    context.setLineDash([4, 4]);
    context.strokeStyle = css("--soft");
    context.beginPath();
    context.moveTo(pad.left, Y(random));
    context.lineTo(width - pad.right, Y(random));
    context.stroke();
    context.setLineDash([]);
  }
  context.fillStyle = css("--accent");
  context.globalAlpha = 0.45;
  scores.forEach((one, i) => context.fillRect(X(at[i]) - 1, Y(one.score) - 1, 2.5, 2.5));
  context.globalAlpha = 1;
  context.strokeStyle = css("--warm");
  context.lineWidth = 2;
  context.beginPath();
  scores.forEach((one, i) => {
    total += one.score - (i >= 20 ? scores[i - 20].score : 0);
    const mean = total / Math.min(20, i + 1);
    if (i) context.lineTo(X(at[i]), Y(mean));
    else context.moveTo(X(at[i]), Y(mean));
  });
  context.stroke();
  context.lineWidth = 1;
  canvas.setAttribute("aria-label", scores.length ? `Learning curve: ${scores.length} episodes, the last with score ${scores.at(-1).score}` : "Learning curve, empty");
}
