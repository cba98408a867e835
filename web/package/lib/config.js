/* Settings: from objects of JavaScript to the C structs and back. The names come from the engine; words stand for the
 * values of enums. */
import { SixerError, call, numbers, textAt } from "./engine.js";

const words = {
  core: ["auto", "plain", "interp", "jit"],
  scoring: ["ale", "fixed"],
  dialect: ["sixer", "ma"],
  obs: ["gray", "rgb", "palette", "ram"],
  pool: ["none", "max", "mean"],
  actions: ["minimal", "legal", "codes"],
  lifeLoss: ["plain", "info", "end"],
  autoreset: ["next", "same", "off"],
};

let fields = null; // name -> index, kind; in the engine's order
let envFields = 0;

function allFields() {
  if (fields) return fields;
  fields = new Map();
  envFields = call("web_config_env_names");
  for (let i = 0; ; i++) {
    const name = textAt(call("web_config_name", i));
    if (!name) break;
    const camel = name.replace(/_([a-z])/g, (_, c) => c.toUpperCase());
    fields.set(camel, { index: i, kind: String.fromCharCode(call("web_config_kind", i)) });
  }
  return fields;
}

function valueOf(name, kind, value) {
  const fail = (wanted) => {
    throw new SixerError("config", `${name} must be ${wanted}, not ${JSON.stringify(value) ?? String(value)}`);
  };
  if (words[name]) {
    const index = words[name].indexOf(value);
    return index >= 0 ? index : fail(words[name].map((w) => `"${w}"`).join(" or "));
  }
  if (kind === "b") return typeof value === "boolean" ? Number(value) : fail("true or false");
  if (typeof value !== "number") fail("a number");
  if (kind === "f") return value;
  const [low, high] = kind === "u" ? [0, 4294967295] : [-2147483648, 2147483647];
  return Number.isInteger(value) && value >= low && value <= high ? value : fail(`a whole number from ${low} to ${high}`);
}

/** Fill the engine's config in: the defaults of an env or a vec, and what is given. */
export function giveConfig(config = {}, vec = false) {
  call("web_config_begin", vec ? 1 : 0);
  changeConfig(config, vec);
}

/** Change the config that is in the engine. */
export function changeConfig(config, vec = false) {
  const known = allFields();
  for (const [name, value] of Object.entries(config)) {
    if (value === undefined) continue;
    const field = known.get(name);
    if (!field || (!vec && field.index >= envFields)) {
      const names = [...known.keys()].slice(0, vec ? undefined : envFields);
      throw new SixerError("config", `there is no setting "${name}"; there are ${names.join(", ")}`);
    }
    call("web_config_set", field.index, valueOf(name, field.kind, value));
  }
}

/** The settings of an env, from the numbers of the last call. */
export function takeConfig() {
  const config = {};
  const values = numbers();
  for (const [name, { index, kind }] of allFields()) {
    if (index >= envFields) break;
    const value = values[index];
    config[name] = words[name] ? words[name][value] : kind === "b" ? value !== 0 : value;
  }
  return config;
}
