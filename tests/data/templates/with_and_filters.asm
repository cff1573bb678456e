# with_and_filters: short names for a part, and filters
{% set names = ["alpha", "beta", "gamma"] %}
{% with low = 2, high = 5 %}
{% for number in range(low, high) %}
{{ names[number - low] | lower }}:
    set lr{{ number }} {{ [number, 4] | min }};;
    incr lr{{ number }} {{ (number * 1.5) | round | int }};;
    blt lr{{ number }} lr0 {{ names[number - low] }};;
{% endfor %}
{% endwith %}
    # {{ names | join(", ") | upper }} {{ names | map("length") | list }}
    str_acc_reg lr0 cr{{ names | length }};;
    bkpt;;
