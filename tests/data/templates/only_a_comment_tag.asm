# only_a_comment_tag {# no effect #}
set lr0 1; incr lr1 2;;
bkpt;;
