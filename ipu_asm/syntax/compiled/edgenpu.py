"""Parse tables of grammars/edgenpu.lark. Generated: python -m ipu_asm.syntax.compile"""

from typing import Any

TABLES: dict[str, Any] = {
 'checksum': 270523325, 'terminals': (('END', '\r\n|\n|\r', False), ('COLON', ':', True), ('COMMA',
 ',', True), ('BAR', '\\|', True), ('EQUALS', '=', True), ('OPEN', '\\[', True), ('CLOSE', '\\]',
 True), ('WORD', '[A-Za-z_][A-Za-z0-9_.]*', False), ('NUMBER', '[+-]?[0-9][A-Za-z0-9_.]*', False),
 ('COMMENT', ';[^\r\n]*', False), ('BLANK', '[ \t]', False)), 'ignored': ('COMMENT', 'BLANK'),
 'whole': '', 'rules': (('bundle', 3), ('bundle', 2), ('bundle', 2), ('bundle', 1), ('bundle', 2),
 ('bundle', 1), ('bundle', 1), ('label', 2), ('instruction', 3), ('instruction', 2),
 ('instruction', 1), ('mnemonic', 1), ('operand', 1), ('operand', 3), ('value', 2), ('value', 1),
 ('value', 4), ('simple', 1), ('simple', 1), ('__instruction_star_0', 2), ('__instruction_star_0',
 3), ('__value_star_1', 2), ('__value_star_1', 3)), 'states': ({'END': 2, 'WORD': 3, 'bundle': 4,
 'instruction': 5, 'label': 6, 'mnemonic': 7}, {'WORD': 8, 'instruction': 9, 'mnemonic': 7},
 {'$END': -7}, {'$END': -12, 'COLON': 10, 'END': -12, 'NUMBER': -12, 'WORD': -12}, {}, {'$END': -4,
 'END': 11}, {'$END': -6, 'END': 12, 'WORD': 8, 'instruction': 13, 'mnemonic': 7}, {'$END': -11,
 'END': -11, 'NUMBER': 14, 'WORD': 15, 'operand': 16, 'simple': 17, 'value': 18}, {'$END': -12,
 'END': -12, 'NUMBER': -12, 'WORD': -12}, {}, {'$END': -8, 'END': -8, 'WORD': -8}, {'$END': -3},
 {'$END': -5}, {'$END': -2, 'END': 19}, {'$END': -19, 'BAR': -19, 'CLOSE': -19, 'COMMA': -19,
 'END': -19}, {'$END': -18, 'BAR': -18, 'COMMA': -18, 'END': -18, 'EQUALS': 20, 'OPEN': 21},
 {'$END': -10, 'COMMA': 22, 'END': -10, '__instruction_star_0': 23}, {'$END': -16, 'BAR': 24,
 'COMMA': -16, 'END': -16, '__value_star_1': 25}, {'$END': -13, 'COMMA': -13, 'END': -13},
 {'$END': -1}, {'NUMBER': 14, 'WORD': 26, 'simple': 17, 'value': 27}, {'NUMBER': 14, 'WORD': 28,
 'simple': 29}, {'NUMBER': 14, 'WORD': 15, 'operand': 30, 'simple': 17, 'value': 18}, {'$END': -9,
 'COMMA': 31, 'END': -9}, {'NUMBER': 14, 'WORD': 28, 'simple': 32}, {'$END': -15, 'BAR': 33,
 'COMMA': -15, 'END': -15}, {'$END': -18, 'BAR': -18, 'COMMA': -18, 'END': -18, 'OPEN': 21},
 {'$END': -14, 'COMMA': -14, 'END': -14}, {'$END': -18, 'BAR': -18, 'CLOSE': -18, 'COMMA': -18,
 'END': -18}, {'CLOSE': 34}, {'$END': -20, 'COMMA': -20, 'END': -20}, {'NUMBER': 14, 'WORD': 15,
 'operand': 35, 'simple': 17, 'value': 18}, {'$END': -22, 'BAR': -22, 'COMMA': -22, 'END': -22},
 {'NUMBER': 14, 'WORD': 28, 'simple': 36}, {'$END': -17, 'COMMA': -17, 'END': -17}, {'$END': -21,
 'COMMA': -21, 'END': -21}, {'$END': -23, 'BAR': -23, 'COMMA': -23, 'END': -23}),
 'start': {'bundle': 0, 'instruction': 1}}
