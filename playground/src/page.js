// The page: which program is open, and which views show it.

import { LSPClient } from "@codemirror/lsp-client";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { Host } from "./client.js";
import { basics, goToLine, languageExtensions } from "./editor.js";
import { button, element } from "./elements.js";
import { Runner } from "./runner.js";
import { fragmentOf, sharedIn } from "./share.js";
import { markLine, showExpansion, showFindings, showReport, showSlots, showText } from "./views.js";

const ROOT = "file:///app/workspace";
const LANGUAGE_SERVER_TIMEOUT_MS = 60_000;
const TABS = {
  findings: "Findings", run: "Run", listing: "Listing", slots: "Slots", cycles: "Cycles",
  memory: "Memory", expansion: "Expansion",
};
const $ = (id) => document.getElementById(id);

const host = new Host();
const page = { sets: [], examples: [], isa: "", uri: "", view: null, tab: "findings", findings: [] };
const client = new LSPClient({
  rootUri: ROOT,
  timeout: LANGUAGE_SERVER_TIMEOUT_MS,
  extensions: languageExtensions(found),
});
const ask = (method, params) =>
  client.request(method, { textDocument: { uri: page.uri }, ...params });

let runner = null;
main().catch((error) => tell(`the page cannot start: ${error.message}`));

async function main() {
  theme(localStorage.getItem("theme"));
  drawTabs();
  $("share").onclick = share;
  $("theme").onclick = () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  window.addEventListener("hashchange", openFragment);
  client.connect(host.transport);
  const [known] = await Promise.all([fetch("examples.json").then((each) => each.json())]);
  Object.assign(page, known);
  drawPickers();
  await openFragment();
  tell(`ready: version ${await host.ready}. Nothing that you write leaves this page.`);
  page.isReady = true;
  await refresh();
}

function drawPickers() {
  const sets = page.sets.map((each) => element("option", { value: each.name }, each.title));
  $("sets").replaceChildren(...sets);
  $("sets").onchange = () => open(examplesOf($("sets").value)[0] ?? blank($("sets").value));
  $("programs").onchange = () => {
    const name = $("programs").value;
    open(page.examples.find((each) => each.name === name) ?? blank($("sets").value));
  };
}

const examplesOf = (isa) => page.examples.filter((each) => each.isa === isa);

/** A program of the user's own. */
function blank(isa, text = null) {
  const set = page.sets.find((each) => each.name === isa) ?? page.sets[0];
  const own = text ?? `# isa: ${set.name}\n`;
  return { isa: set.name, name: `own-${set.name}${set.extension}`, text: own };
}

async function openFragment() {
  const shared = await sharedIn(location.hash);
  if (shared) {
    const example = page.examples.find((each) => each.name === shared.name && each.isa === shared.isa);
    open({ ...(example ?? blank(shared.isa)), text: shared.text }, shared.registers);
  } else if (!page.view) {
    const first = examplesOf("ipu").find((each) => each.name === "fully_connected.s");
    open(first ?? page.examples[0]);
  }
}

function open({ isa, name, text }, given = {}) {
  const { language } = page.sets.find((each) => each.name === isa);
  page.view?.destroy();
  Object.assign(page, { isa, name, uri: `${ROOT}/${name}`, findings: [] });
  const changes = EditorView.updateListener.of((update) => {
    if (update.docChanged) {
      runner?.forget();
    }
    if (update.selectionSet) {
      followCursor();
    }
  });
  page.view = new EditorView({
    parent: $("editor"),
    state: EditorState.create({
      doc: text,
      extensions: [keys(), basics, client.plugin(page.uri, language), changes],
    }),
  });
  $("sets").value = isa;
  const names = examplesOf(isa).map((each) => element("option", { value: each.name }, each.name));
  $("programs").replaceChildren(...names, element("option", { value: "" }, "(your own)"));
  $("programs").value = examplesOf(isa).some((each) => each.name === name) ? name : "";
  runner = new Runner($("run"), { host, ask, view: () => page.view, uri: () => page.uri });
  runner.given = { ...given };
  if (page.isReady) {
    void refresh();
  }
}

