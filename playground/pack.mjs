// Makes app.tar of a folder with Python packages, and python_stdlib.zip without what no page needs,
// both compiled by the Python that runs them: to compile a module takes longer than to load it.
//
//   node pack.mjs PACKAGES OUT

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadPyodide } from "pyodide";

const [packages, out] = process.argv.slice(2);

const COMPILE = `
import io, os, py_compile, tarfile, zipfile

UNUSED = {
    "_pyrepl", "dbm", "doctest", "ensurepip", "ftplib", "idlelib", "imaplib", "lib2to3", "mailbox",
    "multiprocessing", "optparse", "pdb", "pickletools", "poplib", "pydoc", "pydoc_data", "smtplib",
    "_pydatetime", "_pydecimal", "_pyio", "antigravity", "cProfile",
    "curses", "nntplib", "profile", "pstats", "sqlite3", "tabnanny", "telnetlib", "this", "timeit",
    "tkinter", "trace", "webbrowser", "wave", "xml", "zoneinfo", "turtle", "unittest", "venv", "wsgiref", "xmlrpc",
}
ENCODINGS = {
    "__init__", "aliases", "ascii", "cp437", "idna", "latin_1", "punycode", "raw_unicode_escape",
    "unicode_escape", "utf_16", "utf_16_be", "utf_16_le", "utf_32", "utf_8", "utf_8_sig",
}

# Nothing that the page runs reads the docstrings of other packages.
WITHOUT_DOCSTRINGS = 2

def compiled(path, shown, optimize):
    return py_compile.compile(
        path, "/tmp/compiled.pyc", dfile=shown, doraise=True, optimize=optimize,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )

def packed(root, target):
    with tarfile.open(target, "w") as archive:
        for folder, _, names in sorted(os.walk(root)):
            for name in sorted(names):
                path = os.path.join(folder, name)
                inside = "app/" + os.path.relpath(path, root)
                if name.endswith(".py"):
                    ours = inside.startswith(("app/ipu_asm/", "app/ipu_lsp/"))
                    path = compiled(path, "/" + inside, 0 if ours else WITHOUT_DOCSTRINGS)
                    inside += "c"
                with open(path, "rb") as file:
                    content = file.read()
                entry = tarfile.TarInfo(inside)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))

def standard_library(source, target):
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in sorted(old.namelist()):
            if name.partition("/")[0].partition(".")[0] in UNUSED or name.endswith("/"):
                continue
            if name.startswith("encodings/") and name.removesuffix(".py")[10:] not in ENCODINGS:
                continue
            content = old.read(name)
            if name.endswith(".py"):
                with open("/tmp/source.py", "wb") as file:
                    file.write(content)
                with open(compiled("/tmp/source.py", name, WITHOUT_DOCSTRINGS), "rb") as file:
                    content = file.read()
                name += "c"
            entry = zipfile.ZipInfo(name)
            new.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)

packed("/packages", "/app.tar")
standard_library("/lib/python314.zip", "/stdlib.zip")
`;

try {
  await pack();
} catch (error) {
  // Node prints the line of the source where it was thrown, which is a megabyte of Pyodide.
  console.error(`pack.mjs: ${error.message}`);
  process.exit(1);
}

async function pack() {
  const compiler = await loadPyodide();
  compiler.FS.mkdirTree("/packages");
  compiler.FS.mount(compiler.FS.filesystems.NODEFS, { root: packages }, "/packages");
  compiler.runPython(COMPILE);
  writeFileSync(join(out, "app.tar"), compiler.FS.readFile("/app.tar"));
  writeFileSync(join(out, "python_stdlib.zip"), compiler.FS.readFile("/stdlib.zip"));
}
