# recursive_loop: a tree of additions, depth first
{% set tree = [1, [2, [3, 4]], [5]] %}
    set lr0 0; reset_acc;;
{% for node in tree recursive %}
{% if node is iterable %}
{{ loop(node) }}
{% else %}
    incr lr1 {{ node }};; mult.ee r0 lr0 lr0 lr0; acc;;
{% endif %}
{% endfor %}
    str_acc_reg lr0 cr0;;
    bkpt;;
