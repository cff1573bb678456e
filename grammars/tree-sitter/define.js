// One grammar for the four languages, which differ in their words, comments and ends.
//
// The tree is flat, so that a broken line spoils itself alone: labels, instructions with their
// operands, and between them separators and ends. Which mnemonics and registers exist is not
// known here; the queries list them.

/**
 * @param language.name        as C spells it
 * @param language.word        names: mnemonics, registers, labels, directives
 * @param language.number      what begins with a digit
 * @param language.comment     comments that may be anywhere
 * @param language.firstComment comments, or lines of a preprocessor, that begin a line
 * @param language.marks       characters of operands beside words, numbers and strings
 * @param language.hasLines    the end of a line ends an instruction
 * @param language.separator   between two instructions of a bundle
 * @param language.end         of a bundle, where lines do not end it
 * @param language.hasBraces   around bundles, and parentheses over several lines
 * @param language.hasTags     Jinja's
 */
module.exports = function define(language) {
  const { firstComment, hasBraces, hasLines, hasTags, separator } = language;
  const when = (condition, ...rules) => (condition ? rules.map((rule) => rule()) : []);
  const rules = {
    source_file: ($) =>
      hasLines
        ? seq(repeat(seq(optional($._line), $._end)), optional($._line))
        : repeat(choice($.label, $.instruction, $._separator, $._end, ...when(hasTags, () => $.interpolation))),

    label: ($) =>
      prec(1, seq(field("name", choice($.word, $.number)), ...when(hasTags, () => optional($.interpolation)), ":")),

    instruction: ($) =>
      prec.right(seq(field("mnemonic", alias($.word, $.mnemonic)), repeat(choice($._value, ",")))),

    _value: ($) =>
      choice(
        $.word,
        $.number,
        $.string,
        $.mark,
        ...when(hasBraces, () => $.group),
        ...when(hasTags, () => $.interpolation),
      ),

    _end: () => token(hasLines ? (hasBraces ? /\r?\n|\r|;/ : /\r?\n|\r/) : language.end),
    word: () => token(language.word),
    number: () => token(prec(1, language.number)),
    string: () => token(/"([^"\\\r\n]|\\[^\r\n])*"|'([^\\\r\n]|\\[^\r\n])'/),
    mark: () => token(language.marks),
    comment: () => token(language.comment),
  };
  if (separator) {
    rules._separator = () => token(separator);
  }
  if (firstComment) {
    rules.preprocessor = () => token(prec(2, firstComment));
  }
  if (hasLines) {
    rules._line = ($) =>
      choice(
        ...when(firstComment, () => $.preprocessor),
        seq(repeat1($.label), optional($._code)),
        $._code,
      );
    rules._code = ($) => {
      const more = when(separator, () => repeat(seq($._separator, optional($.instruction))));
      return choice(seq($.instruction, ...more), ...when(hasBraces, () => $.bundle));
    };
  }
  if (hasBraces) {
    rules.bundle = ($) => seq("{", repeat(choice($.instruction, $.preprocessor, $._end)), "}");
    rules.group = ($) => seq("(", repeat(choice($._value, ",", $._end)), ")");
  }
  if (hasTags) {
    rules.interpolation = ($) => seq("{{", optional(alias(/([^}]|\}[^}])+/, $.expression)), "}}");
    rules.template_statement = ($) =>
      seq("{%", optional(alias(/([^%]|%[^}])+/, $.expression)), "%}");
    rules.template_comment = () => token(seq("{#", /([^#]|#[^}])*/, "#}"));
  }
  return grammar({
    name: language.name,
    extras: ($) => [
      hasLines ? /[ \t\f]/ : /\s/,
      $.comment,
      ...when(hasBraces, () => /\\[ \t]*\r?\n/),
      ...when(hasTags, () => $.template_statement, () => $.template_comment),
    ],
    rules,
  });
};
