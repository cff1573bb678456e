"""Parse tables of grammars/ipu.lark. Generated: python -m ipu_asm.syntax.compile"""

from typing import Any

TABLES: dict[str, Any] = {
 'checksum': 552671561, 'terminals': (('END', ';;', True), ('SEPARATOR', ';', True), ('COLON', ':',
 True), ('WORD', '[+-]?[A-Za-z0-9_][A-Za-z0-9_.]*', False), ('COMMENT', '(?:#|\\/\\/)[^\r\n]*',
 False), ('BLANK', '[ \t\n]|\r\n', False)), 'ignored': ('COMMENT', 'BLANK'), 'whole': '',
 'rules': (('bundle', 5), ('bundle', 4), ('bundle', 4), ('bundle', 3), ('bundle', 4), ('bundle',
 3), ('bundle', 3), ('bundle', 2), ('bundle', 4), ('bundle', 3), ('bundle', 3), ('bundle', 2),
 ('bundle', 3), ('bundle', 2), ('bundle', 2), ('bundle', 1), ('label', 2), ('instruction', 2),
 ('instruction', 1), ('mnemonic', 1), ('operand', 1), ('__bundle_star_0', 2), ('__bundle_star_0',
 3), ('__instruction_star_1', 1), ('__instruction_star_1', 2)), 'states': ({'WORD': 2, 'bundle': 3,
 'instruction': 4, 'label': 5, 'mnemonic': 6}, {'WORD': 7, 'instruction': 8, 'mnemonic': 6},
 {'$END': -20, 'COLON': 9, 'END': -20, 'SEPARATOR': -20, 'WORD': -20}, {}, {'$END': -16, 'END': 10,
 'SEPARATOR': 11, '__bundle_star_0': 12}, {'WORD': 7, 'instruction': 13, 'mnemonic': 6},
 {'$END': -19, 'END': -19, 'SEPARATOR': -19, 'WORD': 14, '__instruction_star_1': 15,
 'operand': 16}, {'$END': -20, 'END': -20, 'SEPARATOR': -20, 'WORD': -20}, {}, {'WORD': -17},
 {'$END': -15}, {'$END': -14, 'END': 17, 'WORD': 7, 'instruction': 18, 'mnemonic': 6},
 {'$END': -12, 'END': 19, 'SEPARATOR': 20}, {'$END': -8, 'END': 21, 'SEPARATOR': 22,
 '__bundle_star_0': 23}, {'$END': -21, 'END': -21, 'SEPARATOR': -21, 'WORD': -21}, {'$END': -18,
 'END': -18, 'SEPARATOR': -18, 'WORD': 14, 'operand': 24}, {'$END': -24, 'END': -24,
 'SEPARATOR': -24, 'WORD': -24}, {'$END': -13}, {'$END': -22, 'END': -22, 'SEPARATOR': -22},
 {'$END': -11}, {'$END': -10, 'END': 25, 'WORD': 7, 'instruction': 26, 'mnemonic': 6},
 {'$END': -7}, {'$END': -6, 'END': 27, 'WORD': 7, 'instruction': 18, 'mnemonic': 6}, {'$END': -4,
 'END': 28, 'SEPARATOR': 29}, {'$END': -25, 'END': -25, 'SEPARATOR': -25, 'WORD': -25},
 {'$END': -9}, {'$END': -23, 'END': -23, 'SEPARATOR': -23}, {'$END': -5}, {'$END': -3},
 {'$END': -2, 'END': 30, 'WORD': 7, 'instruction': 26, 'mnemonic': 6}, {'$END': -1}),
 'start': {'bundle': 0, 'instruction': 1}}
