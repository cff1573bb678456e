; Generated: python -m ipu_asm.reports.tree_sitter

(comment)+ @fold
