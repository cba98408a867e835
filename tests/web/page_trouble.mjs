/* Tests of the page in trouble: workers that die, no sound, no storage, no memory; and whether it can be used without a mouse. See
 * test_page.mjs. */
import assert from "node:assert/strict";
import { QUIET, choose, file, message, ready, running, until } from "./page_helpers.mjs";

export const troubleTests = {
  async "the engine dies and the game goes on"(page) {
    await choose(page, "hedgelight");
    await page.waitForTimeout(1500);
    await page.evaluate(() => sixerPage.engine.call("crash").catch(() => {}));
    await message(page, /has stopped/);
    await until(page, () => sixerPage.engine.state !== "dead" && sixerPage.playing);
    await running(page);
    await page.evaluate(() => sixerPage.engine.die("the test killed it"));
    await message(page, /has stopped/);
    await running(page);
    // a worker that throws outside of a request
    await page.evaluate(() => sixerPage.engine.worker.onerror(new ErrorEvent("error", { message: "out of luck" })));
    await message(page, /has stopped \(out of luck\)/);
    await running(page);
    // one that does not answer any more
    await page.evaluate(() => {
      sixerPage.engine.waiting.set(-1, { op: "frames", since: performance.now() - 30000, reject: () => {} });
    });
    await message(page, /did not answer for 20 seconds/);
    await running(page);
  },

  async "the worker that plans dies and the game goes on"(page) {
    await choose(page, QUIET);
    await page.click("[data-view=think]");
    await page.click("#tab-plan");
    await page.click("#plan-step");
    await until(page, () => sixerPage.think.ready === "plan" && sixerPage.think.last);
    await page.evaluate(() => sixerPage.thinking.call("crash").catch(() => {}));
    await message(page, /plans and learns has stopped.*Your game goes on/);
    await page.evaluate(() => (sixerPage.think.last = null));
    await page.click("#plan-step");
    await until(page, () => sixerPage.think.last, null);
    await page.click("[data-view=play]");
    await running(page);
  },

  async "memory runs out: a sentence, and the game goes on"(page) {
    await choose(page, QUIET);
    await page.evaluate(() => sixerPage.attempt(async () => {
      const engine = await sixerPage.thinkEngine();
      await engine.call("think.trainStart", { game: "duskrain", agent: "dqn", options: "preset=quick,memory=100000000" });
      await engine.call("think.trainRun", { ms: 100 });
    }));
    await message(page, /100000000 steps may take .* Close other tabs/);
    // the browser itself has none left
    await page.evaluate(() => sixerPage.attempt(() => Promise.reject(Object.assign(new Error("Array buffer allocation failed"), { code: "memory" }))));
    await message(page, /allocation failed\. Close other tabs/);
    await page.evaluate(() => sixerPage.play.openFile({ name: "huge.bin", size: 2 ** 40 }));
    await message(page, /huge\.bin has 1048576 MB/);
    await running(page);
  },

  async "without workers, sound, WebGL and storage the page works, and says so"(page, { context }) {
    const other = await context.newPage();
    await other.addInitScript(() => {
      globalThis.sixerNoWorkers = true;
      delete globalThis.AudioContext;
      const { getContext } = HTMLCanvasElement.prototype;
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        return /webgl|webgpu/.test(kind) ? null : getContext.call(this, kind, ...rest);
      };
      Storage.prototype.setItem = () => {
        throw new DOMException("denied", "QuotaExceededError");
      };
    });
    await other.goto(file);
    await message(other, /workers are not allowed/);
    await ready(other);
    await other.click("#start");
    await message(other, /no sound here/);
    await running(other);
    await other.click("#save");
    await message(other, /keeps nothing.*Use Export/);
    await other.click("[data-view=think]");
    await until(other, () => sixerPage.think.ready === "plan");
    await other.selectOption("#budget", "500");
    await other.click("#plan-step");
    await until(other, () => sixerPage.think.last);
    await other.close();
  },

  async "sound that fails to start is said, and the game goes on"(page, { context }) {
    const other = await context.newPage();
    await other.addInitScript(() => {
      AudioWorklet.prototype.addModule = () => Promise.reject(new Error("no device"));
    });
    await other.goto(file);
    await ready(other);
    await other.click("#start");
    await message(other, /no sound here: no device/);
    await running(other);
    await other.close();
  },

  async "every control has a name; Tab reaches it; Space and Enter work it"(page) {
    // the text inside a list of choices is not its name
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, select, input, canvas[role=img]")].filter((node) => {
      const label = node.closest("label")?.cloneNode(true);
      label?.querySelectorAll("select, input").forEach((inner) => inner.remove());
      const text = node.matches("button") ? node.textContent : "";
      return !(node.getAttribute("aria-label") || text.trim() || node.title || label?.textContent.trim());
    }).map((node) => node.outerHTML.slice(0, 100)));
    assert.deepEqual(nameless, []);
    await page.evaluate(() => {
      globalThis.clicked = new Set();
      addEventListener("click", (event) => {
        // a click of a key has no place; keys of dialogs and files are tested elsewhere
        if (event.isTrusted && event.detail === 0) clicked.add(event.target.closest("button, summary, input")?.id || event.target.closest("[data-game], [data-view]")?.outerHTML);
      }, true);
    });
    for (const view of ["play", "open", "think"]) {
      await page.click(`[data-view=${view}]`);
      await until(page, (wanted) => sixerPage.view === wanted, view);
      if (view === "think") await until(page, () => sixerPage.think.ready);
      if (view === "open") await page.click("#to-frame");
      for (const tab of view === "think" ? ["plan", "model", "train"] : [null]) {
        if (tab) await page.click(`#tab-${tab}`);
        const wanted = await page.evaluate(() => [...document.querySelectorAll("button[id], select[id], input[id], canvas[tabindex]")].filter((node) => node.checkVisibility() && !node.disabled && node.tabIndex >= 0).map((node) => node.id));
        assert.ok(wanted.length > 5, `${view}: ${wanted}`);
        const focused = new Set();
        await page.evaluate(() => document.activeElement.blur());
        for (let i = 0; i < 90; i++) {
          await page.keyboard.press("Tab");
          focused.add(await page.evaluate(() => document.activeElement.id));
        }
        assert.deepEqual(wanted.filter((id) => !focused.has(id)), [], `${view} ${tab ?? ""}: the Tab key does not reach these`);
        const OPENS = ["file", "model-file", "keys", "export", "train-save", "train-watch", "sound", "theme"]; // a dialog, a file, or all other views
        for (const id of await page.$$eval("button[id]", (nodes) => nodes.filter((node) => node.checkVisibility() && !node.disabled).map((node) => node.id))) {
          if (OPENS.includes(id) || id.startsWith("tab-")) continue;
          await page.focus(`#${id}`);
          await page.keyboard.press(id.length % 2 ? "Space" : "Enter");
          assert.ok(await page.evaluate((one) => clicked.has(one), id), `keys do not press ${id}`);
        }
        for (const id of await page.$$eval("select[id], input[type=range][id]", (nodes) => nodes.filter((node) => node.checkVisibility() && !node.disabled && (node.options?.length ?? 2) > 1).map((node) => node.id))) {
          await page.focus(`#${id}`);
          const before = await page.inputValue(`#${id}`);
          await page.keyboard.press("ArrowDown");
          if ((await page.inputValue(`#${id}`)) === before) await page.keyboard.press("ArrowUp");
          assert.notEqual(await page.inputValue(`#${id}`), before, `keys do not change ${id}`);
        }
      }
    }
    await page.focus("#tab-train");
    for (const next of ["plan", "model", "train", "plan"]) {
      await page.keyboard.press("ArrowRight");
      assert.equal(await page.evaluate(() => document.activeElement.id), `tab-${next}`);
      assert.equal(await page.isVisible(`#think-${next}`), true);
    }
    await page.click("[data-view=play]");
    await page.selectOption("#speed", "1");
    await choose(page, "sporefall");
    await running(page);
  },

  async "reduced motion: buttons do not move"(page) {
    const moves = async (wish) => {
      await page.emulateMedia({ reducedMotion: wish });
      const box = await (await page.$("#newgame")).boundingBox();
      await page.mouse.move(box.x + 9, box.y + 9);
      await page.mouse.down();
      const transform = await page.evaluate(() => getComputedStyle(document.getElementById("newgame")).transform);
      await page.mouse.up();
      return transform !== "none";
    };
    assert.equal(await moves("no-preference"), true);
    assert.equal(await moves("reduce"), false);
    await page.emulateMedia({ reducedMotion: null });
  },
};
