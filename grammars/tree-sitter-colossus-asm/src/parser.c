#include "tree_sitter/parser.h"

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif

#define LANGUAGE_VERSION 14
#define STATE_COUNT 36
#define LARGE_STATE_COUNT 4
#define SYMBOL_COUNT 27
#define ALIAS_COUNT 1
#define TOKEN_COUNT 14
#define EXTERNAL_TOKEN_COUNT 0
#define FIELD_COUNT 2
#define MAX_ALIAS_SEQUENCE_LENGTH 3
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
  sym_preprocessor = 9,
  anon_sym_LBRACE = 10,
  anon_sym_RBRACE = 11,
  anon_sym_LPAREN = 12,
  anon_sym_RPAREN = 13,
  sym_source_file = 14,
  sym_label = 15,
  sym_instruction = 16,
  sym__value = 17,
  sym__line = 18,
  sym__code = 19,
  sym_bundle = 20,
  sym_group = 21,
  aux_sym_source_file_repeat1 = 22,
  aux_sym_instruction_repeat1 = 23,
  aux_sym__line_repeat1 = 24,
  aux_sym_bundle_repeat1 = 25,
  aux_sym_group_repeat1 = 26,
  alias_sym_mnemonic = 27,
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
  [sym_preprocessor] = "preprocessor",
  [anon_sym_LBRACE] = "{",
  [anon_sym_RBRACE] = "}",
  [anon_sym_LPAREN] = "(",
  [anon_sym_RPAREN] = ")",
  [sym_source_file] = "source_file",
  [sym_label] = "label",
  [sym_instruction] = "instruction",
  [sym__value] = "_value",
  [sym__line] = "_line",
  [sym__code] = "_code",
  [sym_bundle] = "bundle",
  [sym_group] = "group",
  [aux_sym_source_file_repeat1] = "source_file_repeat1",
  [aux_sym_instruction_repeat1] = "instruction_repeat1",
  [aux_sym__line_repeat1] = "_line_repeat1",
  [aux_sym_bundle_repeat1] = "bundle_repeat1",
  [aux_sym_group_repeat1] = "group_repeat1",
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
  [sym_preprocessor] = sym_preprocessor,
  [anon_sym_LBRACE] = anon_sym_LBRACE,
  [anon_sym_RBRACE] = anon_sym_RBRACE,
  [anon_sym_LPAREN] = anon_sym_LPAREN,
  [anon_sym_RPAREN] = anon_sym_RPAREN,
  [sym_source_file] = sym_source_file,
  [sym_label] = sym_label,
  [sym_instruction] = sym_instruction,
  [sym__value] = sym__value,
  [sym__line] = sym__line,
  [sym__code] = sym__code,
  [sym_bundle] = sym_bundle,
  [sym_group] = sym_group,
  [aux_sym_source_file_repeat1] = aux_sym_source_file_repeat1,
  [aux_sym_instruction_repeat1] = aux_sym_instruction_repeat1,
  [aux_sym__line_repeat1] = aux_sym__line_repeat1,
  [aux_sym_bundle_repeat1] = aux_sym_bundle_repeat1,
  [aux_sym_group_repeat1] = aux_sym_group_repeat1,
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
  [sym_preprocessor] = {
    .visible = true,
    .named = true,
  },
  [anon_sym_LBRACE] = {
    .visible = true,
    .named = false,
  },
  [anon_sym_RBRACE] = {
    .visible = true,
    .named = false,
  },
  [anon_sym_LPAREN] = {
    .visible = true,
    .named = false,
  },
  [anon_sym_RPAREN] = {
    .visible = true,
    .named = false,
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
  [sym_bundle] = {
    .visible = true,
    .named = true,
  },
  [sym_group] = {
    .visible = true,
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
  [aux_sym_bundle_repeat1] = {
    .visible = false,
    .named = false,
  },
  [aux_sym_group_repeat1] = {
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
  [8] = 4,
  [9] = 9,
  [10] = 10,
  [11] = 6,
  [12] = 7,
  [13] = 10,
  [14] = 14,
  [15] = 9,
  [16] = 16,
  [17] = 17,
  [18] = 18,
  [19] = 16,
  [20] = 18,
  [21] = 17,
  [22] = 22,
  [23] = 23,
  [24] = 24,
  [25] = 25,
  [26] = 26,
  [27] = 27,
  [28] = 28,
  [29] = 29,
  [30] = 30,
  [31] = 31,
  [32] = 32,
  [33] = 33,
  [34] = 34,
  [35] = 35,
};

static bool ts_lex(TSLexer *lexer, TSStateId state) {
  START_LEXER();
  eof = lexer->eof(lexer);
  switch (state) {
    case 0:
      if (eof) ADVANCE(30);
      ADVANCE_MAP(
        '\r', 34,
        '"', 11,
        '#', 47,
        '$', 38,
        '\'', 24,
        '(', 50,
        ')', 51,
        ',', 32,
        '/', 43,
        ':', 31,
        '=', 44,
        '\\', 3,
        '{', 48,
        '}', 49,
        '\n', 33,
        ';', 33,
      );
      if (lookahead == '\t' ||
          lookahead == '\f' ||
          lookahead == ' ') SKIP(0);
      if (('0' <= lookahead && lookahead <= '9')) ADVANCE(40);
      if (('!' <= lookahead && lookahead <= '-') ||
          ('<' <= lookahead && lookahead <= '@') ||
          ('[' <= lookahead && lookahead <= '^') ||
          ('|' <= lookahead && lookahead <= '~')) ADVANCE(42);
      if (('.' <= lookahead && lookahead <= '_') ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(39);
      END_STATE();
    case 1:
      if (lookahead == '\n') ADVANCE(47);
      END_STATE();
    case 2:
      if (lookahead == '\n') SKIP(8);
      END_STATE();
    case 3:
      if (lookahead == '\n') SKIP(8);
      if (lookahead == '\r') SKIP(2);
      if (lookahead == '(') ADVANCE(20);
      if (lookahead == '\t' ||
          lookahead == ' ') SKIP(4);
      if (('0' <= lookahead && lookahead <= '9') ||
          ('@' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(39);
      END_STATE();
    case 4:
      if (lookahead == '\n') SKIP(8);
      if (lookahead == '\r') SKIP(2);
      if (lookahead == '\t' ||
          lookahead == ' ') SKIP(4);
      END_STATE();
    case 5:
      if (lookahead == '\n') SKIP(9);
      END_STATE();
    case 6:
      if (lookahead == '\n') SKIP(9);
      if (lookahead == '\r') SKIP(5);
      if (lookahead == '(') ADVANCE(20);
      if (lookahead == '\t' ||
          lookahead == ' ') SKIP(7);
      if (('0' <= lookahead && lookahead <= '9') ||
          ('@' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(39);
      END_STATE();
    case 7:
      if (lookahead == '\n') SKIP(9);
      if (lookahead == '\r') SKIP(5);
      if (lookahead == '\t' ||
          lookahead == ' ') SKIP(7);
      END_STATE();
    case 8:
      ADVANCE_MAP(
        '\r', 34,
        '"', 11,
        '#', 47,
        '$', 38,
        '\'', 24,
        '(', 50,
        ')', 51,
        ',', 32,
        '/', 43,
        ':', 31,
        '=', 44,
        '\\', 3,
        '{', 48,
        '}', 49,
        '\n', 33,
        ';', 33,
      );
      if (lookahead == '\t' ||
          lookahead == '\f' ||
          lookahead == ' ') SKIP(8);
      if (('0' <= lookahead && lookahead <= '9')) ADVANCE(40);
      if (('!' <= lookahead && lookahead <= '-') ||
          ('<' <= lookahead && lookahead <= '@') ||
          ('[' <= lookahead && lookahead <= '^') ||
          ('|' <= lookahead && lookahead <= '~')) ADVANCE(42);
      if (('.' <= lookahead && lookahead <= '_') ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(39);
      END_STATE();
    case 9:
      ADVANCE_MAP(
        '\r', 34,
        '"', 11,
        '#', 47,
        '$', 38,
        '\'', 24,
        '(', 50,
        ')', 51,
        ',', 32,
        '/', 43,
        '=', 44,
        '\\', 6,
        '}', 49,
        '\n', 33,
        ';', 33,
      );
      if (lookahead == '\t' ||
          lookahead == '\f' ||
          lookahead == ' ') SKIP(9);
      if (('0' <= lookahead && lookahead <= '9')) ADVANCE(40);
      if (('!' <= lookahead && lookahead <= '-') ||
          (':' <= lookahead && lookahead <= '@') ||
          ('[' <= lookahead && lookahead <= '^') ||
          ('|' <= lookahead && lookahead <= '~')) ADVANCE(42);
      if (('.' <= lookahead && lookahead <= '_') ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(39);
      END_STATE();
    case 10:
      if (lookahead == '\r') ADVANCE(1);
      if (lookahead != 0) ADVANCE(47);
      END_STATE();
    case 11:
      if (lookahead == '"') ADVANCE(41);
      if (lookahead == '\\') ADVANCE(27);
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(11);
      END_STATE();
    case 12:
      if (lookahead == '\'') ADVANCE(41);
      END_STATE();
    case 13:
      if (lookahead == '(') ADVANCE(20);
      if (('0' <= lookahead && lookahead <= '9') ||
          ('@' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(39);
      END_STATE();
    case 14:
      if (lookahead == '(') ADVANCE(18);
      if (('0' <= lookahead && lookahead <= '9') ||
          ('@' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(36);
      END_STATE();
    case 15:
      if (lookahead == '(') ADVANCE(17);
      if (('0' <= lookahead && lookahead <= '9') ||
          ('@' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(40);
      END_STATE();
    case 16:
      if (lookahead == '(') ADVANCE(19);
      if (('0' <= lookahead && lookahead <= '9') ||
          ('@' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(37);
      END_STATE();
    case 17:
      if (lookahead == ')') ADVANCE(40);
      END_STATE();
    case 18:
      if (lookahead == ')') ADVANCE(36);
      END_STATE();
    case 19:
      if (lookahead == ')') ADVANCE(37);
      END_STATE();
    case 20:
      if (lookahead == ')') ADVANCE(39);
      END_STATE();
    case 21:
      if (lookahead == '*') ADVANCE(21);
      if (lookahead == '/') ADVANCE(45);
      if (lookahead != 0) ADVANCE(22);
      END_STATE();
    case 22:
      if (lookahead == '*') ADVANCE(21);
      if (lookahead != 0) ADVANCE(22);
      END_STATE();
    case 23:
      if (lookahead == '>') ADVANCE(35);
      END_STATE();
    case 24:
      if (lookahead == '\\') ADVANCE(28);
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(12);
      END_STATE();
    case 25:
      if (lookahead == '\\') ADVANCE(16);
      if (lookahead == '$' ||
          lookahead == '.' ||
          ('0' <= lookahead && lookahead <= '9') ||
          ('A' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(37);
      END_STATE();
    case 26:
      if (lookahead == '+' ||
          lookahead == '=') ADVANCE(35);
      END_STATE();
    case 27:
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(11);
      END_STATE();
    case 28:
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(12);
      END_STATE();
    case 29:
      if (eof) ADVANCE(30);
      ADVANCE_MAP(
        '\r', 34,
        '"', 11,
        '#', 47,
        '$', 38,
        '\'', 24,
        '(', 50,
        ')', 51,
        ',', 32,
        '/', 43,
        '=', 44,
        '\\', 6,
        '}', 49,
        '\n', 33,
        ';', 33,
      );
      if (lookahead == '\t' ||
          lookahead == '\f' ||
          lookahead == ' ') SKIP(29);
      if (('0' <= lookahead && lookahead <= '9')) ADVANCE(40);
      if (('!' <= lookahead && lookahead <= '-') ||
          (':' <= lookahead && lookahead <= '@') ||
          ('[' <= lookahead && lookahead <= '^') ||
          ('|' <= lookahead && lookahead <= '~')) ADVANCE(42);
      if (('.' <= lookahead && lookahead <= '_') ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(39);
      END_STATE();
    case 30:
      ACCEPT_TOKEN(ts_builtin_sym_end);
      END_STATE();
    case 31:
      ACCEPT_TOKEN(anon_sym_COLON);
      END_STATE();
    case 32:
      ACCEPT_TOKEN(anon_sym_COMMA);
      END_STATE();
    case 33:
      ACCEPT_TOKEN(sym__end);
      END_STATE();
    case 34:
      ACCEPT_TOKEN(sym__end);
      if (lookahead == '\n') ADVANCE(33);
      END_STATE();
    case 35:
      ACCEPT_TOKEN(sym_word);
      END_STATE();
    case 36:
      ACCEPT_TOKEN(sym_word);
      if (lookahead == '+') ADVANCE(26);
      if (lookahead == ':') ADVANCE(25);
      if (lookahead == '>') ADVANCE(23);
      if (lookahead == '@') ADVANCE(35);
      if (lookahead == '\\') ADVANCE(14);
      if (lookahead == '$' ||
          lookahead == '.' ||
          ('0' <= lookahead && lookahead <= '9') ||
          ('A' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(36);
      END_STATE();
    case 37:
      ACCEPT_TOKEN(sym_word);
      if (lookahead == '+') ADVANCE(26);
      if (lookahead == '>') ADVANCE(23);
      if (lookahead == '@') ADVANCE(35);
      if (lookahead == '\\') ADVANCE(16);
      if (lookahead == '$' ||
          lookahead == '.' ||
          ('0' <= lookahead && lookahead <= '9') ||
          ('A' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(37);
      END_STATE();
    case 38:
      ACCEPT_TOKEN(sym_word);
      if (lookahead == '\\') ADVANCE(14);
      if (lookahead == '$' ||
          lookahead == '.' ||
          ('0' <= lookahead && lookahead <= '9') ||
          ('A' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(36);
      END_STATE();
    case 39:
      ACCEPT_TOKEN(sym_word);
      if (lookahead == '\\') ADVANCE(13);
      if (lookahead == '$' ||
          lookahead == '.' ||
          ('0' <= lookahead && lookahead <= '9') ||
          ('A' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(39);
      END_STATE();
    case 40:
      ACCEPT_TOKEN(sym_number);
      if (lookahead == '\\') ADVANCE(15);
      if (lookahead == '$' ||
          lookahead == '.' ||
          ('0' <= lookahead && lookahead <= '9') ||
          ('A' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(40);
      END_STATE();
    case 41:
      ACCEPT_TOKEN(sym_string);
      END_STATE();
    case 42:
      ACCEPT_TOKEN(sym_mark);
      END_STATE();
    case 43:
      ACCEPT_TOKEN(sym_mark);
      if (lookahead == '*') ADVANCE(22);
      if (lookahead == '/') ADVANCE(46);
      END_STATE();
    case 44:
      ACCEPT_TOKEN(sym_mark);
      if (lookahead == '=') ADVANCE(42);
      END_STATE();
    case 45:
      ACCEPT_TOKEN(sym_comment);
      END_STATE();
    case 46:
      ACCEPT_TOKEN(sym_comment);
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(46);
      END_STATE();
    case 47:
      ACCEPT_TOKEN(sym_preprocessor);
      if (lookahead == '\\') ADVANCE(10);
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(47);
      END_STATE();
    case 48:
      ACCEPT_TOKEN(anon_sym_LBRACE);
      END_STATE();
    case 49:
      ACCEPT_TOKEN(anon_sym_RBRACE);
      END_STATE();
    case 50:
      ACCEPT_TOKEN(anon_sym_LPAREN);
      END_STATE();
    case 51:
      ACCEPT_TOKEN(anon_sym_RPAREN);
      END_STATE();
    default:
      return false;
  }
}

static const TSLexMode ts_lex_modes[STATE_COUNT] = {
  [0] = {.lex_state = 0},
  [1] = {.lex_state = 0},
  [2] = {.lex_state = 0},
  [3] = {.lex_state = 0},
  [4] = {.lex_state = 0},
  [5] = {.lex_state = 29},
  [6] = {.lex_state = 29},
  [7] = {.lex_state = 29},
  [8] = {.lex_state = 0},
  [9] = {.lex_state = 29},
  [10] = {.lex_state = 29},
  [11] = {.lex_state = 29},
  [12] = {.lex_state = 29},
  [13] = {.lex_state = 29},
  [14] = {.lex_state = 29},
  [15] = {.lex_state = 29},
  [16] = {.lex_state = 0},
  [17] = {.lex_state = 29},
  [18] = {.lex_state = 29},
  [19] = {.lex_state = 0},
  [20] = {.lex_state = 29},
  [21] = {.lex_state = 29},
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
  [32] = {.lex_state = 0},
  [33] = {.lex_state = 0},
  [34] = {.lex_state = 0},
  [35] = {.lex_state = 0},
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
    [sym_preprocessor] = ACTIONS(1),
    [anon_sym_LBRACE] = ACTIONS(1),
    [anon_sym_RBRACE] = ACTIONS(1),
    [anon_sym_LPAREN] = ACTIONS(1),
    [anon_sym_RPAREN] = ACTIONS(1),
  },
  [1] = {
    [sym_source_file] = STATE(33),
    [sym_label] = STATE(16),
    [sym_instruction] = STATE(31),
    [sym__line] = STATE(31),
    [sym__code] = STATE(31),
    [sym_bundle] = STATE(31),
    [aux_sym_source_file_repeat1] = STATE(2),
    [aux_sym__line_repeat1] = STATE(16),
    [ts_builtin_sym_end] = ACTIONS(5),
    [sym__end] = ACTIONS(7),
    [sym_word] = ACTIONS(9),
    [sym_number] = ACTIONS(11),
    [sym_comment] = ACTIONS(3),
    [sym_preprocessor] = ACTIONS(13),
    [anon_sym_LBRACE] = ACTIONS(15),
  },
  [2] = {
    [sym_label] = STATE(16),
    [sym_instruction] = STATE(30),
    [sym__line] = STATE(30),
    [sym__code] = STATE(30),
    [sym_bundle] = STATE(30),
    [aux_sym_source_file_repeat1] = STATE(3),
    [aux_sym__line_repeat1] = STATE(16),
    [ts_builtin_sym_end] = ACTIONS(17),
    [sym__end] = ACTIONS(19),
    [sym_word] = ACTIONS(9),
    [sym_number] = ACTIONS(11),
    [sym_comment] = ACTIONS(3),
    [sym_preprocessor] = ACTIONS(21),
    [anon_sym_LBRACE] = ACTIONS(15),
  },
  [3] = {
    [sym_label] = STATE(19),
    [sym_instruction] = STATE(34),
    [sym__line] = STATE(34),
    [sym__code] = STATE(34),
    [sym_bundle] = STATE(34),
    [aux_sym_source_file_repeat1] = STATE(3),
    [aux_sym__line_repeat1] = STATE(19),
    [ts_builtin_sym_end] = ACTIONS(23),
    [sym__end] = ACTIONS(25),
    [sym_word] = ACTIONS(28),
    [sym_number] = ACTIONS(31),
    [sym_comment] = ACTIONS(3),
    [sym_preprocessor] = ACTIONS(34),
    [anon_sym_LBRACE] = ACTIONS(37),
  },
};

static const uint16_t ts_small_parse_table[] = {
  [0] = 7,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(42), 1,
      anon_sym_COLON,
    ACTIONS(46), 1,
      sym_mark,
    ACTIONS(48), 1,
      anon_sym_LPAREN,
    ACTIONS(40), 2,
      ts_builtin_sym_end,
      sym__end,
    STATE(11), 3,
      sym__value,
      sym_group,
      aux_sym_instruction_repeat1,
    ACTIONS(44), 4,
      anon_sym_COMMA,
      sym_word,
      sym_number,
      sym_string,
  [28] = 6,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(52), 1,
      sym_mark,
    ACTIONS(54), 1,
      anon_sym_LPAREN,
    ACTIONS(40), 3,
      sym__end,
      sym_preprocessor,
      anon_sym_RBRACE,
    STATE(6), 3,
      sym__value,
      sym_group,
      aux_sym_instruction_repeat1,
    ACTIONS(50), 4,
      anon_sym_COMMA,
      sym_word,
      sym_number,
      sym_string,
  [54] = 6,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(54), 1,
      anon_sym_LPAREN,
    ACTIONS(60), 1,
      sym_mark,
    ACTIONS(58), 3,
      sym__end,
      sym_preprocessor,
      anon_sym_RBRACE,
    STATE(7), 3,
      sym__value,
      sym_group,
      aux_sym_instruction_repeat1,
    ACTIONS(56), 4,
      anon_sym_COMMA,
      sym_word,
      sym_number,
      sym_string,
  [80] = 6,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(67), 1,
      sym_mark,
    ACTIONS(70), 1,
      anon_sym_LPAREN,
    ACTIONS(65), 3,
      sym__end,
      sym_preprocessor,
      anon_sym_RBRACE,
    STATE(7), 3,
      sym__value,
      sym_group,
      aux_sym_instruction_repeat1,
    ACTIONS(62), 4,
      anon_sym_COMMA,
      sym_word,
      sym_number,
      sym_string,
  [106] = 7,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(40), 1,
      sym__end,
    ACTIONS(42), 1,
      anon_sym_COLON,
    ACTIONS(52), 1,
      sym_mark,
    ACTIONS(54), 1,
      anon_sym_LPAREN,
    STATE(6), 3,
      sym__value,
      sym_group,
      aux_sym_instruction_repeat1,
    ACTIONS(50), 4,
      anon_sym_COMMA,
      sym_word,
      sym_number,
      sym_string,
  [133] = 6,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(54), 1,
      anon_sym_LPAREN,
    ACTIONS(75), 1,
      sym_mark,
    ACTIONS(77), 1,
      anon_sym_RPAREN,
    STATE(14), 3,
      sym__value,
      sym_group,
      aux_sym_group_repeat1,
    ACTIONS(73), 5,
      anon_sym_COMMA,
      sym__end,
      sym_word,
      sym_number,
      sym_string,
  [158] = 6,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(54), 1,
      anon_sym_LPAREN,
    ACTIONS(81), 1,
      sym_mark,
    ACTIONS(83), 1,
      anon_sym_RPAREN,
    STATE(9), 3,
      sym__value,
      sym_group,
      aux_sym_group_repeat1,
    ACTIONS(79), 5,
      anon_sym_COMMA,
      sym__end,
      sym_word,
      sym_number,
      sym_string,
  [183] = 6,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(48), 1,
      anon_sym_LPAREN,
    ACTIONS(87), 1,
      sym_mark,
    ACTIONS(58), 2,
      ts_builtin_sym_end,
      sym__end,
    STATE(12), 3,
      sym__value,
      sym_group,
      aux_sym_instruction_repeat1,
    ACTIONS(85), 4,
      anon_sym_COMMA,
      sym_word,
      sym_number,
      sym_string,
  [208] = 6,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(92), 1,
      sym_mark,
    ACTIONS(95), 1,
      anon_sym_LPAREN,
    ACTIONS(65), 2,
      ts_builtin_sym_end,
      sym__end,
    STATE(12), 3,
      sym__value,
      sym_group,
      aux_sym_instruction_repeat1,
    ACTIONS(89), 4,
      anon_sym_COMMA,
      sym_word,
      sym_number,
      sym_string,
  [233] = 6,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(54), 1,
      anon_sym_LPAREN,
    ACTIONS(100), 1,
      sym_mark,
    ACTIONS(102), 1,
      anon_sym_RPAREN,
    STATE(15), 3,
      sym__value,
      sym_group,
      aux_sym_group_repeat1,
    ACTIONS(98), 5,
      anon_sym_COMMA,
      sym__end,
      sym_word,
      sym_number,
      sym_string,
  [258] = 6,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(107), 1,
      sym_mark,
    ACTIONS(110), 1,
      anon_sym_LPAREN,
    ACTIONS(113), 1,
      anon_sym_RPAREN,
    STATE(14), 3,
      sym__value,
      sym_group,
      aux_sym_group_repeat1,
    ACTIONS(104), 5,
      anon_sym_COMMA,
      sym__end,
      sym_word,
      sym_number,
      sym_string,
  [283] = 6,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(54), 1,
      anon_sym_LPAREN,
    ACTIONS(75), 1,
      sym_mark,
    ACTIONS(115), 1,
      anon_sym_RPAREN,
    STATE(14), 3,
      sym__value,
      sym_group,
      aux_sym_group_repeat1,
    ACTIONS(73), 5,
      anon_sym_COMMA,
      sym__end,
      sym_word,
      sym_number,
      sym_string,
  [308] = 7,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(9), 1,
      sym_word,
    ACTIONS(11), 1,
      sym_number,
    ACTIONS(15), 1,
      anon_sym_LBRACE,
    ACTIONS(117), 2,
      ts_builtin_sym_end,
      sym__end,
    STATE(22), 2,
      sym_label,
      aux_sym__line_repeat1,
    STATE(28), 3,
      sym_instruction,
      sym__code,
      sym_bundle,
  [334] = 3,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(121), 1,
      sym_mark,
    ACTIONS(119), 9,
      anon_sym_COMMA,
      sym__end,
      sym_word,
      sym_number,
      sym_string,
      sym_preprocessor,
      anon_sym_RBRACE,
      anon_sym_LPAREN,
      anon_sym_RPAREN,
  [352] = 3,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(125), 1,
      sym_mark,
    ACTIONS(123), 9,
      anon_sym_COMMA,
      sym__end,
      sym_word,
      sym_number,
      sym_string,
      sym_preprocessor,
      anon_sym_RBRACE,
      anon_sym_LPAREN,
      anon_sym_RPAREN,
  [370] = 7,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(11), 1,
      sym_number,
    ACTIONS(15), 1,
      anon_sym_LBRACE,
    ACTIONS(117), 1,
      sym__end,
    ACTIONS(127), 1,
      sym_word,
    STATE(22), 2,
      sym_label,
      aux_sym__line_repeat1,
    STATE(28), 3,
      sym_instruction,
      sym__code,
      sym_bundle,
  [395] = 3,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(125), 1,
      sym_mark,
    ACTIONS(123), 7,
      ts_builtin_sym_end,
      anon_sym_COMMA,
      sym__end,
      sym_word,
      sym_number,
      sym_string,
      anon_sym_LPAREN,
  [411] = 3,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(121), 1,
      sym_mark,
    ACTIONS(119), 7,
      ts_builtin_sym_end,
      anon_sym_COMMA,
      sym__end,
      sym_word,
      sym_number,
      sym_string,
      anon_sym_LPAREN,
  [427] = 4,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(131), 2,
      sym_word,
      sym_number,
    STATE(22), 2,
      sym_label,
      aux_sym__line_repeat1,
    ACTIONS(129), 3,
      ts_builtin_sym_end,
      sym__end,
      anon_sym_LBRACE,
  [444] = 5,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(136), 1,
      sym_word,
    ACTIONS(138), 1,
      anon_sym_RBRACE,
    ACTIONS(134), 2,
      sym__end,
      sym_preprocessor,
    STATE(25), 2,
      sym_instruction,
      aux_sym_bundle_repeat1,
  [462] = 2,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(23), 6,
      ts_builtin_sym_end,
      sym__end,
      sym_word,
      sym_number,
      sym_preprocessor,
      anon_sym_LBRACE,
  [474] = 5,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(136), 1,
      sym_word,
    ACTIONS(142), 1,
      anon_sym_RBRACE,
    ACTIONS(140), 2,
      sym__end,
      sym_preprocessor,
    STATE(26), 2,
      sym_instruction,
      aux_sym_bundle_repeat1,
  [492] = 5,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(147), 1,
      sym_word,
    ACTIONS(150), 1,
      anon_sym_RBRACE,
    ACTIONS(144), 2,
      sym__end,
      sym_preprocessor,
    STATE(26), 2,
      sym_instruction,
      aux_sym_bundle_repeat1,
  [510] = 2,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(152), 5,
      ts_builtin_sym_end,
      sym__end,
      sym_word,
      sym_number,
      anon_sym_LBRACE,
  [521] = 2,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(154), 2,
      ts_builtin_sym_end,
      sym__end,
  [529] = 2,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(156), 2,
      ts_builtin_sym_end,
      sym__end,
  [537] = 3,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(158), 1,
      ts_builtin_sym_end,
    ACTIONS(160), 1,
      sym__end,
  [547] = 3,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(17), 1,
      ts_builtin_sym_end,
    ACTIONS(160), 1,
      sym__end,
  [557] = 2,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(162), 2,
      ts_builtin_sym_end,
      sym__end,
  [565] = 2,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(164), 1,
      ts_builtin_sym_end,
  [572] = 2,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(160), 1,
      sym__end,
  [579] = 2,
    ACTIONS(3), 1,
      sym_comment,
    ACTIONS(42), 1,
      anon_sym_COLON,
};

static const uint32_t ts_small_parse_table_map[] = {
  [SMALL_STATE(4)] = 0,
  [SMALL_STATE(5)] = 28,
  [SMALL_STATE(6)] = 54,
  [SMALL_STATE(7)] = 80,
  [SMALL_STATE(8)] = 106,
  [SMALL_STATE(9)] = 133,
  [SMALL_STATE(10)] = 158,
  [SMALL_STATE(11)] = 183,
  [SMALL_STATE(12)] = 208,
  [SMALL_STATE(13)] = 233,
  [SMALL_STATE(14)] = 258,
  [SMALL_STATE(15)] = 283,
  [SMALL_STATE(16)] = 308,
  [SMALL_STATE(17)] = 334,
  [SMALL_STATE(18)] = 352,
  [SMALL_STATE(19)] = 370,
  [SMALL_STATE(20)] = 395,
  [SMALL_STATE(21)] = 411,
  [SMALL_STATE(22)] = 427,
  [SMALL_STATE(23)] = 444,
  [SMALL_STATE(24)] = 462,
  [SMALL_STATE(25)] = 474,
  [SMALL_STATE(26)] = 492,
  [SMALL_STATE(27)] = 510,
  [SMALL_STATE(28)] = 521,
  [SMALL_STATE(29)] = 529,
  [SMALL_STATE(30)] = 537,
  [SMALL_STATE(31)] = 547,
  [SMALL_STATE(32)] = 557,
  [SMALL_STATE(33)] = 565,
  [SMALL_STATE(34)] = 572,
  [SMALL_STATE(35)] = 579,
};

static const TSParseActionEntry ts_parse_actions[] = {
  [0] = {.entry = {.count = 0, .reusable = false}},
  [1] = {.entry = {.count = 1, .reusable = false}}, RECOVER(),
  [3] = {.entry = {.count = 1, .reusable = true}}, SHIFT_EXTRA(),
  [5] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_source_file, 0, 0, 0),
  [7] = {.entry = {.count = 1, .reusable = true}}, SHIFT(2),
  [9] = {.entry = {.count = 1, .reusable = true}}, SHIFT(4),
  [11] = {.entry = {.count = 1, .reusable = true}}, SHIFT(35),
  [13] = {.entry = {.count = 1, .reusable = true}}, SHIFT(31),
  [15] = {.entry = {.count = 1, .reusable = true}}, SHIFT(23),
  [17] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_source_file, 1, 0, 0),
  [19] = {.entry = {.count = 1, .reusable = true}}, SHIFT(3),
  [21] = {.entry = {.count = 1, .reusable = true}}, SHIFT(30),
  [23] = {.entry = {.count = 1, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0),
  [25] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0), SHIFT_REPEAT(3),
  [28] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0), SHIFT_REPEAT(8),
  [31] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0), SHIFT_REPEAT(35),
  [34] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0), SHIFT_REPEAT(34),
  [37] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0), SHIFT_REPEAT(23),
  [40] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_instruction, 1, 0, 1),
  [42] = {.entry = {.count = 1, .reusable = true}}, SHIFT(27),
  [44] = {.entry = {.count = 1, .reusable = true}}, SHIFT(11),
  [46] = {.entry = {.count = 1, .reusable = false}}, SHIFT(11),
  [48] = {.entry = {.count = 1, .reusable = true}}, SHIFT(10),
  [50] = {.entry = {.count = 1, .reusable = true}}, SHIFT(6),
  [52] = {.entry = {.count = 1, .reusable = false}}, SHIFT(6),
  [54] = {.entry = {.count = 1, .reusable = true}}, SHIFT(13),
  [56] = {.entry = {.count = 1, .reusable = true}}, SHIFT(7),
  [58] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_instruction, 2, 0, 1),
  [60] = {.entry = {.count = 1, .reusable = false}}, SHIFT(7),
  [62] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0), SHIFT_REPEAT(7),
  [65] = {.entry = {.count = 1, .reusable = true}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0),
  [67] = {.entry = {.count = 2, .reusable = false}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0), SHIFT_REPEAT(7),
  [70] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0), SHIFT_REPEAT(13),
  [73] = {.entry = {.count = 1, .reusable = true}}, SHIFT(14),
  [75] = {.entry = {.count = 1, .reusable = false}}, SHIFT(14),
  [77] = {.entry = {.count = 1, .reusable = true}}, SHIFT(21),
  [79] = {.entry = {.count = 1, .reusable = true}}, SHIFT(9),
  [81] = {.entry = {.count = 1, .reusable = false}}, SHIFT(9),
  [83] = {.entry = {.count = 1, .reusable = true}}, SHIFT(20),
  [85] = {.entry = {.count = 1, .reusable = true}}, SHIFT(12),
  [87] = {.entry = {.count = 1, .reusable = false}}, SHIFT(12),
  [89] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0), SHIFT_REPEAT(12),
  [92] = {.entry = {.count = 2, .reusable = false}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0), SHIFT_REPEAT(12),
  [95] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0), SHIFT_REPEAT(10),
  [98] = {.entry = {.count = 1, .reusable = true}}, SHIFT(15),
  [100] = {.entry = {.count = 1, .reusable = false}}, SHIFT(15),
  [102] = {.entry = {.count = 1, .reusable = true}}, SHIFT(18),
  [104] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_group_repeat1, 2, 0, 0), SHIFT_REPEAT(14),
  [107] = {.entry = {.count = 2, .reusable = false}}, REDUCE(aux_sym_group_repeat1, 2, 0, 0), SHIFT_REPEAT(14),
  [110] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_group_repeat1, 2, 0, 0), SHIFT_REPEAT(13),
  [113] = {.entry = {.count = 1, .reusable = true}}, REDUCE(aux_sym_group_repeat1, 2, 0, 0),
  [115] = {.entry = {.count = 1, .reusable = true}}, SHIFT(17),
  [117] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym__line, 1, 0, 0),
  [119] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_group, 3, 0, 0),
  [121] = {.entry = {.count = 1, .reusable = false}}, REDUCE(sym_group, 3, 0, 0),
  [123] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_group, 2, 0, 0),
  [125] = {.entry = {.count = 1, .reusable = false}}, REDUCE(sym_group, 2, 0, 0),
  [127] = {.entry = {.count = 1, .reusable = true}}, SHIFT(8),
  [129] = {.entry = {.count = 1, .reusable = true}}, REDUCE(aux_sym__line_repeat1, 2, 0, 0),
  [131] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym__line_repeat1, 2, 0, 0), SHIFT_REPEAT(35),
  [134] = {.entry = {.count = 1, .reusable = true}}, SHIFT(25),
  [136] = {.entry = {.count = 1, .reusable = true}}, SHIFT(5),
  [138] = {.entry = {.count = 1, .reusable = true}}, SHIFT(29),
  [140] = {.entry = {.count = 1, .reusable = true}}, SHIFT(26),
  [142] = {.entry = {.count = 1, .reusable = true}}, SHIFT(32),
  [144] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_bundle_repeat1, 2, 0, 0), SHIFT_REPEAT(26),
  [147] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_bundle_repeat1, 2, 0, 0), SHIFT_REPEAT(5),
  [150] = {.entry = {.count = 1, .reusable = true}}, REDUCE(aux_sym_bundle_repeat1, 2, 0, 0),
  [152] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_label, 2, 0, 2),
  [154] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym__line, 2, 0, 0),
  [156] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_bundle, 2, 0, 0),
  [158] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_source_file, 2, 0, 0),
  [160] = {.entry = {.count = 1, .reusable = true}}, SHIFT(24),
  [162] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_bundle, 3, 0, 0),
  [164] = {.entry = {.count = 1, .reusable = true}},  ACCEPT_INPUT(),
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

TS_PUBLIC const TSLanguage *tree_sitter_colossus_asm(void) {
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
