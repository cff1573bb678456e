// Makes dist/ipu-asm-VERSION.vsix, and dist/ipu-asm.vsix with the same content.
// The wheels are built with $PYTHON, else python3.

import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const extension = dirname(dirname(fileURLToPath(import.meta.url)));
const project = dirname(extension);

for (const name of ["CHANGELOG.md", "LICENSE"]) {
  copyFileSync(join(project, name), join(extension, name));
}
run(process.env.PYTHON || "python3", join("scripts", "wheels.py"), "wheels");
runNode("esbuild.mjs", "--production");
const file = join("dist", `ipu-asm-${version()}.vsix`);
const kept = ["--no-git-tag-version", "--no-update-package-json"];
const offline = ["--no-dependencies", "--no-rewrite-relative-links", "--allow-missing-repository"];
const vsce = join("node_modules", "@vscode", "vsce", "vsce");
runNode(vsce, "package", version(), ...kept, ...offline, "--out", file);
copyFileSync(join(extension, file), join(extension, "dist", "ipu-asm.vsix"));

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
