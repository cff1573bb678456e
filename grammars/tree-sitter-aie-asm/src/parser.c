#include "tree_sitter/parser.h"

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif

#define LANGUAGE_VERSION 14
#define STATE_COUNT 32
#define LARGE_STATE_COUNT 9
#define SYMBOL_COUNT 21
#define ALIAS_COUNT 1
#define TOKEN_COUNT 11
#define EXTERNAL_TOKEN_COUNT 0
#define FIELD_COUNT 2
#define MAX_ALIAS_SEQUENCE_LENGTH 2
#define PRODUCTION_ID_COUNT 3

enum ts_symbol_identifiers {
  anon_sym_COLON = 1,
  anon_sym_COMMA = 2,
  sym__end = 3,
  sym_word = 4,
  sym_number = 5,
  sym_string = 6,
  sym_mark = 7,
  sym_comment = 8,
  sym__separator = 9,
  sym_preprocessor = 10,
  sym_source_file = 11,
  sym_label = 12,
  sym_instruction = 13,
  sym__value = 14,
  sym__line = 15,
  sym__code = 16,
  aux_sym_source_file_repeat1 = 17,
  aux_sym_instruction_repeat1 = 18,
  aux_sym__line_repeat1 = 19,
  aux_sym__code_repeat1 = 20,
  alias_sym_mnemonic = 21,
};

static const char * const ts_symbol_names[] = {
  [ts_builtin_sym_end] = "end",
  [anon_sym_COLON] = ":",
  [anon_sym_COMMA] = ",",
  [sym__end] = "_end",
  [sym_word] = "word",
  [sym_number] = "number",
  [sym_string] = "string",
  [sym_mark] = "mark",
  [sym_comment] = "comment",
  [sym__separator] = "_separator",
  [sym_preprocessor] = "preprocessor",
  [sym_source_file] = "source_file",
  [sym_label] = "label",
  [sym_instruction] = "instruction",
  [sym__value] = "_value",
  [sym__line] = "_line",
  [sym__code] = "_code",
  [aux_sym_source_file_repeat1] = "source_file_repeat1",
  [aux_sym_instruction_repeat1] = "instruction_repeat1",
  [aux_sym__line_repeat1] = "_line_repeat1",
  [aux_sym__code_repeat1] = "_code_repeat1",
  [alias_sym_mnemonic] = "mnemonic",
};

static const TSSymbol ts_symbol_map[] = {
  [ts_builtin_sym_end] = ts_builtin_sym_end,
  [anon_sym_COLON] = anon_sym_COLON,
  [anon_sym_COMMA] = anon_sym_COMMA,
  [sym__end] = sym__end,
  [sym_word] = sym_word,
  [sym_number] = sym_number,
  [sym_string] = sym_string,
  [sym_mark] = sym_mark,
  [sym_comment] = sym_comment,
  [sym__separator] = sym__separator,
  [sym_preprocessor] = sym_preprocessor,
  [sym_source_file] = sym_source_file,
  [sym_label] = sym_label,
  [sym_instruction] = sym_instruction,
  [sym__value] = sym__value,
  [sym__line] = sym__line,
  [sym__code] = sym__code,
  [aux_sym_source_file_repeat1] = aux_sym_source_file_repeat1,
  [aux_sym_instruction_repeat1] = aux_sym_instruction_repeat1,
  [aux_sym__line_repeat1] = aux_sym__line_repeat1,
  [aux_sym__code_repeat1] = aux_sym__code_repeat1,
  [alias_sym_mnemonic] = alias_sym_mnemonic,
};

