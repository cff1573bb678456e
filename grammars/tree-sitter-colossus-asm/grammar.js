module.exports = require("../tree-sitter/define")({
  name: "colossus_asm",
  word: /\$([A-Za-z0-9_.$]|\\(@|\(\)|[A-Za-z0-9_]))+(:([A-Za-z0-9_.$]|\\(@|\(\)|[A-Za-z0-9_]))+)?(\+=|\+\+|@|>>)?|([A-Za-z_.$]|\\(@|\(\)|[A-Za-z0-9_]))([A-Za-z0-9_.$]|\\(@|\(\)|[A-Za-z0-9_]))*/,
  number: /[0-9]([A-Za-z0-9_.$]|\\(@|\(\)|[A-Za-z0-9_]))*/,
  comment: /\/\/[^\r\n]*|\/\*([^*]|\*+[^*\/])*\*+\//,
  firstComment: /#([^\r\n\\]|\\[^\r\n]|\\\r?\n)*/,
  marks: /==|[-+*\/%&|^~<>!?@=\[\]:]/,
  hasLines: true,
  hasBraces: true,
});
