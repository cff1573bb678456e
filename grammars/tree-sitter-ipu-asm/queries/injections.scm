; Generated: python -m ipu_asm.reports.grammars

((interpolation) @injection.content (#set! injection.language "jinja"))
((template_statement) @injection.content (#set! injection.language "jinja"))