static const TSSymbolMetadata ts_symbol_metadata[] = {
  [ts_builtin_sym_end] = {
    .visible = false,
    .named = true,
  },
  [anon_sym_COLON] = {
    .visible = true,
    .named = false,
  },
  [anon_sym_COMMA] = {
    .visible = true,
    .named = false,
  },
  [sym__end] = {
    .visible = false,
    .named = true,
  },
  [sym_word] = {
    .visible = true,
    .named = true,
  },
  [sym_number] = {
    .visible = true,
    .named = true,
  },
  [sym_string] = {
    .visible = true,
    .named = true,
  },
  [sym_mark] = {
    .visible = true,
    .named = true,
  },
  [sym_comment] = {
    .visible = true,
    .named = true,
  },
  [sym__separator] = {
    .visible = false,
    .named = true,
  },
  [sym_preprocessor] = {
    .visible = true,
    .named = true,
  },
  [sym_source_file] = {
    .visible = true,
    .named = true,
  },
  [sym_label] = {
    .visible = true,
    .named = true,
  },
  [sym_instruction] = {
    .visible = true,
    .named = true,
  },
  [sym__value] = {
    .visible = false,
    .named = true,
  },
  [sym__line] = {
    .visible = false,
    .named = true,
  },
  [sym__code] = {
    .visible = false,
    .named = true,
  },
  [aux_sym_source_file_repeat1] = {
    .visible = false,
    .named = false,
  },
  [aux_sym_instruction_repeat1] = {
    .visible = false,
    .named = false,
  },
  [aux_sym__line_repeat1] = {
    .visible = false,
    .named = false,
  },
  [aux_sym__code_repeat1] = {
    .visible = false,
    .named = false,
  },
  [alias_sym_mnemonic] = {
    .visible = true,
    .named = true,
  },
};

enum ts_field_identifiers {
  field_mnemonic = 1,
  field_name = 2,
};

static const char * const ts_field_names[] = {
  [0] = NULL,
  [field_mnemonic] = "mnemonic",
  [field_name] = "name",
};

static const TSFieldMapSlice ts_field_map_slices[PRODUCTION_ID_COUNT] = {
  [1] = {.index = 0, .length = 1},
  [2] = {.index = 1, .length = 1},
};

static const TSFieldMapEntry ts_field_map_entries[] = {
  [0] =
    {field_mnemonic, 0},
  [1] =
    {field_name, 0},
};

static const TSSymbol ts_alias_sequences[PRODUCTION_ID_COUNT][MAX_ALIAS_SEQUENCE_LENGTH] = {
  [0] = {0},
  [1] = {
    [0] = alias_sym_mnemonic,
  },
};

static const uint16_t ts_non_terminal_alias_map[] = {
  0,
};

static const TSStateId ts_primary_state_ids[STATE_COUNT] = {
  [0] = 0,
  [1] = 1,
  [2] = 2,
  [3] = 3,
  [4] = 4,
  [5] = 5,
  [6] = 6,
  [7] = 7,
  [8] = 2,
  [9] = 7,
  [10] = 6,
  [11] = 5,
  [12] = 12,
  [13] = 12,
  [14] = 14,
  [15] = 15,
  [16] = 16,
  [17] = 17,
  [18] = 18,
  [19] = 19,
  [20] = 15,
  [21] = 21,
  [22] = 22,
  [23] = 19,
  [24] = 21,
  [25] = 17,
  [26] = 26,
  [27] = 27,
  [28] = 28,
  [29] = 29,
  [30] = 30,
  [31] = 31,
};

