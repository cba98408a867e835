/* sixer for JavaScript: everything that the package exports. sixer.d.ts is the manual. */
import { call, textAt } from "./lib/engine.js";

export { load, SixerError } from "./lib/engine.js";
export { Action, Switch, actionName, games, Rom, Env } from "./lib/env.js";
export { Vec } from "./lib/vec.js";
export { Agent, Model, Train } from "./lib/agent.js";
export { Inspector } from "./lib/inspect.js";
export { Recorder, Tape } from "./lib/tape.js";

export function version() { return textAt(call("web_version")); }
export function behavior() { return call("web_behavior"); }
