// A file system in memory for Visual Studio Code for the web, where others have a web service:
// the extension that `vscode_web.py` serves, which puts FILES and SCHEME before this text.

const vscode = require("vscode");

const { Changed, Created, Deleted } = vscode.FileChangeType;
const { Directory, File } = vscode.FileType;
const encoder = new TextEncoder();
const files = new Map(Object.entries(FILES).map(([path, text]) => [path, encoder.encode(text)]));
const changed = new vscode.EventEmitter();
const told = (type, uri) => changed.fire([{ type, uri }]);

/** The names below a folder, each as its parts. */
function below(path) {
  const folder = path.replace(/\/?$/, "/");
  const inside = [...files.keys()].filter((each) => each.startsWith(folder));
  return inside.map((each) => each.slice(folder.length).split("/"));
}

function content(path) {
  const found = files.get(path);
  if (!found) {
    throw vscode.FileSystemError.FileNotFound(path);
  }
  return found;
}

const provider = {
  onDidChangeFile: changed.event,
  watch: () => ({ dispose: () => undefined }),
  stat: ({ path }) =>
    below(path).length
      ? { type: Directory, ctime: 0, mtime: 0, size: 0 }
      : { type: File, ctime: 0, mtime: Date.now(), size: content(path).length },
  readDirectory: ({ path }) => [
    ...new Map(below(path).map(([name, ...rest]) => [name, rest.length ? Directory : File])),
  ],
  readFile: ({ path }) => content(path),
  writeFile: (uri, written) => {
    const type = files.has(uri.path) ? Changed : Created;
    files.set(uri.path, written);
    told(type, uri);
  },
  delete: (uri) => {
    files.delete(uri.path);
    told(Deleted, uri);
  },
  rename: () => {
    throw vscode.FileSystemError.NoPermissions("no test renames files");
  },
  createDirectory: () => undefined,
};

exports.activate = ({ subscriptions }) =>
  subscriptions.push(vscode.workspace.registerFileSystemProvider(SCHEME, provider));