static bool ts_lex(TSLexer *lexer, TSStateId state) {
  START_LEXER();
  eof = lexer->eof(lexer);
  switch (state) {
    case 0:
      if (eof) ADVANCE(14);
      ADVANCE_MAP(
        '\n', 17,
        '\r', 18,
        '"', 3,
        '#', 28,
        '\'', 8,
        ',', 16,
        '/', 23,
        ':', 15,
        ';', 27,
      );
      if (lookahead == '\t' ||
          lookahead == '\f' ||
          lookahead == ' ') SKIP(0);
      if (('0' <= lookahead && lookahead <= '9')) ADVANCE(20);
      if (lookahead == '!' ||
          ('%' <= lookahead && lookahead <= '-') ||
          ('<' <= lookahead && lookahead <= '?') ||
          lookahead == '[' ||
          lookahead == ']' ||
          lookahead == '^' ||
          lookahead == '|' ||
          lookahead == '~') ADVANCE(22);
      if (('$' <= lookahead && lookahead <= '_') ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(19);
      END_STATE();
    case 1:
      if (lookahead == '\n') ADVANCE(26);
      END_STATE();
    case 2:
      if (lookahead == '\n') ADVANCE(26);
      if (lookahead == '\r') ADVANCE(1);
      if (lookahead == '\t' ||
          lookahead == ' ') ADVANCE(2);
      END_STATE();
    case 3:
      if (lookahead == '"') ADVANCE(21);
      if (lookahead == '\\') ADVANCE(9);
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(3);
      END_STATE();
    case 4:
      if (lookahead == '\'') ADVANCE(21);
      END_STATE();
    case 5:
      if (lookahead == '*') ADVANCE(7);
      if (lookahead == '/') ADVANCE(25);
      END_STATE();
    case 6:
      if (lookahead == '*') ADVANCE(6);
      if (lookahead == '/') ADVANCE(24);
      if (lookahead != 0) ADVANCE(7);
      END_STATE();
    case 7:
      if (lookahead == '*') ADVANCE(6);
      if (lookahead != 0) ADVANCE(7);
      END_STATE();
    case 8:
      if (lookahead == '\\') ADVANCE(10);
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(4);
      END_STATE();
    case 9:
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(3);
      END_STATE();
    case 10:
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(4);
      END_STATE();
    case 11:
      if (eof) ADVANCE(14);
      ADVANCE_MAP(
        '\n', 17,
        '\r', 18,
        '"', 3,
        '\'', 8,
        ',', 16,
        '/', 23,
        ':', 15,
        ';', 27,
      );
      if (lookahead == '\t' ||
          lookahead == '\f' ||
          lookahead == ' ') SKIP(11);
      if (('0' <= lookahead && lookahead <= '9')) ADVANCE(20);
      if (('!' <= lookahead && lookahead <= '#') ||
          ('%' <= lookahead && lookahead <= '-') ||
          ('<' <= lookahead && lookahead <= '?') ||
          lookahead == '[' ||
          lookahead == ']' ||
          lookahead == '^' ||
          lookahead == '|' ||
          lookahead == '~') ADVANCE(22);
      if (('$' <= lookahead && lookahead <= '_') ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(19);
      END_STATE();
    case 12:
      if (eof) ADVANCE(14);
      if (lookahead == '\n') ADVANCE(17);
      if (lookahead == '\r') ADVANCE(18);
      if (lookahead == '"') ADVANCE(3);
      if (lookahead == '\'') ADVANCE(8);
      if (lookahead == ',') ADVANCE(16);
      if (lookahead == '/') ADVANCE(23);
      if (lookahead == ';') ADVANCE(27);
      if (lookahead == '\t' ||
          lookahead == '\f' ||
          lookahead == ' ') SKIP(12);
      if (('0' <= lookahead && lookahead <= '9')) ADVANCE(20);
      if (('!' <= lookahead && lookahead <= '#') ||
          ('%' <= lookahead && lookahead <= '-') ||
          (':' <= lookahead && lookahead <= '?') ||
          lookahead == '[' ||
          lookahead == ']' ||
          lookahead == '^' ||
          lookahead == '|' ||
          lookahead == '~') ADVANCE(22);
      if (('$' <= lookahead && lookahead <= '_') ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(19);
      END_STATE();
    case 13:
      if (eof) ADVANCE(14);
      if (lookahead == '\n') ADVANCE(17);
      if (lookahead == '\r') ADVANCE(18);
      if (lookahead == '#') ADVANCE(28);
      if (lookahead == '/') ADVANCE(5);
      if (lookahead == '\t' ||
          lookahead == '\f' ||
          lookahead == ' ') SKIP(13);
      if (('0' <= lookahead && lookahead <= '9')) ADVANCE(20);
      if (lookahead == '$' ||
          lookahead == '.' ||
          ('@' <= lookahead && lookahead <= 'Z') ||
          lookahead == '\\' ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(19);
      END_STATE();
    case 14:
      ACCEPT_TOKEN(ts_builtin_sym_end);
      END_STATE();
    case 15:
      ACCEPT_TOKEN(anon_sym_COLON);
      END_STATE();
    case 16:
      ACCEPT_TOKEN(anon_sym_COMMA);
      END_STATE();
    case 17:
      ACCEPT_TOKEN(sym__end);
      END_STATE();
    case 18:
      ACCEPT_TOKEN(sym__end);
      if (lookahead == '\n') ADVANCE(17);
      END_STATE();
    case 19:
      ACCEPT_TOKEN(sym_word);
      if (lookahead == '$' ||
          lookahead == '.' ||
          ('0' <= lookahead && lookahead <= '9') ||
          ('@' <= lookahead && lookahead <= 'Z') ||
          lookahead == '\\' ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(19);
      END_STATE();
    case 20:
      ACCEPT_TOKEN(sym_number);
      if (lookahead == '.' ||
          ('0' <= lookahead && lookahead <= '9') ||
          ('A' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(20);
      END_STATE();
    case 21:
      ACCEPT_TOKEN(sym_string);
      END_STATE();
    case 22:
      ACCEPT_TOKEN(sym_mark);
      END_STATE();
    case 23:
      ACCEPT_TOKEN(sym_mark);
      if (lookahead == '*') ADVANCE(7);
      if (lookahead == '/') ADVANCE(25);
      END_STATE();
    case 24:
      ACCEPT_TOKEN(sym_comment);
      END_STATE();
    case 25:
      ACCEPT_TOKEN(sym_comment);
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(25);
      END_STATE();
    case 26:
      ACCEPT_TOKEN(sym__separator);
      END_STATE();
    case 27:
      ACCEPT_TOKEN(sym__separator);
      if (lookahead == '\n') ADVANCE(26);
      if (lookahead == '\r') ADVANCE(1);
      if (lookahead == '\t' ||
          lookahead == ' ') ADVANCE(2);
      END_STATE();
    case 28:
      ACCEPT_TOKEN(sym_preprocessor);
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(28);
      END_STATE();
    default:
      return false;
  }
}

static const TSLexMode ts_lex_modes[STATE_COUNT] = {
  [0] = {.lex_state = 0},
  [1] = {.lex_state = 13},
  [2] = {.lex_state = 11},
  [3] = {.lex_state = 13},
  [4] = {.lex_state = 13},
  [5] = {.lex_state = 12},
  [6] = {.lex_state = 12},
  [7] = {.lex_state = 12},
  [8] = {.lex_state = 11},
  [9] = {.lex_state = 12},
  [10] = {.lex_state = 12},
  [11] = {.lex_state = 12},
  [12] = {.lex_state = 0},
  [13] = {.lex_state = 0},
  [14] = {.lex_state = 0},
  [15] = {.lex_state = 0},
  [16] = {.lex_state = 13},
  [17] = {.lex_state = 0},
  [18] = {.lex_state = 0},
  [19] = {.lex_state = 0},
  [20] = {.lex_state = 0},
  [21] = {.lex_state = 0},
  [22] = {.lex_state = 0},
  [23] = {.lex_state = 0},
  [24] = {.lex_state = 0},
  [25] = {.lex_state = 0},
  [26] = {.lex_state = 0},
  [27] = {.lex_state = 0},
  [28] = {.lex_state = 0},
  [29] = {.lex_state = 0},
  [30] = {.lex_state = 0},
  [31] = {.lex_state = 0},
};

static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {
  [0] = {
    [ts_builtin_sym_end] = ACTIONS(1),
    [anon_sym_COLON] = ACTIONS(1),
    [anon_sym_COMMA] = ACTIONS(1),
    [sym__end] = ACTIONS(1),
    [sym_word] = ACTIONS(1),
    [sym_number] = ACTIONS(1),
    [sym_string] = ACTIONS(1),
    [sym_mark] = ACTIONS(1),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(1),
    [sym_preprocessor] = ACTIONS(1),
  },
  [1] = {
    [sym_source_file] = STATE(30),
    [sym_label] = STATE(12),
    [sym_instruction] = STATE(17),
    [sym__line] = STATE(26),
    [sym__code] = STATE(26),
    [aux_sym_source_file_repeat1] = STATE(3),
    [aux_sym__line_repeat1] = STATE(12),
    [ts_builtin_sym_end] = ACTIONS(5),
    [sym__end] = ACTIONS(7),
    [sym_word] = ACTIONS(9),
    [sym_number] = ACTIONS(11),
    [sym_comment] = ACTIONS(3),
    [sym_preprocessor] = ACTIONS(13),
  },
  [2] = {
    [sym__value] = STATE(5),
    [aux_sym_instruction_repeat1] = STATE(5),
    [ts_builtin_sym_end] = ACTIONS(15),
    [anon_sym_COLON] = ACTIONS(17),
    [anon_sym_COMMA] = ACTIONS(19),
    [sym__end] = ACTIONS(15),
    [sym_word] = ACTIONS(19),
    [sym_number] = ACTIONS(19),
    [sym_string] = ACTIONS(19),
    [sym_mark] = ACTIONS(21),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(15),
  },
  [3] = {
    [sym_label] = STATE(12),
    [sym_instruction] = STATE(17),
    [sym__line] = STATE(27),
    [sym__code] = STATE(27),
    [aux_sym_source_file_repeat1] = STATE(4),
    [aux_sym__line_repeat1] = STATE(12),
    [ts_builtin_sym_end] = ACTIONS(23),
    [sym__end] = ACTIONS(25),
    [sym_word] = ACTIONS(9),
    [sym_number] = ACTIONS(11),
    [sym_comment] = ACTIONS(3),
    [sym_preprocessor] = ACTIONS(27),
  },
  [4] = {
    [sym_label] = STATE(13),
    [sym_instruction] = STATE(25),
    [sym__line] = STATE(31),
    [sym__code] = STATE(31),
    [aux_sym_source_file_repeat1] = STATE(4),
    [aux_sym__line_repeat1] = STATE(13),
    [ts_builtin_sym_end] = ACTIONS(29),
    [sym__end] = ACTIONS(31),
    [sym_word] = ACTIONS(34),
    [sym_number] = ACTIONS(37),
    [sym_comment] = ACTIONS(3),
    [sym_preprocessor] = ACTIONS(40),
  },
  [5] = {
    [sym__value] = STATE(6),
    [aux_sym_instruction_repeat1] = STATE(6),
    [ts_builtin_sym_end] = ACTIONS(43),
    [anon_sym_COMMA] = ACTIONS(45),
    [sym__end] = ACTIONS(43),
    [sym_word] = ACTIONS(45),
    [sym_number] = ACTIONS(45),
    [sym_string] = ACTIONS(45),
    [sym_mark] = ACTIONS(47),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(43),
  },
  [6] = {
    [sym__value] = STATE(6),
    [aux_sym_instruction_repeat1] = STATE(6),
    [ts_builtin_sym_end] = ACTIONS(49),
    [anon_sym_COMMA] = ACTIONS(51),
    [sym__end] = ACTIONS(49),
    [sym_word] = ACTIONS(51),
    [sym_number] = ACTIONS(51),
    [sym_string] = ACTIONS(51),
    [sym_mark] = ACTIONS(54),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(49),
  },
  [7] = {
    [sym__value] = STATE(5),
    [aux_sym_instruction_repeat1] = STATE(5),
    [ts_builtin_sym_end] = ACTIONS(15),
    [anon_sym_COMMA] = ACTIONS(19),
    [sym__end] = ACTIONS(15),
    [sym_word] = ACTIONS(19),
    [sym_number] = ACTIONS(19),
    [sym_string] = ACTIONS(19),
    [sym_mark] = ACTIONS(21),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(15),
  },
  [8] = {
    [sym__value] = STATE(11),
    [aux_sym_instruction_repeat1] = STATE(11),
    [anon_sym_COLON] = ACTIONS(17),
    [anon_sym_COMMA] = ACTIONS(57),
    [sym__end] = ACTIONS(15),
    [sym_word] = ACTIONS(57),
    [sym_number] = ACTIONS(57),
    [sym_string] = ACTIONS(57),
    [sym_mark] = ACTIONS(59),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(15),
  },
};

static const uint16_t ts_small_parse_table[] = {
  [0] = 5,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(59), 1,
      sym_mark,
    ACTIONS(15), 2,
      sym__end,
      sym__separator,
    STATE(11), 2,
      sym__value,
      aux_sym_instruction_repeat1,
    ACTIONS(57), 4,
      anon_sym_COMMA,
      sym_word,
      sym_number,
      sym_string,
  [21] = 5,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(64), 1,
      sym_mark,
    ACTIONS(49), 2,
      sym__end,
      sym__separator,
    STATE(10), 2,
      sym__value,
      aux_sym_instruction_repeat1,
    ACTIONS(61), 4,
      anon_sym_COMMA,
      sym_word,
      sym_number,
      sym_string,
  [42] = 5,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(69), 1,
      sym_mark,
    ACTIONS(43), 2,
      sym__end,
      sym__separator,
    STATE(10), 2,
      sym__value,
      aux_sym_instruction_repeat1,
    ACTIONS(67), 4,
      anon_sym_COMMA,
      sym_word,
      sym_number,
      sym_string,
  [63] = 7,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(9), 1,
      sym_word,
    ACTIONS(11), 1,
      sym_number,
    STATE(17), 1,
      sym_instruction,
    STATE(28), 1,
      sym__code,
    ACTIONS(71), 2,
      ts_builtin_sym_end,
      sym__end,
    STATE(14), 2,
      sym_label,
      aux_sym__line_repeat1,
  [87] = 7,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(11), 1,
      sym_number,
    ACTIONS(71), 1,
      sym__end,
    ACTIONS(73), 1,
      sym_word,
    STATE(25), 1,
      sym_instruction,
    STATE(28), 1,
      sym__code,
    STATE(14), 2,
      sym_label,
      aux_sym__line_repeat1,
  [110] = 4,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(75), 2,
      ts_builtin_sym_end,
      sym__end,
    ACTIONS(77), 2,
      sym_word,
      sym_number,
    STATE(14), 2,
      sym_label,
      aux_sym__line_repeat1,
  [126] = 4,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(82), 1,
      sym_word,
    STATE(22), 1,
      sym_instruction,
    ACTIONS(80), 3,
      ts_builtin_sym_end,
      sym__end,
      sym__separator,
  [141] = 2,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(29), 5,
      ts_builtin_sym_end,
      sym__end,
      sym_word,
      sym_number,
      sym_preprocessor,
  [152] = 4,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(86), 1,
      sym__separator,
    STATE(19), 1,
      aux_sym__code_repeat1,
    ACTIONS(84), 2,
      ts_builtin_sym_end,
      sym__end,
  [166] = 2,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(88), 4,
      ts_builtin_sym_end,
      sym__end,
      sym_word,
      sym_number,
  [176] = 4,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(86), 1,
      sym__separator,
    STATE(21), 1,
      aux_sym__code_repeat1,
    ACTIONS(90), 2,
      ts_builtin_sym_end,
      sym__end,
  [190] = 4,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(92), 1,
      sym_word,
    STATE(22), 1,
      sym_instruction,
    ACTIONS(80), 2,
      sym__end,
      sym__separator,
  [204] = 4,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(96), 1,
      sym__separator,
    STATE(21), 1,
      aux_sym__code_repeat1,
    ACTIONS(94), 2,
      ts_builtin_sym_end,
      sym__end,
  [218] = 2,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(94), 3,
      ts_builtin_sym_end,
      sym__end,
      sym__separator,
  [227] = 4,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(90), 1,
      sym__end,
    ACTIONS(99), 1,
      sym__separator,
    STATE(24), 1,
      aux_sym__code_repeat1,
  [240] = 4,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(94), 1,
      sym__end,
    ACTIONS(101), 1,
      sym__separator,
    STATE(24), 1,
      aux_sym__code_repeat1,
  [253] = 4,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(84), 1,
      sym__end,
    ACTIONS(99), 1,
      sym__separator,
    STATE(23), 1,
      aux_sym__code_repeat1,
  [266] = 3,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(23), 1,
      ts_builtin_sym_end,
    ACTIONS(104), 1,
      sym__end,
  [276] = 3,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(104), 1,
      sym__end,
    ACTIONS(106), 1,
      ts_builtin_sym_end,
  [286] = 2,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(108), 2,
      ts_builtin_sym_end,
      sym__end,
  [294] = 2,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(17), 1,
      anon_sym_COLON,
  [301] = 2,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(110), 1,
      ts_builtin_sym_end,
  [308] = 2,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(104), 1,
      sym__end,
};

static const uint32_t ts_small_parse_table_map[] = {
  [SMALL_STATE(9)] = 0,
  [SMALL_STATE(10)] = 21,
  [SMALL_STATE(11)] = 42,
  [SMALL_STATE(12)] = 63,
  [SMALL_STATE(13)] = 87,
  [SMALL_STATE(14)] = 110,
  [SMALL_STATE(15)] = 126,
  [SMALL_STATE(16)] = 141,
  [SMALL_STATE(17)] = 152,
  [SMALL_STATE(18)] = 166,
  [SMALL_STATE(19)] = 176,
  [SMALL_STATE(20)] = 190,
  [SMALL_STATE(21)] = 204,
  [SMALL_STATE(22)] = 218,
  [SMALL_STATE(23)] = 227,
  [SMALL_STATE(24)] = 240,
  [SMALL_STATE(25)] = 253,
  [SMALL_STATE(26)] = 266,
  [SMALL_STATE(27)] = 276,
  [SMALL_STATE(28)] = 286,
  [SMALL_STATE(29)] = 294,
  [SMALL_STATE(30)] = 301,
  [SMALL_STATE(31)] = 308,
};

static const TSParseActionEntry ts_parse_actions[] = {
  [0] = {.entry = {.count = 0, .reusable = false}},
  [1] = {.entry = {.count = 1, .reusable = false}}, RECOVER(),
  [3] = {.entry = {.count = 1, .reusable = true}}, SHIFT_EXTRA(),
  [5] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_source_file, 0, 0, 0),
  [7] = {.entry = {.count = 1, .reusable = true}}, SHIFT(3),
  [9] = {.entry = {.count = 1, .reusable = true}}, SHIFT(2),
  [11] = {.entry = {.count = 1, .reusable = true}}, SHIFT(29),
  [13] = {.entry = {.count = 1, .reusable = true}}, SHIFT(26),
  [15] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_instruction, 1, 0, 1),
  [17] = {.entry = {.count = 1, .reusable = true}}, SHIFT(18),
  [19] = {.entry = {.count = 1, .reusable = true}}, SHIFT(5),
  [21] = {.entry = {.count = 1, .reusable = false}}, SHIFT(5),
  [23] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_source_file, 1, 0, 0),
  [25] = {.entry = {.count = 1, .reusable = true}}, SHIFT(4),
  [27] = {.entry = {.count = 1, .reusable = true}}, SHIFT(27),
  [29] = {.entry = {.count = 1, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0),
  [31] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0), SHIFT_REPEAT(4),
  [34] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0), SHIFT_REPEAT(8),
  [37] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0), SHIFT_REPEAT(29),
  [40] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0), SHIFT_REPEAT(31),
  [43] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_instruction, 2, 0, 1),
  [45] = {.entry = {.count = 1, .reusable = true}}, SHIFT(6),
  [47] = {.entry = {.count = 1, .reusable = false}}, SHIFT(6),
  [49] = {.entry = {.count = 1, .reusable = true}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0),
  [51] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0), SHIFT_REPEAT(6),
  [54] = {.entry = {.count = 2, .reusable = false}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0), SHIFT_REPEAT(6),
  [57] = {.entry = {.count = 1, .reusable = true}}, SHIFT(11),
  [59] = {.entry = {.count = 1, .reusable = false}}, SHIFT(11),
  [61] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0), SHIFT_REPEAT(10),
  [64] = {.entry = {.count = 2, .reusable = false}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0), SHIFT_REPEAT(10),
  [67] = {.entry = {.count = 1, .reusable = true}}, SHIFT(10),
  [69] = {.entry = {.count = 1, .reusable = false}}, SHIFT(10),
  [71] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym__line, 1, 0, 0),
  [73] = {.entry = {.count = 1, .reusable = true}}, SHIFT(8),
  [75] = {.entry = {.count = 1, .reusable = true}}, REDUCE(aux_sym__line_repeat1, 2, 0, 0),
  [77] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym__line_repeat1, 2, 0, 0), SHIFT_REPEAT(29),
  [80] = {.entry = {.count = 1, .reusable = true}}, REDUCE(aux_sym__code_repeat1, 1, 0, 0),
  [82] = {.entry = {.count = 1, .reusable = true}}, SHIFT(7),
  [84] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym__code, 1, 0, 0),
  [86] = {.entry = {.count = 1, .reusable = true}}, SHIFT(15),
  [88] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_label, 2, 0, 2),
  [90] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym__code, 2, 0, 0),
  [92] = {.entry = {.count = 1, .reusable = true}}, SHIFT(9),
  [94] = {.entry = {.count = 1, .reusable = true}}, REDUCE(aux_sym__code_repeat1, 2, 0, 0),
  [96] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym__code_repeat1, 2, 0, 0), SHIFT_REPEAT(15),
  [99] = {.entry = {.count = 1, .reusable = true}}, SHIFT(20),
  [101] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym__code_repeat1, 2, 0, 0), SHIFT_REPEAT(20),
  [104] = {.entry = {.count = 1, .reusable = true}}, SHIFT(16),
  [106] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_source_file, 2, 0, 0),
  [108] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym__line, 2, 0, 0),
  [110] = {.entry = {.count = 1, .reusable = true}},  ACCEPT_INPUT(),
};

