; Generated: python -m ipu_asm.reports.grammars

(comment) @comment
(number) @constant.numeric @number
(string) @string
(label name: (_) @label)
((mnemonic) @function (#not-match? @function "^[.]"))
((mnemonic) @keyword.directive (#match? @keyword.directive "^[.]"))
((word) @label (#not-any-of? @label "AAQ0" "AAQ1" "AAQ2" "AAQ3" "CR0" "CR1" "CR10" "CR11" "CR12"
  "CR13" "CR14" "CR15" "CR2" "CR3" "CR4" "CR5" "CR6" "CR7" "CR8" "CR9" "ELU" "EXP2" "GELU"
  "IDENTITY" "INV" "INV_SQRT" "LR0" "LR1" "LR10" "LR11" "LR12" "LR13" "LR14" "LR15" "LR2" "LR3"
  "LR4" "LR5" "LR6" "LR7" "LR8" "LR9" "LRD0" "LRD10" "LRD12" "LRD14" "LRD2" "LRD4" "LRD6" "LRD8"
  "MAX" "MEM_BYPASS" "OFF" "ON" "ON_EXPAND" "ON_INV" "ON_INV_EXPAND" "R0" "R1" "RECIPROCAL" "RELU"
  "RELU6" "RESERVED3" "RESERVED5" "RESERVED6" "RESERVED7" "RSQRT" "SIGMOID" "SILU" "SOFTPLUS"
  "SUM" "TANH" "VALUE" "VALUE_CR" "aaq0" "aaq1" "aaq2" "aaq3" "cr0" "cr1" "cr10" "cr11" "cr12"
  "cr13" "cr14" "cr15" "cr2" "cr3" "cr4" "cr5" "cr6" "cr7" "cr8" "cr9" "elu" "exp2" "gelu"
  "identity" "inv" "inv_sqrt" "lr0" "lr1" "lr10" "lr11" "lr12" "lr13" "lr14" "lr15" "lr2" "lr3"
  "lr4" "lr5" "lr6" "lr7" "lr8" "lr9" "lrd0" "lrd10" "lrd12" "lrd14" "lrd2" "lrd4" "lrd6" "lrd8"
  "max" "mem_bypass" "off" "on" "on_expand" "on_inv" "on_inv_expand" "r0" "r1" "reciprocal" "relu"
  "relu6" "reserved3" "reserved5" "reserved6" "reserved7" "rsqrt" "sigmoid" "silu" "softplus"
  "sum" "tanh" "value" "value_cr"))
((word) @variable.builtin (#any-of? @variable.builtin "AAQ0" "AAQ1" "AAQ2" "AAQ3" "CR0" "CR1"
  "CR10" "CR11" "CR12" "CR13" "CR14" "CR15" "CR2" "CR3" "CR4" "CR5" "CR6" "CR7" "CR8" "CR9" "LR0"
  "LR1" "LR10" "LR11" "LR12" "LR13" "LR14" "LR15" "LR2" "LR3" "LR4" "LR5" "LR6" "LR7" "LR8" "LR9"
  "LRD0" "LRD10" "LRD12" "LRD14" "LRD2" "LRD4" "LRD6" "LRD8" "MEM_BYPASS" "R0" "R1" "aaq0" "aaq1"
  "aaq2" "aaq3" "cr0" "cr1" "cr10" "cr11" "cr12" "cr13" "cr14" "cr15" "cr2" "cr3" "cr4" "cr5"
  "cr6" "cr7" "cr8" "cr9" "lr0" "lr1" "lr10" "lr11" "lr12" "lr13" "lr14" "lr15" "lr2" "lr3" "lr4"
  "lr5" "lr6" "lr7" "lr8" "lr9" "lrd0" "lrd10" "lrd12" "lrd14" "lrd2" "lrd4" "lrd6" "lrd8"
  "mem_bypass" "r0" "r1"))
((word) @constant.builtin (#any-of? @constant.builtin "ELU" "EXP2" "GELU" "IDENTITY" "INV"
  "INV_SQRT" "MAX" "OFF" "ON" "ON_EXPAND" "ON_INV" "ON_INV_EXPAND" "RECIPROCAL" "RELU" "RELU6"
  "RESERVED3" "RESERVED5" "RESERVED6" "RESERVED7" "RSQRT" "SIGMOID" "SILU" "SOFTPLUS" "SUM" "TANH"
  "VALUE" "VALUE_CR" "elu" "exp2" "gelu" "identity" "inv" "inv_sqrt" "max" "off" "on" "on_expand"
  "on_inv" "on_inv_expand" "reciprocal" "relu" "relu6" "reserved3" "reserved5" "reserved6"
  "reserved7" "rsqrt" "sigmoid" "silu" "softplus" "sum" "tanh" "value" "value_cr"))

["{{" "}}" "{%" "%}"] @punctuation.special
(template_comment) @comment
