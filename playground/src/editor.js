// The editor: findings with fixes, semantic colours, breakpoints and the bundle to be executed.

import { autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import {
  LSPPlugin, findReferencesKeymap, formatKeymap, hoverTooltips, jumpToDefinitionKeymap, renameKeymap,
  serverCompletion, serverDiagnostics, signatureHelp,
} from "@codemirror/lsp-client";
import { searchKeymap } from "@codemirror/search";
import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, GutterMarker, drawSelection, gutter, highlightActiveLine,
  highlightActiveLineGutter, keymap, lineNumbers,
} from "@codemirror/view";

const SEVERITIES = ["", "error", "warning", "info", "hint"];
const TOKENS_AFTER_MS = 60;

const setTokens = StateEffect.define();
const setCurrent = StateEffect.define();
const toggleBreakpoint = StateEffect.define();

const tokens = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    const set = transaction.effects.find((each) => each.is(setTokens));
    return set ? set.value : value.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const currentLine = Decoration.line({ class: "at-pc" });
const current = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    const set = transaction.effects.find((each) => each.is(setCurrent));
    if (!set) {
      return value.map(transaction.changes);
    }
    const line = set.value;
    const isThere = line !== null && line < transaction.state.doc.lines;
    return isThere
      ? Decoration.set([currentLine.range(transaction.state.doc.line(line + 1).from)])
      : Decoration.none;
  },
  provide: (field) => EditorView.decorations.from(field),
});

class Dot extends GutterMarker {
  toDOM() {
    const dot = document.createElement("span");
    dot.className = "breakpoint";
    dot.textContent = "●";
    dot.title = "breakpoint";
    return dot;
  }
}
const DOT = new Dot();

const breakpoints = StateField.define({
  create: () => RangeSet.empty,
  update(value, transaction) {
    let marks = value.map(transaction.changes);
    for (const effect of transaction.effects.filter((each) => each.is(toggleBreakpoint))) {
      const { from } = transaction.state.doc.lineAt(effect.value);
      let isSet = false;
      marks.between(from, from, () => {
        isSet = true;
      });
      marks = isSet
        ? marks.update({ filter: (at) => at !== from })
        : marks.update({ add: [DOT.range(from)] });
    }
    return marks;
  },
});

const breakpointGutter = gutter({
  class: "cm-breakpoints",
  markers: (view) => view.state.field(breakpoints),
  initialSpacer: () => DOT,
  domEventHandlers: {
    mousedown(view, line) {
      view.dispatch({ effects: toggleBreakpoint.of(line.from) });
      return true;
    },
  },
});

const breakpointKeys = keymap.of([
  {
    key: "F9",
    run(view) {
      view.dispatch({ effects: toggleBreakpoint.of(view.state.selection.main.head) });
      return true;
    },
  },
]);

/** What every editor of the page has. */
export const basics = [
  lineNumbers(), breakpoints, breakpointGutter, breakpointKeys, lintGutter(), history(),
  drawSelection(), highlightActiveLine(), highlightActiveLineGutter(), closeBrackets(),
  autocompletion(), tokens, current,
  EditorView.contentAttributes.of({ "aria-label": "Program" }),
  keymap.of([
    ...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap,
    ...formatKeymap, ...renameKeymap, ...jumpToDefinitionKeymap, ...findReferencesKeymap,
  ]),
];
/** Extensions of the language client; `onFindings` gets the findings of each analysis. */
export function languageExtensions(onFindings) {
  return [
    serverCompletion(),
    hoverTooltips({ hoverTime: 250 }),
    signatureHelp(),
    {
      ...serverDiagnostics(),
      clientCapabilities: {
        textDocument: {
          publishDiagnostics: { versionSupport: true },
          codeAction: {
            codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } },
            isPreferredSupport: true,
          },
          semanticTokens: {
            requests: { full: true }, tokenTypes: [], tokenModifiers: [], formats: ["relative"],
          },
        },
      },
      notificationHandlers: {
        "textDocument/publishDiagnostics": (client, params) => {
          const file = client.workspace.getFile(params.uri);
          const view = file?.getView();
          if (!view || (params.version != null && params.version !== file.version)) {
            return false;
          }
          void show(client, view, params, onFindings);
          return true;
        },
      },
    },
  ];
}