function keys() {
  const press = (what) => () => {
    choose("run").then(() => runner.move(what));
    return true;
  };
  return keymap.of([
    { key: "F5", run: press("run"), preventDefault: true },
    { key: "F10", run: press("step"), shift: press("back"), preventDefault: true },
  ]);
}

function found(findings) {
  page.findings = findings;
  const count = (severity) => findings.filter((each) => each.severity === severity).length;
  $("tab-findings").textContent = findings.length ? `Findings (${findings.length})` : "Findings";
  const [errors, warnings] = [count(1), count(2)];
  document.body.dataset.findings = `${errors} errors, ${warnings} warnings`;
  showFindings($("findings"), findings, goTo);
  if (page.isReady) {
    void refresh();
  }
}

const goTo = (line, character = 0) => goToLine(page.view, line, character);

function drawTabs() {
  $("tabs").replaceChildren(
    ...Object.entries(TABS).map(([name, title]) =>
      button(title, () => choose(name), {
        id: `tab-${name}`, role: "tab", "aria-controls": name, "aria-selected": String(name === page.tab),
      }),
    ),
  );
  $("tabs").onkeydown = ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step) {
      const names = Object.keys(TABS);
      const next = names[(names.indexOf(page.tab) + step + names.length) % names.length];
      $(`tab-${next}`).focus();
      void choose(next);
    }
  };
}

async function choose(tab) {
  page.tab = tab;
  for (const name of Object.keys(TABS)) {
    $(name).hidden = name !== tab;
    $(`tab-${name}`).setAttribute("aria-selected", String(name === tab));
    $(`tab-${name}`).tabIndex = name === tab ? 0 : -1;
  }
  await refresh();
}

/** Asks again for what the open view shows, and for the totals. */
async function refresh() {
  const asked = page.uri;
  client.sync();
  const draw = {
    findings: async () => showFindings($("findings"), page.findings, goTo),
    run: () => (runner.state ? runner.draw() : runner.show()),
    listing: async () => showText($("listing"), await ask("ipu/listing", {}), goTo, cursorLine()),
    slots: async () => showSlots($("slots"), await ask("ipu/slotGrid", {}), goTo),
    cycles: () => showCycles(asked),
    memory: async () => showText($("memory"), await ask("ipu/memoryMap", {}), goTo, cursorLine()),
    expansion: () => expand(0),
  };
  try {
    await draw[page.tab]();
    const totals = await ask("ipu/runTotals", {});
    if (asked === page.uri) {
      $("totals").textContent = totals?.text ?? "";
    }
  } catch (error) {
    $(page.tab).replaceChildren(element("p", { className: "reason fault" }, error.message));
  }
}

/** The report, and how the text differs from the one that was kept as A. */
async function showCycles(uri) {
  const report = await host.call("report", uri, "html", null);
  const kept = page.kept?.uri === uri ? page.kept.text : null;
  const compared = kept === null ? null : await host.call("report", uri, "text", kept);
  showReport($("cycles"), report, compared, (keeps) => {
    page.kept = keeps ? { uri, text: page.view.state.doc.toString() } : null;
    void refresh();
  });
}

async function expand(context) {
  const answer = await ask("ipu/expansion", { context });
  showExpansion($("expansion"), answer, goTo, expand);
}

const cursorLine = () => page.view.state.doc.lineAt(page.view.state.selection.main.head).number - 1;

function followCursor() {
  if (["listing", "memory", "slots"].includes(page.tab)) {
    markLine($(page.tab), cursorLine());
  }
}

async function share() {
  const text = page.view.state.doc.toString();
  const fragment = await fragmentOf({
    isa: page.isa, name: page.name, text, registers: runner.given,
  });
  history.replaceState(null, "", fragment);
  try {
    await navigator.clipboard.writeText(location.href);
    tell("The link is in the clipboard: the text is in the link itself.");
  } catch {
    tell("The link is the address of this page now: the text is in the link itself.");
  }
}

function theme(chosen) {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = chosen ?? (isDark ? "dark" : "light");
  if (chosen) {
    localStorage.setItem("theme", chosen);
  }
}

function tell(text) {
  $("status").textContent = text;
}
