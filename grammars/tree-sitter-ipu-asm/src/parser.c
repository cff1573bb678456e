#include "tree_sitter/parser.h"

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif

#define LANGUAGE_VERSION 14
#define STATE_COUNT 28
#define LARGE_STATE_COUNT 14
#define SYMBOL_COUNT 25
#define ALIAS_COUNT 1
#define TOKEN_COUNT 17
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
  sym__separator = 9,
  anon_sym_LBRACE_LBRACE = 10,
  aux_sym_interpolation_token1 = 11,
  anon_sym_RBRACE_RBRACE = 12,
  anon_sym_LBRACE_PERCENT = 13,
  aux_sym_template_statement_token1 = 14,
  anon_sym_PERCENT_RBRACE = 15,
  sym_template_comment = 16,
  sym_source_file = 17,
  sym_label = 18,
  sym_instruction = 19,
  sym__value = 20,
  sym_interpolation = 21,
  sym_template_statement = 22,
  aux_sym_source_file_repeat1 = 23,
  aux_sym_instruction_repeat1 = 24,
  alias_sym_mnemonic = 25,
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
  [anon_sym_LBRACE_LBRACE] = "{{",
  [aux_sym_interpolation_token1] = "expression",
  [anon_sym_RBRACE_RBRACE] = "}}",
  [anon_sym_LBRACE_PERCENT] = "{%",
  [aux_sym_template_statement_token1] = "expression",
  [anon_sym_PERCENT_RBRACE] = "%}",
  [sym_template_comment] = "template_comment",
  [sym_source_file] = "source_file",
  [sym_label] = "label",
  [sym_instruction] = "instruction",
  [sym__value] = "_value",
  [sym_interpolation] = "interpolation",
  [sym_template_statement] = "template_statement",
  [aux_sym_source_file_repeat1] = "source_file_repeat1",
  [aux_sym_instruction_repeat1] = "instruction_repeat1",
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
  [anon_sym_LBRACE_LBRACE] = anon_sym_LBRACE_LBRACE,
  [aux_sym_interpolation_token1] = aux_sym_interpolation_token1,
  [anon_sym_RBRACE_RBRACE] = anon_sym_RBRACE_RBRACE,
  [anon_sym_LBRACE_PERCENT] = anon_sym_LBRACE_PERCENT,
  [aux_sym_template_statement_token1] = aux_sym_interpolation_token1,
  [anon_sym_PERCENT_RBRACE] = anon_sym_PERCENT_RBRACE,
  [sym_template_comment] = sym_template_comment,
  [sym_source_file] = sym_source_file,
  [sym_label] = sym_label,
  [sym_instruction] = sym_instruction,
  [sym__value] = sym__value,
  [sym_interpolation] = sym_interpolation,
  [sym_template_statement] = sym_template_statement,
  [aux_sym_source_file_repeat1] = aux_sym_source_file_repeat1,
  [aux_sym_instruction_repeat1] = aux_sym_instruction_repeat1,
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
  [anon_sym_LBRACE_LBRACE] = {
    .visible = true,
    .named = false,
  },
  [aux_sym_interpolation_token1] = {
    .visible = true,
    .named = true,
  },
  [anon_sym_RBRACE_RBRACE] = {
    .visible = true,
    .named = false,
  },
  [anon_sym_LBRACE_PERCENT] = {
    .visible = true,
    .named = false,
  },
  [aux_sym_template_statement_token1] = {
    .visible = true,
    .named = true,
  },
  [anon_sym_PERCENT_RBRACE] = {
    .visible = true,
    .named = false,
  },
  [sym_template_comment] = {
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
  [sym_interpolation] = {
    .visible = true,
    .named = true,
  },
  [sym_template_statement] = {
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
  [8] = 8,
  [9] = 9,
  [10] = 10,
  [11] = 11,
  [12] = 6,
  [13] = 8,
  [14] = 14,
  [15] = 15,
  [16] = 16,
  [17] = 17,
  [18] = 18,
  [19] = 19,
  [20] = 18,
  [21] = 21,
  [22] = 22,
  [23] = 23,
  [24] = 24,
  [25] = 24,
  [26] = 26,
  [27] = 27,
};

static bool ts_lex(TSLexer *lexer, TSStateId state) {
  START_LEXER();
  eof = lexer->eof(lexer);
  switch (state) {
    case 0:
      if (eof) ADVANCE(24);
      ADVANCE_MAP(
        '"', 1,
        '#', 39,
        '%', 33,
        '\'', 12,
        ',', 26,
        '/', 32,
        ':', 25,
        ';', 40,
        '{', 4,
        '}', 15,
        '+', 34,
        '-', 34,
      );
      if (('\t' <= lookahead && lookahead <= '\r') ||
          lookahead == ' ') SKIP(0);
      if (('0' <= lookahead && lookahead <= '9')) ADVANCE(29);
      if (lookahead == '!' ||
          ('&' <= lookahead && lookahead <= '*') ||
          ('<' <= lookahead && lookahead <= '@') ||
          lookahead == '[' ||
          lookahead == ']' ||
          lookahead == '^' ||
          ('|' <= lookahead && lookahead <= '~')) ADVANCE(31);
      if (('A' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(28);
      END_STATE();
    case 1:
      if (lookahead == '"') ADVANCE(30);
      if (lookahead == '\\') ADVANCE(18);
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(1);
      END_STATE();
    case 2:
      if (lookahead == '#') ADVANCE(39);
      if (lookahead == '%') ADVANCE(13);
      if (lookahead == '/') ADVANCE(11);
      if (lookahead == '{') ADVANCE(3);
      if (('\t' <= lookahead && lookahead <= '\r') ||
          lookahead == ' ') SKIP(2);
      END_STATE();
    case 3:
      if (lookahead == '#') ADVANCE(5);
      if (lookahead == '%') ADVANCE(49);
      END_STATE();
    case 4:
      if (lookahead == '#') ADVANCE(5);
      if (lookahead == '%') ADVANCE(49);
      if (lookahead == '{') ADVANCE(41);
      END_STATE();
    case 5:
      if (lookahead == '#') ADVANCE(17);
      if (lookahead != 0) ADVANCE(5);
      END_STATE();
    case 6:
      if (lookahead == '#') ADVANCE(38);
      if (lookahead == '/') ADVANCE(45);
      if (lookahead == '{') ADVANCE(43);
      if (lookahead == '}') ADVANCE(16);
      if (('\t' <= lookahead && lookahead <= '\r') ||
          lookahead == ' ') ADVANCE(42);
      if (lookahead != 0) ADVANCE(46);
      END_STATE();
    case 7:
      if (lookahead == '#') ADVANCE(35);
      if (lookahead == '%') ADVANCE(14);
      if (lookahead == '/') ADVANCE(55);
      if (lookahead == '{') ADVANCE(54);
      if (('\t' <= lookahead && lookahead <= '\r') ||
          lookahead == ' ') ADVANCE(52);
      if (lookahead != 0) ADVANCE(56);
      END_STATE();
    case 8:
      if (lookahead == '#') ADVANCE(57);
      if (lookahead == '}') ADVANCE(5);
      if (lookahead != 0) ADVANCE(53);
      END_STATE();
    case 9:
      if (lookahead == '#') ADVANCE(47);
      if (lookahead == '}') ADVANCE(5);
      if (lookahead != 0) ADVANCE(44);
      END_STATE();
    case 10:
      if (lookahead == '\'') ADVANCE(30);
      END_STATE();
    case 11:
      if (lookahead == '/') ADVANCE(39);
      END_STATE();
    case 12:
      if (lookahead == '\\') ADVANCE(19);
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(10);
      END_STATE();
    case 13:
      if (lookahead == '}') ADVANCE(58);
      END_STATE();
    case 14:
      if (lookahead == '}') ADVANCE(58);
      if (lookahead != 0) ADVANCE(56);
      END_STATE();
    case 15:
      if (lookahead == '}') ADVANCE(48);
      END_STATE();
    case 16:
      if (lookahead == '}') ADVANCE(48);
      if (lookahead != 0) ADVANCE(46);
      END_STATE();
    case 17:
      if (lookahead == '}') ADVANCE(59);
      if (lookahead != 0) ADVANCE(5);
      END_STATE();
    case 18:
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(1);
      END_STATE();
    case 19:
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(10);
      END_STATE();
    case 20:
      if (lookahead != 0 &&
          lookahead != '}') ADVANCE(46);
      END_STATE();
    case 21:
      if (lookahead != 0 &&
          lookahead != '}') ADVANCE(56);
      END_STATE();
    case 22:
      if (eof) ADVANCE(24);
      ADVANCE_MAP(
        '"', 1,
        '#', 39,
        '\'', 12,
        ',', 26,
        '/', 32,
        ':', 25,
        ';', 40,
        '{', 4,
        '+', 34,
        '-', 34,
      );
      if (('\t' <= lookahead && lookahead <= '\r') ||
          lookahead == ' ') SKIP(22);
      if (('0' <= lookahead && lookahead <= '9')) ADVANCE(29);
      if (lookahead == '!' ||
          ('%' <= lookahead && lookahead <= '*') ||
          ('<' <= lookahead && lookahead <= '@') ||
          lookahead == '[' ||
          lookahead == ']' ||
          lookahead == '^' ||
          lookahead == '|' ||
          lookahead == '~') ADVANCE(31);
      if (('A' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(28);
      END_STATE();
    case 23:
      if (eof) ADVANCE(24);
      ADVANCE_MAP(
        '"', 1,
        '#', 39,
        '\'', 12,
        ',', 26,
        '/', 32,
        ';', 40,
        '{', 4,
        '+', 34,
        '-', 34,
      );
      if (('\t' <= lookahead && lookahead <= '\r') ||
          lookahead == ' ') SKIP(23);
      if (('0' <= lookahead && lookahead <= '9')) ADVANCE(29);
      if (lookahead == '!' ||
          ('%' <= lookahead && lookahead <= '*') ||
          (':' <= lookahead && lookahead <= '@') ||
          lookahead == '[' ||
          lookahead == ']' ||
          lookahead == '^' ||
          lookahead == '|' ||
          lookahead == '~') ADVANCE(31);
      if (('A' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(28);
      END_STATE();
    case 24:
      ACCEPT_TOKEN(ts_builtin_sym_end);
      END_STATE();
    case 25:
      ACCEPT_TOKEN(anon_sym_COLON);
      END_STATE();
    case 26:
      ACCEPT_TOKEN(anon_sym_COMMA);
      END_STATE();
    case 27:
      ACCEPT_TOKEN(sym__end);
      END_STATE();
    case 28:
      ACCEPT_TOKEN(sym_word);
      if (lookahead == '.' ||
          ('0' <= lookahead && lookahead <= '9') ||
          ('A' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(28);
      END_STATE();
    case 29:
      ACCEPT_TOKEN(sym_number);
      if (lookahead == '.' ||
          ('0' <= lookahead && lookahead <= '9') ||
          ('A' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(29);
      END_STATE();
    case 30:
      ACCEPT_TOKEN(sym_string);
      END_STATE();
    case 31:
      ACCEPT_TOKEN(sym_mark);
      END_STATE();
    case 32:
      ACCEPT_TOKEN(sym_mark);
      if (lookahead == '/') ADVANCE(39);
      END_STATE();
    case 33:
      ACCEPT_TOKEN(sym_mark);
      if (lookahead == '}') ADVANCE(58);
      END_STATE();
    case 34:
      ACCEPT_TOKEN(sym_mark);
      if (('0' <= lookahead && lookahead <= '9')) ADVANCE(29);
      if (('A' <= lookahead && lookahead <= 'Z') ||
          lookahead == '_' ||
          ('a' <= lookahead && lookahead <= 'z')) ADVANCE(29);
      END_STATE();
    case 35:
      ACCEPT_TOKEN(sym_comment);
      if (lookahead == '%') ADVANCE(37);
      if (lookahead == '\n' ||
          lookahead == '\r') ADVANCE(56);
      if (lookahead != 0) ADVANCE(35);
      END_STATE();
    case 36:
      ACCEPT_TOKEN(sym_comment);
      if (lookahead == '}') ADVANCE(39);
      if (lookahead == '\n' ||
          lookahead == '\r') ADVANCE(46);
      if (lookahead != 0) ADVANCE(38);
      END_STATE();
    case 37:
      ACCEPT_TOKEN(sym_comment);
      if (lookahead == '}') ADVANCE(39);
      if (lookahead == '\n' ||
          lookahead == '\r') ADVANCE(56);
      if (lookahead != 0) ADVANCE(35);
      END_STATE();
    case 38:
      ACCEPT_TOKEN(sym_comment);
      if (lookahead == '}') ADVANCE(36);
      if (lookahead == '\n' ||
          lookahead == '\r') ADVANCE(46);
      if (lookahead != 0) ADVANCE(38);
      END_STATE();
    case 39:
      ACCEPT_TOKEN(sym_comment);
      if (lookahead != 0 &&
          lookahead != '\n' &&
          lookahead != '\r') ADVANCE(39);
      END_STATE();
    case 40:
      ACCEPT_TOKEN(sym__separator);
      if (lookahead == ';') ADVANCE(27);
      END_STATE();
    case 41:
      ACCEPT_TOKEN(anon_sym_LBRACE_LBRACE);
      END_STATE();
    case 42:
      ACCEPT_TOKEN(aux_sym_interpolation_token1);
      if (lookahead == '#') ADVANCE(38);
      if (lookahead == '/') ADVANCE(45);
      if (lookahead == '{') ADVANCE(43);
      if (lookahead == '}') ADVANCE(16);
      if (('\t' <= lookahead && lookahead <= '\r') ||
          lookahead == ' ') ADVANCE(42);
      if (lookahead != 0) ADVANCE(46);
      END_STATE();
    case 43:
      ACCEPT_TOKEN(aux_sym_interpolation_token1);
      if (lookahead == '#') ADVANCE(44);
      if (lookahead == '%') ADVANCE(50);
      if (lookahead == '}') ADVANCE(20);
      if (lookahead != 0) ADVANCE(46);
      END_STATE();
    case 44:
      ACCEPT_TOKEN(aux_sym_interpolation_token1);
      if (lookahead == '#') ADVANCE(47);
      if (lookahead == '}') ADVANCE(9);
      if (lookahead != 0) ADVANCE(44);
      END_STATE();
    case 45:
      ACCEPT_TOKEN(aux_sym_interpolation_token1);
      if (lookahead == '/') ADVANCE(38);
      if (lookahead == '}') ADVANCE(20);
      if (lookahead != 0) ADVANCE(46);
      END_STATE();
    case 46:
      ACCEPT_TOKEN(aux_sym_interpolation_token1);
      if (lookahead == '}') ADVANCE(20);
      if (lookahead != 0) ADVANCE(46);
      END_STATE();
    case 47:
      ACCEPT_TOKEN(aux_sym_interpolation_token1);
      if (lookahead == '}') ADVANCE(60);
      if (lookahead != 0) ADVANCE(44);
      END_STATE();
    case 48:
      ACCEPT_TOKEN(anon_sym_RBRACE_RBRACE);
      END_STATE();
    case 49:
      ACCEPT_TOKEN(anon_sym_LBRACE_PERCENT);
      END_STATE();
    case 50:
      ACCEPT_TOKEN(anon_sym_LBRACE_PERCENT);
      if (lookahead == '}') ADVANCE(20);
      if (lookahead != 0) ADVANCE(46);
      END_STATE();
    case 51:
      ACCEPT_TOKEN(anon_sym_LBRACE_PERCENT);
      if (lookahead != 0 &&
          lookahead != '}') ADVANCE(56);
      END_STATE();
    case 52:
      ACCEPT_TOKEN(aux_sym_template_statement_token1);
      if (lookahead == '#') ADVANCE(35);
      if (lookahead == '%') ADVANCE(14);
      if (lookahead == '/') ADVANCE(55);
      if (lookahead == '{') ADVANCE(54);
      if (('\t' <= lookahead && lookahead <= '\r') ||
          lookahead == ' ') ADVANCE(52);
      if (lookahead != 0) ADVANCE(56);
      END_STATE();
    case 53:
      ACCEPT_TOKEN(aux_sym_template_statement_token1);
      if (lookahead == '#') ADVANCE(57);
      if (lookahead == '%') ADVANCE(8);
      if (lookahead != 0) ADVANCE(53);
      END_STATE();
    case 54:
      ACCEPT_TOKEN(aux_sym_template_statement_token1);
      if (lookahead == '#') ADVANCE(53);
      if (lookahead == '%') ADVANCE(51);
      if (lookahead != 0) ADVANCE(56);
      END_STATE();
    case 55:
      ACCEPT_TOKEN(aux_sym_template_statement_token1);
      if (lookahead == '%') ADVANCE(21);
      if (lookahead == '/') ADVANCE(35);
      if (lookahead != 0) ADVANCE(56);
      END_STATE();
    case 56:
      ACCEPT_TOKEN(aux_sym_template_statement_token1);
      if (lookahead == '%') ADVANCE(21);
      if (lookahead != 0) ADVANCE(56);
      END_STATE();
    case 57:
      ACCEPT_TOKEN(aux_sym_template_statement_token1);
      if (lookahead == '%') ADVANCE(8);
      if (lookahead == '}') ADVANCE(56);
      if (lookahead != 0) ADVANCE(53);
      END_STATE();
    case 58:
      ACCEPT_TOKEN(anon_sym_PERCENT_RBRACE);
      END_STATE();
    case 59:
      ACCEPT_TOKEN(sym_template_comment);
      END_STATE();
    case 60:
      ACCEPT_TOKEN(sym_template_comment);
      if (lookahead != 0 &&
          lookahead != '}') ADVANCE(46);
      END_STATE();
    default:
      return false;
  }
}

static const TSLexMode ts_lex_modes[STATE_COUNT] = {
  [0] = {.lex_state = 0},
  [1] = {.lex_state = 0},
  [2] = {.lex_state = 22},
  [3] = {.lex_state = 23},
  [4] = {.lex_state = 23},
  [5] = {.lex_state = 0},
  [6] = {.lex_state = 22},
  [7] = {.lex_state = 22},
  [8] = {.lex_state = 22},
  [9] = {.lex_state = 0},
  [10] = {.lex_state = 23},
  [11] = {.lex_state = 23},
  [12] = {.lex_state = 23},
  [13] = {.lex_state = 23},
  [14] = {.lex_state = 0},
  [15] = {.lex_state = 0},
  [16] = {.lex_state = 0},
  [17] = {.lex_state = 0},
  [18] = {.lex_state = 6},
  [19] = {.lex_state = 7},
  [20] = {.lex_state = 6},
  [21] = {.lex_state = 2},
  [22] = {.lex_state = 0},
  [23] = {.lex_state = 0},
  [24] = {.lex_state = 0},
  [25] = {.lex_state = 0},
  [26] = {(TSStateId)(-1)},
  [27] = {(TSStateId)(-1)},
};

static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {
  [0] = {
    [sym_template_statement] = STATE(0),
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
    [anon_sym_LBRACE_LBRACE] = ACTIONS(1),
    [anon_sym_RBRACE_RBRACE] = ACTIONS(1),
    [anon_sym_LBRACE_PERCENT] = ACTIONS(5),
    [anon_sym_PERCENT_RBRACE] = ACTIONS(1),
    [sym_template_comment] = ACTIONS(3),
  },
  [1] = {
    [sym_source_file] = STATE(22),
    [sym_label] = STATE(14),
    [sym_instruction] = STATE(14),
    [sym_interpolation] = STATE(14),
    [sym_template_statement] = STATE(1),
    [aux_sym_source_file_repeat1] = STATE(5),
    [ts_builtin_sym_end] = ACTIONS(7),
    [sym__end] = ACTIONS(9),
    [sym_word] = ACTIONS(11),
    [sym_number] = ACTIONS(13),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(15),
    [anon_sym_LBRACE_LBRACE] = ACTIONS(17),
    [anon_sym_LBRACE_PERCENT] = ACTIONS(5),
    [sym_template_comment] = ACTIONS(3),
  },
  [2] = {
    [sym__value] = STATE(10),
    [sym_interpolation] = STATE(7),
    [sym_template_statement] = STATE(2),
    [aux_sym_instruction_repeat1] = STATE(3),
    [ts_builtin_sym_end] = ACTIONS(19),
    [anon_sym_COLON] = ACTIONS(21),
    [anon_sym_COMMA] = ACTIONS(23),
    [sym__end] = ACTIONS(19),
    [sym_word] = ACTIONS(25),
    [sym_number] = ACTIONS(25),
    [sym_string] = ACTIONS(25),
    [sym_mark] = ACTIONS(27),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(29),
    [anon_sym_LBRACE_LBRACE] = ACTIONS(17),
    [anon_sym_LBRACE_PERCENT] = ACTIONS(5),
    [sym_template_comment] = ACTIONS(3),
  },
  [3] = {
    [sym__value] = STATE(10),
    [sym_interpolation] = STATE(11),
    [sym_template_statement] = STATE(3),
    [aux_sym_instruction_repeat1] = STATE(4),
    [ts_builtin_sym_end] = ACTIONS(31),
    [anon_sym_COMMA] = ACTIONS(23),
    [sym__end] = ACTIONS(31),
    [sym_word] = ACTIONS(25),
    [sym_number] = ACTIONS(25),
    [sym_string] = ACTIONS(25),
    [sym_mark] = ACTIONS(27),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(33),
    [anon_sym_LBRACE_LBRACE] = ACTIONS(35),
    [anon_sym_LBRACE_PERCENT] = ACTIONS(5),
    [sym_template_comment] = ACTIONS(3),
  },
  [4] = {
    [sym__value] = STATE(10),
    [sym_interpolation] = STATE(11),
    [sym_template_statement] = STATE(4),
    [aux_sym_instruction_repeat1] = STATE(4),
    [ts_builtin_sym_end] = ACTIONS(37),
    [anon_sym_COMMA] = ACTIONS(39),
    [sym__end] = ACTIONS(37),
    [sym_word] = ACTIONS(42),
    [sym_number] = ACTIONS(42),
    [sym_string] = ACTIONS(42),
    [sym_mark] = ACTIONS(45),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(48),
    [anon_sym_LBRACE_LBRACE] = ACTIONS(50),
    [anon_sym_LBRACE_PERCENT] = ACTIONS(5),
    [sym_template_comment] = ACTIONS(3),
  },
  [5] = {
    [sym_label] = STATE(14),
    [sym_instruction] = STATE(14),
    [sym_interpolation] = STATE(14),
    [sym_template_statement] = STATE(5),
    [aux_sym_source_file_repeat1] = STATE(9),
    [ts_builtin_sym_end] = ACTIONS(53),
    [sym__end] = ACTIONS(9),
    [sym_word] = ACTIONS(11),
    [sym_number] = ACTIONS(13),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(15),
    [anon_sym_LBRACE_LBRACE] = ACTIONS(17),
    [anon_sym_LBRACE_PERCENT] = ACTIONS(5),
    [sym_template_comment] = ACTIONS(3),
  },
  [6] = {
    [sym_template_statement] = STATE(6),
    [ts_builtin_sym_end] = ACTIONS(55),
    [anon_sym_COLON] = ACTIONS(55),
    [anon_sym_COMMA] = ACTIONS(55),
    [sym__end] = ACTIONS(55),
    [sym_word] = ACTIONS(55),
    [sym_number] = ACTIONS(55),
    [sym_string] = ACTIONS(55),
    [sym_mark] = ACTIONS(57),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(57),
    [anon_sym_LBRACE_LBRACE] = ACTIONS(55),
    [anon_sym_LBRACE_PERCENT] = ACTIONS(5),
    [sym_template_comment] = ACTIONS(3),
  },
  [7] = {
    [sym_template_statement] = STATE(7),
    [ts_builtin_sym_end] = ACTIONS(59),
    [anon_sym_COLON] = ACTIONS(61),
    [anon_sym_COMMA] = ACTIONS(59),
    [sym__end] = ACTIONS(59),
    [sym_word] = ACTIONS(59),
    [sym_number] = ACTIONS(59),
    [sym_string] = ACTIONS(59),
    [sym_mark] = ACTIONS(63),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(63),
    [anon_sym_LBRACE_LBRACE] = ACTIONS(59),
    [anon_sym_LBRACE_PERCENT] = ACTIONS(5),
    [sym_template_comment] = ACTIONS(3),
  },
  [8] = {
    [sym_template_statement] = STATE(8),
    [ts_builtin_sym_end] = ACTIONS(65),
    [anon_sym_COLON] = ACTIONS(65),
    [anon_sym_COMMA] = ACTIONS(65),
    [sym__end] = ACTIONS(65),
    [sym_word] = ACTIONS(65),
    [sym_number] = ACTIONS(65),
    [sym_string] = ACTIONS(65),
    [sym_mark] = ACTIONS(67),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(67),
    [anon_sym_LBRACE_LBRACE] = ACTIONS(65),
    [anon_sym_LBRACE_PERCENT] = ACTIONS(5),
    [sym_template_comment] = ACTIONS(3),
  },
  [9] = {
    [sym_label] = STATE(14),
    [sym_instruction] = STATE(14),
    [sym_interpolation] = STATE(14),
    [sym_template_statement] = STATE(9),
    [aux_sym_source_file_repeat1] = STATE(9),
    [ts_builtin_sym_end] = ACTIONS(69),
    [sym__end] = ACTIONS(71),
    [sym_word] = ACTIONS(74),
    [sym_number] = ACTIONS(77),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(80),
    [anon_sym_LBRACE_LBRACE] = ACTIONS(83),
    [anon_sym_LBRACE_PERCENT] = ACTIONS(5),
    [sym_template_comment] = ACTIONS(3),
  },
  [10] = {
    [sym_template_statement] = STATE(10),
    [ts_builtin_sym_end] = ACTIONS(86),
    [anon_sym_COMMA] = ACTIONS(86),
    [sym__end] = ACTIONS(86),
    [sym_word] = ACTIONS(86),
    [sym_number] = ACTIONS(86),
    [sym_string] = ACTIONS(86),
    [sym_mark] = ACTIONS(88),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(88),
    [anon_sym_LBRACE_LBRACE] = ACTIONS(86),
    [anon_sym_LBRACE_PERCENT] = ACTIONS(5),
    [sym_template_comment] = ACTIONS(3),
  },
  [11] = {
    [sym_template_statement] = STATE(11),
    [ts_builtin_sym_end] = ACTIONS(59),
    [anon_sym_COMMA] = ACTIONS(59),
    [sym__end] = ACTIONS(59),
    [sym_word] = ACTIONS(59),
    [sym_number] = ACTIONS(59),
    [sym_string] = ACTIONS(59),
    [sym_mark] = ACTIONS(63),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(63),
    [anon_sym_LBRACE_LBRACE] = ACTIONS(59),
    [anon_sym_LBRACE_PERCENT] = ACTIONS(5),
    [sym_template_comment] = ACTIONS(3),
  },
  [12] = {
    [sym_template_statement] = STATE(12),
    [ts_builtin_sym_end] = ACTIONS(55),
    [anon_sym_COMMA] = ACTIONS(55),
    [sym__end] = ACTIONS(55),
    [sym_word] = ACTIONS(55),
    [sym_number] = ACTIONS(55),
    [sym_string] = ACTIONS(55),
    [sym_mark] = ACTIONS(57),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(57),
    [anon_sym_LBRACE_LBRACE] = ACTIONS(55),
    [anon_sym_LBRACE_PERCENT] = ACTIONS(5),
    [sym_template_comment] = ACTIONS(3),
  },
  [13] = {
    [sym_template_statement] = STATE(13),
    [ts_builtin_sym_end] = ACTIONS(65),
    [anon_sym_COMMA] = ACTIONS(65),
    [sym__end] = ACTIONS(65),
    [sym_word] = ACTIONS(65),
    [sym_number] = ACTIONS(65),
    [sym_string] = ACTIONS(65),
    [sym_mark] = ACTIONS(67),
    [sym_comment] = ACTIONS(3),
    [sym__separator] = ACTIONS(67),
    [anon_sym_LBRACE_LBRACE] = ACTIONS(65),
    [anon_sym_LBRACE_PERCENT] = ACTIONS(5),
    [sym_template_comment] = ACTIONS(3),
  },
};

static const uint16_t ts_small_parse_table[] = {
  [0] = 5,
    ACTIONS(5), 1,
      anon_sym_LBRACE_PERCENT,
    ACTIONS(92), 1,
      sym__separator,
    STATE(14), 1,
      sym_template_statement,
    ACTIONS(3), 2,
      sym_comment,
      sym_template_comment,
    ACTIONS(90), 5,
      ts_builtin_sym_end,
      sym__end,
      sym_word,
      sym_number,
      anon_sym_LBRACE_LBRACE,
  [21] = 5,
    ACTIONS(5), 1,
      anon_sym_LBRACE_PERCENT,
    ACTIONS(96), 1,
      sym__separator,
    STATE(15), 1,
      sym_template_statement,
    ACTIONS(3), 2,
      sym_comment,
      sym_template_comment,
    ACTIONS(94), 5,
      ts_builtin_sym_end,
      sym__end,
      sym_word,
      sym_number,
      anon_sym_LBRACE_LBRACE,
  [42] = 5,
    ACTIONS(5), 1,
      anon_sym_LBRACE_PERCENT,
    ACTIONS(100), 1,
      sym__separator,
    STATE(16), 1,
      sym_template_statement,
    ACTIONS(3), 2,
      sym_comment,
      sym_template_comment,
    ACTIONS(98), 5,
      ts_builtin_sym_end,
      sym__end,
      sym_word,
      sym_number,
      anon_sym_LBRACE_LBRACE,
  [63] = 6,
    ACTIONS(5), 1,
      anon_sym_LBRACE_PERCENT,
    ACTIONS(17), 1,
      anon_sym_LBRACE_LBRACE,
    ACTIONS(21), 1,
      anon_sym_COLON,
    STATE(17), 1,
      sym_template_statement,
    STATE(23), 1,
      sym_interpolation,
    ACTIONS(3), 2,
      sym_comment,
      sym_template_comment,
  [83] = 5,
    ACTIONS(104), 1,
      aux_sym_interpolation_token1,
    ACTIONS(106), 1,
      anon_sym_RBRACE_RBRACE,
    ACTIONS(108), 1,
      anon_sym_LBRACE_PERCENT,
    STATE(18), 1,
      sym_template_statement,
    ACTIONS(102), 2,
      sym_comment,
      sym_template_comment,
  [100] = 5,
    ACTIONS(108), 1,
      anon_sym_LBRACE_PERCENT,
    ACTIONS(110), 1,
      aux_sym_template_statement_token1,
    ACTIONS(112), 1,
      anon_sym_PERCENT_RBRACE,
    STATE(19), 1,
      sym_template_statement,
    ACTIONS(102), 2,
      sym_comment,
      sym_template_comment,
  [117] = 5,
    ACTIONS(108), 1,
      anon_sym_LBRACE_PERCENT,
    ACTIONS(114), 1,
      aux_sym_interpolation_token1,
    ACTIONS(116), 1,
      anon_sym_RBRACE_RBRACE,
    STATE(20), 1,
      sym_template_statement,
    ACTIONS(102), 2,
      sym_comment,
      sym_template_comment,
  [134] = 4,
    ACTIONS(5), 1,
      anon_sym_LBRACE_PERCENT,
    ACTIONS(118), 1,
      anon_sym_PERCENT_RBRACE,
    STATE(21), 1,
      sym_template_statement,
    ACTIONS(3), 2,
      sym_comment,
      sym_template_comment,
  [148] = 4,
    ACTIONS(5), 1,
      anon_sym_LBRACE_PERCENT,
    ACTIONS(120), 1,
      ts_builtin_sym_end,
    STATE(22), 1,
      sym_template_statement,
    ACTIONS(3), 2,
      sym_comment,
      sym_template_comment,
  [162] = 4,
    ACTIONS(5), 1,
      anon_sym_LBRACE_PERCENT,
    ACTIONS(61), 1,
      anon_sym_COLON,
    STATE(23), 1,
      sym_template_statement,
    ACTIONS(3), 2,
      sym_comment,
      sym_template_comment,
  [176] = 4,
    ACTIONS(5), 1,
      anon_sym_LBRACE_PERCENT,
    ACTIONS(122), 1,
      anon_sym_RBRACE_RBRACE,
    STATE(24), 1,
      sym_template_statement,
    ACTIONS(3), 2,
      sym_comment,
      sym_template_comment,
  [190] = 4,
    ACTIONS(5), 1,
      anon_sym_LBRACE_PERCENT,
    ACTIONS(124), 1,
      anon_sym_RBRACE_RBRACE,
    STATE(25), 1,
      sym_template_statement,
    ACTIONS(3), 2,
      sym_comment,
      sym_template_comment,
  [204] = 1,
    ACTIONS(126), 1,
      ts_builtin_sym_end,
  [208] = 1,
    ACTIONS(128), 1,
      ts_builtin_sym_end,
};

static const uint32_t ts_small_parse_table_map[] = {
  [SMALL_STATE(14)] = 0,
  [SMALL_STATE(15)] = 21,
  [SMALL_STATE(16)] = 42,
  [SMALL_STATE(17)] = 63,
  [SMALL_STATE(18)] = 83,
  [SMALL_STATE(19)] = 100,
  [SMALL_STATE(20)] = 117,
  [SMALL_STATE(21)] = 134,
  [SMALL_STATE(22)] = 148,
  [SMALL_STATE(23)] = 162,
  [SMALL_STATE(24)] = 176,
  [SMALL_STATE(25)] = 190,
  [SMALL_STATE(26)] = 204,
  [SMALL_STATE(27)] = 208,
};

static const TSParseActionEntry ts_parse_actions[] = {
  [0] = {.entry = {.count = 0, .reusable = false}},
  [1] = {.entry = {.count = 1, .reusable = false}}, RECOVER(),
  [3] = {.entry = {.count = 1, .reusable = true}}, SHIFT_EXTRA(),
  [5] = {.entry = {.count = 1, .reusable = true}}, SHIFT(19),
  [7] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_source_file, 0, 0, 0),
  [9] = {.entry = {.count = 1, .reusable = true}}, SHIFT(14),
  [11] = {.entry = {.count = 1, .reusable = true}}, SHIFT(2),
  [13] = {.entry = {.count = 1, .reusable = true}}, SHIFT(17),
  [15] = {.entry = {.count = 1, .reusable = false}}, SHIFT(14),
  [17] = {.entry = {.count = 1, .reusable = true}}, SHIFT(18),
  [19] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_instruction, 1, 0, 1),
  [21] = {.entry = {.count = 1, .reusable = true}}, SHIFT(15),
  [23] = {.entry = {.count = 1, .reusable = true}}, SHIFT(10),
  [25] = {.entry = {.count = 1, .reusable = true}}, SHIFT(11),
  [27] = {.entry = {.count = 1, .reusable = false}}, SHIFT(11),
  [29] = {.entry = {.count = 1, .reusable = false}}, REDUCE(sym_instruction, 1, 0, 1),
  [31] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_instruction, 2, 0, 1),
  [33] = {.entry = {.count = 1, .reusable = false}}, REDUCE(sym_instruction, 2, 0, 1),
  [35] = {.entry = {.count = 1, .reusable = true}}, SHIFT(20),
  [37] = {.entry = {.count = 1, .reusable = true}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0),
  [39] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0), SHIFT_REPEAT(10),
  [42] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0), SHIFT_REPEAT(11),
  [45] = {.entry = {.count = 2, .reusable = false}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0), SHIFT_REPEAT(11),
  [48] = {.entry = {.count = 1, .reusable = false}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0),
  [50] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_instruction_repeat1, 2, 0, 0), SHIFT_REPEAT(20),
  [53] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_source_file, 1, 0, 0),
  [55] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_interpolation, 3, 0, 0),
  [57] = {.entry = {.count = 1, .reusable = false}}, REDUCE(sym_interpolation, 3, 0, 0),
  [59] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym__value, 1, 0, 0),
  [61] = {.entry = {.count = 1, .reusable = true}}, SHIFT(16),
  [63] = {.entry = {.count = 1, .reusable = false}}, REDUCE(sym__value, 1, 0, 0),
  [65] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_interpolation, 2, 0, 0),
  [67] = {.entry = {.count = 1, .reusable = false}}, REDUCE(sym_interpolation, 2, 0, 0),
  [69] = {.entry = {.count = 1, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0),
  [71] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0), SHIFT_REPEAT(14),
  [74] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0), SHIFT_REPEAT(2),
  [77] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0), SHIFT_REPEAT(17),
  [80] = {.entry = {.count = 2, .reusable = false}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0), SHIFT_REPEAT(14),
  [83] = {.entry = {.count = 2, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 2, 0, 0), SHIFT_REPEAT(18),
  [86] = {.entry = {.count = 1, .reusable = true}}, REDUCE(aux_sym_instruction_repeat1, 1, 0, 0),
  [88] = {.entry = {.count = 1, .reusable = false}}, REDUCE(aux_sym_instruction_repeat1, 1, 0, 0),
  [90] = {.entry = {.count = 1, .reusable = true}}, REDUCE(aux_sym_source_file_repeat1, 1, 0, 0),
  [92] = {.entry = {.count = 1, .reusable = false}}, REDUCE(aux_sym_source_file_repeat1, 1, 0, 0),
  [94] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_label, 2, 0, 2),
  [96] = {.entry = {.count = 1, .reusable = false}}, REDUCE(sym_label, 2, 0, 2),
  [98] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_label, 3, 0, 2),
  [100] = {.entry = {.count = 1, .reusable = false}}, REDUCE(sym_label, 3, 0, 2),
  [102] = {.entry = {.count = 1, .reusable = false}}, SHIFT_EXTRA(),
  [104] = {.entry = {.count = 1, .reusable = false}}, SHIFT(24),
  [106] = {.entry = {.count = 1, .reusable = false}}, SHIFT(8),
  [108] = {.entry = {.count = 1, .reusable = false}}, SHIFT(19),
  [110] = {.entry = {.count = 1, .reusable = false}}, SHIFT(21),
  [112] = {.entry = {.count = 1, .reusable = false}}, SHIFT(26),
  [114] = {.entry = {.count = 1, .reusable = false}}, SHIFT(25),
  [116] = {.entry = {.count = 1, .reusable = false}}, SHIFT(13),
  [118] = {.entry = {.count = 1, .reusable = true}}, SHIFT(27),
  [120] = {.entry = {.count = 1, .reusable = true}},  ACCEPT_INPUT(),
  [122] = {.entry = {.count = 1, .reusable = true}}, SHIFT(6),
  [124] = {.entry = {.count = 1, .reusable = true}}, SHIFT(12),
  [126] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_template_statement, 2, 0, 0),
  [128] = {.entry = {.count = 1, .reusable = true}}, REDUCE(sym_template_statement, 3, 0, 0),
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

TS_PUBLIC const TSLanguage *tree_sitter_ipu_asm(void) {
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