async function show(client, view, params, onFindings) {
  const findings = params.diagnostics.map((each) => ({ ...each, fixes: [] }));
  underline(view, findings);
  onFindings(findings);
  setTimeout(() => colour(client, view, params.uri), TOKENS_AFTER_MS);
  const plugin = LSPPlugin.get(view);
  if (!findings.length || !plugin) {
    return;
  }
  const text = view.state.doc;
  const actions = await client.request("textDocument/codeAction", {
    textDocument: { uri: params.uri },
    range: { start: { line: 0, character: 0 }, end: plugin.toPosition(text.length) },
    context: { diagnostics: params.diagnostics, only: ["quickfix"] },
  });
  if (view.state.doc !== text) {
    return;
  }
  for (const action of actions ?? []) {
    const about = action.diagnostics?.[0];
    const finding = about && findings.find((each) => isSame(each, about));
    if (finding && action.edit) {
      finding.fixes.push({
        title: action.title,
        apply: () => applyEdit(view, params.uri, action.edit),
      });
    }
  }
  underline(view, findings);
  onFindings(findings);
}

function isSame(one, other) {
  const place = ({ range, code }) => JSON.stringify([range, code]);
  return place(one) === place(other);
}

function underline(view, findings) {
  const plugin = LSPPlugin.get(view);
  const place = (position) =>
    plugin.unsyncedChanges.mapPos(plugin.fromPosition(position, plugin.syncedDoc));
  const shown = findings.map((each) => ({
    from: place(each.range.start),
    to: place(each.range.end),
    severity: SEVERITIES[each.severity ?? 1],
    message: `${each.message} (${each.code})`,
    actions: each.fixes.map(({ title, apply }) => ({ name: title, apply })),
  }));
  view.dispatch(setDiagnostics(view.state, shown));
}

function applyEdit(view, uri, edit) {
  const plugin = LSPPlugin.get(view);
  const changes = editsOf(edit, uri).map(({ range, newText }) => ({
    from: plugin.fromPosition(range.start),
    to: plugin.fromPosition(range.end),
    insert: newText,
  }));
  view.dispatch({ changes, userEvent: "input.fix" });
  plugin.client.sync();
  view.focus();
}

function editsOf(edit, uri) {
  const documents = edit.documentChanges ?? [];
  return edit.changes?.[uri] ?? documents.flatMap((each) => each.edits ?? []);
}

async function colour(client, view, uri) {
  const text = view.state.doc;
  const legend = client.serverCapabilities?.semanticTokensProvider?.legend;
  if (!legend || client.workspace.getFile(uri)?.getView() !== view) {
    return;
  }
  const answer = await client.request("textDocument/semanticTokens/full", { textDocument: { uri } });
  if (answer && view.state.doc === text) {
    view.dispatch({ effects: setTokens.of(decorations(text, answer.data, legend.tokenTypes)) });
  }
}

function decorations(text, numbers, kinds) {
  const found = [];
  let line = 0;
  let character = 0;
  for (let at = 0; at < numbers.length; at += 5) {
    const [lines, characters, length, kind] = numbers.slice(at, at + 4);
    line += lines;
    character = lines ? characters : character + characters;
    const from = text.line(line + 1).from + character;
    found.push(Decoration.mark({ class: `tok-${kinds[kind]}` }).range(from, from + length));
  }
  return Decoration.set(found);
}

/** Marks a line as the one to be executed, and shows it; null for none. */
export function showCurrent(view, line) {
  const effects = [setCurrent.of(line)];
  if (line !== null && line < view.state.doc.lines) {
    effects.push(EditorView.scrollIntoView(view.state.doc.line(line + 1).from, { y: "nearest" }));
  }
  view.dispatch({ effects });
}

/** The lines with breakpoints, from 0. */
export function breakpointLines(view) {
  const lines = [];
  for (let at = view.state.field(breakpoints).iter(); at.value; at.next()) {
    lines.push(view.state.doc.lineAt(at.from).number - 1);
  }
  return lines;
}

export function goToLine(view, line, character = 0) {
  const { from, length } = view.state.doc.line(Math.min(line + 1, view.state.doc.lines));
  const anchor = from + Math.min(character, length);
  view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
  view.focus();
}
