// The worker, as two things: a transport for the language client, and calls that are answered.

export class Host {
  constructor() {
    // A module worker: Pyodide refuses others.
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.handlers = new Set();
    this.waiting = new Map();
    this.next = 1;
    this.ready = new Promise((resolve, reject) => {
      this.worker.onmessage = ({ data }) => this.receive(data, resolve, reject);
      this.worker.onerror = (event) => reject(new Error(event.message || "the worker did not start"));
    });
    this.transport = {
      send: (message) => this.worker.postMessage({ lsp: asPushed(message) }),
      subscribe: (handler) => this.handlers.add(handler),
      unsubscribe: (handler) => this.handlers.delete(handler),
    };
  }

  receive(data, resolve, reject) {
    if (data.lsp !== undefined) {
      this.handlers.forEach((handler) => handler(data.lsp));
    } else if (data.ready !== undefined) {
      resolve(data.ready);
    } else if (data.failed !== undefined) {
      reject(new Error(data.failed));
    } else {
      const { resolve: done, reject: failed } = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.error === undefined) {
        done(data.result);
      } else {
        failed(new Error(data.error));
      }
    }
  }

  /** Calls one of the worker's functions. */
  call(name, ...args) {
    const id = this.next++;
    this.worker.postMessage({ id, call: name, args });
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }
}

/** The client library declares that it pulls findings, and waits for those that are pushed. */
function asPushed(message) {
  const parsed = JSON.parse(message);
  if (parsed.method !== "initialize") {
    return message;
  }
  delete parsed.params.capabilities.textDocument.diagnostic;
  return JSON.stringify(parsed);
}
