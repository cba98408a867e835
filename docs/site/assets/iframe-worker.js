/* Search works in a page that was opened from disk: browsers start no workers there, so the worker of the search runs in a
 * hidden frame of the page instead. It has what the search uses: postMessage, importScripts and events "message". From a
 * server, real workers are used. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      (document.body || document.documentElement).append(frame);
      const inner = (this.inner = frame.contentWindow);
      const script = (source) =>
        new Promise((resolve, reject) => {
          const element = inner.document.createElement("script");
          element.src = source;
          element.onload = resolve;
          element.onerror = () => reject(new Error(`${source} could not be loaded`));
          inner.document.head.append(element);
        });
      inner.importScripts = async (...sources) => {
        for (const source of sources) await script(source);
      };
      inner.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      this.ready = script(new URL(url, location.href).href);
    }
    postMessage(data) {
      this.ready.then(() => {
        const event = new this.inner.MessageEvent("message", { data });
        this.inner.dispatchEvent(event);
      });
    }
    terminate() {
      this.inner.frameElement.remove();
    }
  };
}