#ifdef __cplusplus
extern "C" {
#endif
#ifdef TREE_SITTER_HIDE_SYMBOLS
#define TS_PUBLIC
#elif defined(_WIN32)
#define TS_PUBLIC __declspec(dllexport)
#else
#define TS_PUBLIC __attribute__((visibility("default")))
#endif

TS_PUBLIC const TSLanguage *tree_sitter_aie_asm(void) {
  static const TSLanguage language = {
    .version = LANGUAGE_VERSION,
    .symbol_count = SYMBOL_COUNT,
    .alias_count = ALIAS_COUNT,
    .token_count = TOKEN_COUNT,
    .external_token_count = EXTERNAL_TOKEN_COUNT,
    .state_count = STATE_COUNT,
    .large_state_count = LARGE_STATE_COUNT,
    .production_id_count = PRODUCTION_ID_COUNT,
    .field_count = FIELD_COUNT,
    .max_alias_sequence_length = MAX_ALIAS_SEQUENCE_LENGTH,
    .parse_table = &ts_parse_table[0][0],
    .small_parse_table = ts_small_parse_table,
    .small_parse_table_map = ts_small_parse_table_map,
    .parse_actions = ts_parse_actions,
    .symbol_names = ts_symbol_names,
    .field_names = ts_field_names,
    .field_map_slices = ts_field_map_slices,
    .field_map_entries = ts_field_map_entries,
    .symbol_metadata = ts_symbol_metadata,
    .public_symbol_map = ts_symbol_map,
    .alias_map = ts_non_terminal_alias_map,
    .alias_sequences = &ts_alias_sequences[0][0],
    .lex_modes = ts_lex_modes,
    .lex_fn = ts_lex,
    .primary_state_ids = ts_primary_state_ids,
  };
  return &language;
}
#ifdef __cplusplus
}
#endif
