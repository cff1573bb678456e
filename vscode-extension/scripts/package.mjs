// Makes dist/ipu-asm-VERSION.vsix, and dist/ipu-asm.vsix with the same content. With --web those of
// Visual Studio Code for the web, ipu-asm-web: the worker of the playground instead of the wheels.
// Wheels and playground are built with $PYTHON, else python3.

import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const extension = dirname(dirname(fileURLToPath(import.meta.url)));
const project = dirname(extension);

for (const name of ["CHANGELOG.md", "LICENSE"]) {
  copyFileSync(join(project, name), join(extension, name));
}
const python = process.env.PYTHON || "python3";
const isWeb = process.argv.includes("--web");
if (isWeb) {
  copyWorker(join(project, "playground"), join(extension, "dist", "web", "worker"));
} else {
  run(python, join("scripts", "wheels.py"), "wheels");
}
runNode("esbuild.mjs", "--production");
const name = isWeb ? "ipu-asm-web" : "ipu-asm";
const file = join("dist", `${name}-${version()}.vsix`);
const target = isWeb ? ["--target", "web", "--ignoreFile", ".vscodeignore-web"] : [];
const kept = ["--no-git-tag-version", "--no-update-package-json"];
const offline = ["--no-dependencies", "--no-rewrite-relative-links", "--allow-missing-repository"];
const vsce = join("node_modules", "@vscode", "vsce", "vsce");
runNode(vsce, "package", version(), ...kept, ...offline, ...target, "--out", file);
copyFileSync(join(extension, file), join(extension, "dist", `${name}.vsix`));

/** Copies the worker of the playground, without the page and what runs programs there. */
function copyWorker(playground, worker) {
  const dist = join(playground, "dist");
  if (!existsSync(dist)) {
    run(python, join(playground, "build.py"));
  }
  const isLeftOut = /^(?:core-.*|examples\.json|index\.html|page\.js|style\.css)$/;
  rmSync(worker, { recursive: true, force: true });
  cpSync(dist, worker, { recursive: true, filter: (path) => !isLeftOut.test(basename(path)) });
}

/** The version of the Python package is the version of the extension. */
function version() {
  const text = readFileSync(join(project, "ipu_asm", "__init__.py"), "utf8");
  const found = /^__version__ = "(.+)"/m.exec(text);
  if (!found) {
    throw new Error('expected a line `__version__ = "..."` in ipu_asm/__init__.py, found none');
  }
  return found[1];
}

function runNode(...args) {
  run(process.execPath, ...args);
}

function run(command, ...args) {
  try {
    execFileSync(command, args, { cwd: extension, stdio: "inherit" });
  } catch (error) {
    console.error(`package.mjs: \`${command} ${args.join(" ")}\` failed: ${error.message}`);
    process.exit(1);
  }
}
