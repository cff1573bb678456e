// Tokenizes texts as VS Code does: node textmate.js SCOPE GRAMMAR < a JSON list of texts
// Prints, for each text, its tokens as [start, end, scopes]; offsets count code points.

const fs = require("fs");
const path = require("path");
const { INITIAL, parseRawGrammar, Registry } = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");

async function main([scope, file]) {
  const wasm = path.join(path.dirname(require.resolve("vscode-oniguruma")), "onig.wasm");
  await oniguruma.loadWASM(fs.readFileSync(wasm).buffer);
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (name) =>
      name === scope ? parseRawGrammar(fs.readFileSync(file, "utf8"), file) : null,
  });
  const grammar = await registry.loadGrammar(scope);
  const texts = JSON.parse(fs.readFileSync(0, "utf8"));
  process.stdout.write(JSON.stringify(texts.map((text) => tokens(grammar, text))));
}

function tokens(grammar, text) {
  const found = [];
  let stack = INITIAL;
  let offset = 0;
  // Lines and their breaks take turns.
  text.split(/(\r\n|\r|\n)/).forEach((piece, number) => {
    if (number % 2 === 0) {
      const line = grammar.tokenizeLine(piece, stack);
      stack = line.ruleStack;
      const at = (index) => offset + Array.from(piece.slice(0, index)).length;
      for (const { startIndex, endIndex, scopes } of line.tokens) {
        found.push([at(startIndex), at(endIndex), scopes]);
      }
    }
    offset += Array.from(piece).length;
  });
  return found;
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
