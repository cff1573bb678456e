module.exports = require("../tree-sitter/define")({
  name: "edgenpu_asm",
  word: /[A-Za-z_][A-Za-z0-9_.]*/,
  number: /[+-]?[0-9][A-Za-z0-9_.]*/,
  comment: /;[^\r\n]*/,
  marks: /[=|\[\]]/,
  hasLines: true,
});
