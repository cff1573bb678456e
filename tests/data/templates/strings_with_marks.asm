# strings_with_marks: marks of tags in strings, and braces without a meaning
{% set text = "%} and }} and #}" %}
{% set other = '{{ "no tag" }}' %}
    set lr0 {{ text | length }};;   # {{ text }}
    set lr1 {{ other | length }};;  # {{ other }}
    set lr2 {{ {"a": {"b": 7}}["a"]["b"] }};; # } } % } { {
{% raw %}    set lr3 1;; # {{ raw }} {% text %} {# too #}
{% endraw %}
    set lr4 {{ "{:d}".format(5) }};; # {{ "%s %%}" % "x" }}
    bkpt;;
