# expressions: arithmetic of all kinds in operands
{% set rows, columns = 12, 10 %}
{% set bytes = 2 %}
    set lr0 {{ rows * columns * bytes }};;
    set lr1 {{ rows // 5 + columns % 3 - 1 }};;
    set lr2 {{ 2 ** 10 }};;
    set lr3 {{ -(rows - columns) }};;
    set lr4 {{ 0x40 }};;
    set lr5 {{ (rows, columns) | max }};;
    set lr6 {{ rows if rows > columns else columns }};;
    set lr7 {{ "12" | int + 3 }};;
    set lr8 {{ "0x" ~ "2" ~ 0 }};;
    set lr9 {{ [1, 2, 3][1] }};;
    set lr10 {{ range(4) | sum }};;
    set lr{{ 10 + 1 }} {{ (columns / 4) | int }};;
    set lr12 {{ 1_000 }};;
    bkpt;;
