{# comments_everywhere: comments of both kinds, in all places #}
{# ========================================================== #}
{% set k = "lr5" %}  # the index of k
{# the step of k #}
{% set step = 4 %}
# bound of the loop
{% set bound = "lr6" %}
{% set zero = "lr0" %} {# always zero #} {# and never written #}
    set {{ k }} 0; {# first #} set {{ bound }} 64;;  # {{ k }} < {{ bound }}
    set {{ zero }} 0;; {# a comment
that goes on
over lines #}
loop: {# the only label #}
    incr {{ k }} {{ step }}; # {# nested #} and {{ 'text' }}
    mult.ee r0 {{ zero }} {{ zero }} {{ zero }}; acc;
    blt {{ k }} {{ bound }} loop;;
    str_acc_reg {{ zero }} cr0;; # {# {{ not read }} {% at all #}
    bkpt;;
