; Generated: python -m ipu_asm.reports.grammars

(source_file) @local.scope
(label name: (word) @local.definition)
((word) @local.reference)
