; Generated: python -m ipu_asm.reports.tree_sitter

(source_file) @local.scope
(label name: (word) @local.definition)
((word) @local.reference)
