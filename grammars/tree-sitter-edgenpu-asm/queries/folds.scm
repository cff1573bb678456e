; Generated: python -m ipu_asm.reports.grammars

(comment)+ @fold
