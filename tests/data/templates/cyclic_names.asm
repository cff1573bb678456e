# cyclic_names: registers in turn
{% set turn = cycler("lr4", "lr5", "lr6") %}
{% set comma = joiner(" then ") %}
{% for part in range(9) %}
    # {{ comma() }}{{ part }}
    incr {{ turn.next() }} {{ part }};;
{% endfor %}
    set {{ turn.current }} {{ loop_end | default(8) }};;
    bkpt;;
