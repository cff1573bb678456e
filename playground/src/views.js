// The views beside the program: findings, listing, slots, cycles, memory, expansion.

import { button, element } from "./elements.js";

const SEVERITIES = ["", "error", "warning", "hint", "hint"];

export function showFindings(panel, findings, goTo) {
  if (!findings.length) {
    panel.replaceChildren(element("p", { className: "dim" }, "No findings."));
    return;
  }
  panel.replaceChildren(
    ...findings.map((each) => {
      const { line, character } = each.range.start;
      const place = `${line + 1}:${character + 1}`;
      return element(
        "div",
        { className: `finding ${SEVERITIES[each.severity ?? 1]}` },
        button(`${each.code ?? ""} line ${place}`, () => goTo(line, character), { className: "where" }),
        element("p", {}, each.message),
        ...each.fixes.map(({ title, apply }) => button(title, apply, { className: "fix" })),
      );
    }),
  );
}

/** A text whose lines belong to lines of the program; `rows[n].line` is that of line n. */
export function showText(panel, { text, lines }, goTo, current) {
  const rows = text.replace(/\n$/, "").split("\n");
  panel.replaceChildren(
    element(
      "div",
      { className: "code" },
      ...rows.map((row, number) => {
        const line = lines[number]?.line ?? null;
        return element(
          line === null ? "span" : "button",
          {
            className: "line",
            "data-line": line,
            title: row,
            onclick: line === null ? null : () => goTo(line),
          },
          row || " ",
        );
      }),
    ),
  );
  markLine(panel, current);
}

/** Marks what belongs to a line of the program. */
export function markLine(panel, line) {
  for (const each of panel.querySelectorAll("[data-line]")) {
    each.classList.toggle("current", each.dataset.line === String(line));
  }
}

export function showSlots(panel, grid, goTo) {
  const head = ["", ...grid.slots.map((slot) => slot.name), "executions"];
  const cells = (row) =>
    row.cells.map((each, slot) =>
      element(
        "td",
        { title: row.causes?.[slot]?.text },
        each.filter((cell) => !cell.idle).map((cell) => cell.text).join("; "),
      ),
    );
  panel.replaceChildren(
    element(
      "div",
      { className: "grid code" },
      element(
        "table",
        {},
        element("tr", {}, ...head.map((name) => element("th", { scope: "col" }, name))),
        ...grid.rows.map((row) =>
          element(
            "tr",
            { "data-line": row.line },
            element(
              "th",
              { scope: "row" },
              button(`${row.address} ${row.label ?? ""}`, () => goTo(row.line), { className: "line" }),
            ),
            ...cells(row),
            element("td", { className: "dim" }, row.executions?.toLocaleString("en") ?? ""),
          ),
        ),
      ),
    ),
    ...grid.loops.map((loop) =>
      element(
        "p",
        { className: "dim" },
        `loop ${loop.label ?? loop.first}: ${loop.iterationBundles} × ${grid.unit} an iteration, ${loop.use}`,
      ),
    ),
  );
}

/**
 * The report of `ipu-mca`: its page in a frame of its own, or its complaints; above it how the text
 * differs from an earlier one, if one was kept.
 */
export function showReport(panel, { printed, complaints }, compared, keep) {
  const bar = element(
    "div",
    { className: "bar" },
    button(compared ? "Keep this text as A" : "Keep as A, to compare", () => keep(true), { id: "keep" }),
    ...(compared ? [button("Forget A", () => keep(false))] : []),
  );
  const difference = compared && element("pre", { id: "difference" }, differenceOf(compared));
  if (!printed) {
    panel.replaceChildren(bar, element("pre", {}, complaints || "no report"));
    return;
  }
  const page = element("iframe", { title: "Cycles, loops and bounds", sandbox: "allow-scripts" });
  page.srcdoc = printed;
  panel.replaceChildren(bar, ...(difference ? [difference] : []), page);
}

/** What `ipu-mca --baseline` prints, without the line that names two files. */
function differenceOf({ printed, complaints }) {
  return printed ? printed.trimEnd().replace(/^.*\n/, "this text against A:\n") : complaints;
}

export function showExpansion(panel, answer, goTo, choose) {
  showText(panel, answer, goTo, null);
  if (answer.contexts.length > 1) {
    const options = answer.contexts.map((text, number) =>
      element("option", { value: String(number), selected: text === answer.context }, text),
    );
    const select = element("select", { onchange: () => choose(Number(select.value)) }, ...options);
    panel.prepend(element("div", { className: "bar" }, element("label", {}, "Context ", select)));
  }
}

/** The bytes of a vector register as numbers of a type. */
export function elementsOf(bytes, type) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = {
    int8: [1, (at) => view.getInt8(at)],
    uint8: [1, (at) => view.getUint8(at)],
    hex: [1, (at) => view.getUint8(at).toString(16).padStart(2, "0")],
    int32: [4, (at) => view.getInt32(at, true)],
    float32: [4, (at) => Number(view.getFloat32(at, true).toPrecision(7))],
  }[type];
  const [size, get] = read;
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, n) => get(n * size));
}

export const TYPES = ["int8", "uint8", "hex", "int32", "float32"];
