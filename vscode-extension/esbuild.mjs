// Bundles the extension, the pages of its views and, with --tests, its tests: those of test/host run
// in the extension host, those of test/unit in Node.js.
// Usage: node esbuild.mjs [--production] [--watch] [--tests]

import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const options = new Set(process.argv.slice(2));
const known = new Set(["--production", "--watch", "--tests"]);
for (const option of options) {
  if (!known.has(option)) {
    console.error(`esbuild.mjs: expected one of ${[...known].join(", ")}, found ${option}`);
    process.exit(2);
  }
}

const shared = {
  absWorkingDir: here,
  bundle: true,
  minify: options.has("--production"),
  sourcemap: options.has("--production") ? false : "linked",
  logLevel: "info",
};

const forNode = {
  ...shared,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  // Libraries with two builds: the one for bundlers has no dynamic `require`.
  mainFields: ["module", "main"],
};

const forBrowser = {
  ...shared,
  platform: "browser",
  format: "cjs",
  target: "es2022",
  external: ["vscode"],
};

if (options.has("--production")) {
  await rm(join(here, "dist", "webviews"), { recursive: true, force: true });
}
await copyGrammars();
const builds = [
  { ...forNode, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js" },
  { ...forBrowser, entryPoints: ["src/web/extension.ts"], outfile: "dist/web/extension.js" },
  ...(await pages()),
  ...(options.has("--tests") ? await tests() : []),
];
if (options.has("--watch")) {
  const contexts = await Promise.all(builds.map((build) => esbuild.context(build)));
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  await Promise.all(builds.map((build) => esbuild.build(build)));
}

/** The grammars are generated into the project's folder `grammars`; the extension has copies. */
async function copyGrammars() {
  const from = join(here, "..", "grammars");
  const to = join(here, "syntaxes");
  await rm(to, { recursive: true, force: true });
  await mkdir(to);
  for (const name of await names(from, /\.tmLanguage\.json$/)) {
    await cp(join(from, name), join(to, name));
  }
}

/** Each folder of src/webviews is a page: main.ts, and the style sheet that it imports if any. */
async function pages() {
  const folders = await names(join(here, "src", "webviews"), /^\w+$/);
  const withMain = folders.filter((name) =>
    existsSync(join(here, "src", "webviews", name, "main.ts")),
  );
  return withMain.map((name) => ({
    ...shared,
    platform: "browser",
    format: "iife",
    target: "chrome122",
    entryPoints: { [name]: `src/webviews/${name}/main.ts` },
    outdir: "dist/webviews",
  }));
}

async function tests() {
  const imitation = { external: [], alias: { vscode: "./test/unit/vscode.ts" } };
  return [
    await bundles("test/host", /\.ts$/),
    { ...(await bundles("test/unit", /\.test\.ts$/)), ...imitation },
  ];
}

/** A bundle for each file of a folder. */
async function bundles(folder, pattern) {
  const files = await names(join(here, folder), pattern);
  const entryPoints = files.map((name) => `${folder}/${name}`);
  return { ...forNode, entryPoints, outdir: `dist/${folder}` };
}

async function names(folder, pattern) {
  const found = existsSync(folder) ? await readdir(folder) : [];
  return found.filter((name) => pattern.test(name)).sort();
}
