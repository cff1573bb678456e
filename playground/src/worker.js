// The module worker: Python with the language server, and the cores of the emulator.

import { loadPyodide } from "./pyodide.mjs";
import { unpack } from "./archive.js";
import { Run, bytesOf } from "./run.js";

const ASSETS = new URL("./", import.meta.url).href;
const UNPACKED = "pyodide.asm.wasm";
const runs = { current: null, cores: new Map() };
const channel = new MessageChannel();
let host = null;
let isPumping = false;

// A host need not compress, so what is large lies there compressed.
const fetchAsIs = globalThis.fetch;
globalThis.fetch = (resource, options) =>
  String(resource?.url ?? resource).endsWith(UNPACKED)
    ? unpacked(`${UNPACKED}.bin`, "application/wasm")
    : fetchAsIs(resource, options);

const ready = start().then(
  () => postMessage({ ready: host.version() }),
  (error) => postMessage({ failed: String(error?.message ?? error) }),
);

const CALLS = {
  mount: (uri, number) => host.mount(uri, number),
  write: (uri, content) => host.write(uri, content ?? undefined),
  report: (uri, form, earlier) => JSON.parse(host.report(uri, form, earlier ?? undefined)),
  prepare,
  step: (cycles) => runs.current.advance(cycles),
  back: () => runs.current.back(),
  goTo: (cycle) => runs.current.goTo(cycle),
  continue: (limit, breakpoints) => runs.current.continue(limit, breakpoints),
  compare,
  memory: (address, size) => runs.current.memory(address, size),
};

onmessage = async ({ data }) => {
  await ready;
  if (host === null) {
    return;
  }
  if (data.lsp !== undefined) {
    host.feed(data.lsp);
    pump();
    return;
  }
  try {
    postMessage({ id: data.id, result: await CALLS[data.call](...data.args) });
  } catch (error) {
    postMessage({ id: data.id, error: lastLine(error) });
  }
};

channel.port1.onmessage = () => {
  isPumping = false;
  if (host.pump()) {
    pump();
  }
};

/** Does the server's work piece by piece: messages that arrive meanwhile are seen between them. */
function pump() {
  if (!isPumping) {
    isPumping = true;
    channel.port2.postMessage(null);
  }
}

async function start() {
  const packages = unpacked("app.tar.bin", "application/x-tar").then((each) => each.arrayBuffer());
  const code = URL.createObjectURL(
    await (await unpacked("pyodide.asm.mjs.bin", "text/javascript")).blob(),
  );
  const { default: createPyodideModule } = await import(code);
  const python = await loadPyodide({ indexURL: ASSETS, createPyodideModule });
  unpack(new Uint8Array(await packages), python.FS);
  python.runPython('import sys; sys.path.insert(0, "/app")');
  host = python.pyimport("host");
  host.start((message) => postMessage({ lsp: message }));
}

async function unpacked(name, type) {
  const response = await fetchAsIs(new URL(name, ASSETS));
  if (!response.ok) {
    throw new Error(`${name}: the host answers ${response.status}`);
  }
  const stream = response.body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream, { headers: { "content-type": type } });
}

/** Makes a run of the program of a document; returns what the page shows of it first. */
async function prepare(uri, settings) {
  runs.current = null;
  const program = JSON.parse(host.program(uri));
  if (program.problem) {
    return program;
  }
  const core = await coreOf(program.isa);
  const pieces = settings.load.map((text) => pieceOf(text, core.facts.memorySize));
  const problem = pieces.find((piece) => piece.problem);
  if (problem) {
    return problem;
  }
  runs.current = new Run(core, program, { ...settings, pieces });
  return {
    isa: program.isa,
    scopes: core.facts.scopes,
    vectors: core.facts.vectors,
    memorySize: core.facts.memorySize,
    state: runs.current.view(),
  };
}

/** Address and bytes of data such as `FILE@0x100`, or a `problem`. */
function pieceOf(text, memorySize) {
  const piece = JSON.parse(host.load(text, memorySize));
  return piece.problem ? piece : { ...piece, content: bytesOf(piece.content) };
}

/** For data that a run is to leave in memory: at which address it differs first, null if nowhere. */
function compare(text) {
  const piece = pieceOf(text, runs.current.facts.memorySize);
  if (piece.problem) {
    return piece;
  }
  const found = runs.current.memory(piece.address, piece.content.length);
  const at = piece.content.findIndex((byte, index) => byte !== found[index]);
  return { size: piece.content.length, differs: at < 0 ? null : piece.address + at };
}

async function coreOf(isa) {
  if (!runs.cores.has(isa)) {
    const get = (name) => fetchAsIs(new URL(name, ASSETS));
    const [module, facts] = await Promise.all([
      get(`core-${isa}.wasm`).then((each) => each.arrayBuffer()).then(WebAssembly.compile),
      get(`core-${isa}.json`).then((each) => each.json()),
    ]);
    runs.cores.set(isa, { instance: new WebAssembly.Instance(module), facts });
  }
  return runs.cores.get(isa);
}


/** The sentence of an error; Python's has a traceback before it. */
function lastLine(error) {
  const lines = String(error?.message ?? error).trim().split("\n");
  return lines[lines.length - 1];
}
