"""Templates that would take all time or all memory. Run as a program, it expands them."""

from __future__ import annotations

import json
import os
import resource
import sys
import time

_DOUBLING = (
    "{% set ns = namespace(x=VALUE) %}{% for i in range(60) %}{% set ns.x = STEP %}{% endfor %}"
)


def _doubling(value: str, step: str, use: str = "{{ ns.x }}") -> str:
    return _DOUBLING.replace("VALUE", value).replace("STEP", step) + use


def _nested(depth: int, text: str) -> str:
    head = "".join(f"{{% for x{n} in range(1000) %}}" for n in range(depth))
    return head + text + "{% endfor %}" * depth


_ONE_HASH = 2**61 - 1  # the hash of its multiples is 0
BOMBS = {
    "nested loops": _nested(5, "acc;;\n"),
    "nested loops of nothing": _nested(5, ""),
    "nested loops of sets": _nested(5, "{% set a = 1 %}"),
    "a long loop with much text": "{% for x in range(99999) %}"
    + "{{ x }} acc;;\n" * 500
    + "{% endfor %}",
    "a long loop in a macro": "{% macro m() %}{% for x in range(99999) %}"
    + "{% if x %}acc;;{% endif %}" * 500
    + "{% endfor %}{% endmacro %}{{ m() }}",
    "a large range": "{% for x in range(1000000000) %}{% endfor %}",
    "many ranges": "{{ (range(99999) | list) + (range(99999) | list) + (range(99999) | list) }}"
    * 200,
    "filtered loops": "{% for x in range(99999) %}{% for y in range(99999) if y > x + 99999 %}"
    "{% endfor %}{% endfor %}",
    "a long text": "{{ 'a' * 1000000000 }}",
    "a long list": "{{ [1] * 1000000000 }}",
    "a long text from the left": "{{ 1000000000 * 'a' }}",
    "a large power": "{{ 10 ** (10 ** 8) }}",
    "a power of a power": "{{ 10 ** (10 ** (10 ** 10)) }}",
    "a large product": "{% set ns = namespace(x=9) %}{% for i in range(60) %}"
    "{% set ns.x = ns.x * ns.x %}{% endfor %}{{ ns.x }}",
    "a wide format": "{{ '%1000000000d' % 1 }}",
    "a wide format by a star": "{{ '%*d' % (1000000000, 1) }}",
    "a precise format": "{{ '%.1000000000f' % 1 }}",
    "a wide brace format": '{{ "{:>1000000000}".format(1) }}',
    "a wide nested brace format": '{{ "{:>{}}".format(1, 1000000000) }}',
    "a wide named brace format": '{{ "{:>{w}}".format(1, w=1000000000) }}',
    "a wide mapped format": '{{ "{w:>{w}}".format_map({"w": 1000000000}) }}',
    "a wide format filter": "{{ '%1000000000d' | format(1) }}",
    "center": "{{ 'a' | center(1000000000) }}",
    "center by a method": "{{ 'a'.center(1000000000) }}",
    "ljust": "{{ 'a'.ljust(1000000000) }}",
    "zfill": "{{ 'a'.zfill(1000000000) }}",
    "expandtabs": "{{ '\\t'.expandtabs(1000000000) }}",
    "to_bytes": "{{ (1).to_bytes(1000000000, 'big') }}",
    "indent": "{{ 'a\\nb' | indent(1000000000) }}",
    "batch": "{{ [1] | batch(1000000000, 'x') | list }}",
    "slice": "{{ [1] | slice(1000000000) | list }}",
    "join": "{{ range(99999) | join('x' * 100000) }}",
    "join of an iterator": "{{ range(99999) | map('center', 1000) | join }}",
    "join by a method": "{{ ('x' * 100000).join(['a'] * 100000) }}",
    "replace": "{{ ('a' * 100000) | replace('a', 'b' * 100000) }}",
    "replace by a method": "{{ ('a' * 100000).replace('a', 'b' * 100000) }}",
    "round": "{{ 1 | round(1000000000) }}",
    "round down": "{{ 1 | round(-1000000000, 'floor') }}",
    "tojson": "{{ [[1]] | tojson(indent=1000000000) }}",
    "wordwrap": "{{ ('a ' * 400000) | wordwrap(1) }}",
    "wordwrap by a long break": "{{ ('a ' * 4000) | wordwrap(1, wrapstring='x' * 100000) }}",
    "doubled text": _doubling("'ab'", "ns.x + ns.x"),
    "doubled text by tilde": _doubling("'ab'", "ns.x ~ ns.x"),
    "doubled text by a block": "{% set ns = namespace(x='ab') %}{% for i in range(60) %}"
    "{% set ns.x %}{{ ns.x }}{{ ns.x }}{% endset %}{% endfor %}",
    "doubled empty text": "{% macro e(a, b) %}{% endmacro %}{% set ns = namespace(x=e(1, 2)) %}"
    "{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
    "doubled list": _doubling("[1]", "ns.x + ns.x"),
    "nested list": _doubling("[1]", "[ns.x, ns.x]"),
    "nested list that is compared": "{% set ns = namespace(x=[1], y=[1]) %}{% for i in range(60) %}"
    "{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}{{ ns.x == ns.y }}",
    "nested tuple": _doubling("(1,)", "(ns.x, ns.x)"),
    "nested dictionary": _doubling("{}", "{1: ns.x, 2: ns.x}"),
    "nested list by multiplication": _doubling("[1]", "[ns.x] * 2"),
    "nested list by a filter": _doubling("[1]", "[ns.x] | batch(2, ns.x) | list"),
    "nested namespaces": "{% set ns = namespace(x=1) %}{% for i in range(60) %}"
    "{% set ns.x = namespace(a=ns.x, b=ns.x) %}{% endfor %}{{ ns.x }}",
    "a namespace in itself": "{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}",
    "deep list": "{% set ns = namespace(x=1) %}{% for i in range(99999) %}"
    "{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}",
    "recursion": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "branching recursion": "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}"
    "{% endmacro %}{{ m(50) }}",
    "recursion by a loop": "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "recursion of blocks": "{% block a %}{{ self.a() }}{% endblock %}",
    "recursion by a caller": "{% macro m() %}{% call m() %}{{ caller }}{% endcall %}"
    "{% endmacro %}{{ m() }}",
    "deep parentheses": "{{ " + "(" * 10_000 + "1" + ")" * 10_000 + " }}",
    "deep lists": "{{ " + "[" * 10_000 + "1" + "]" * 10_000 + " }}",
    "a long sum": "{{ " + "1+" * 10_000 + "1 }}",
    "many filters": "{{ 1" + "|abs" * 10_000 + " }}",
    "many signs": "{{ " + "- " * 10_000 + "1 }}",
    "many attributes": "{{ a" + ".b" * 10_000 + " }}",
    "many calls": "{{ a" + "()" * 10_000 + " }}",
    "many conditions": "{{ " + "1 if 0 else " * 10_000 + "1 }}",
    "deep blocks": "{% if 1 %}" * 5_000 + "{% endif %}" * 5_000,
    "deep loops": "{% for x in [1] %}" * 500 + "{% endfor %}" * 500,
    "a huge template": "incr lr0 1;;\n" * 1_300_000 + "{# #}",
    "a huge template of breaks": "\n" * 16_000_000 + "{# #}",
    "a huge template of tags": "{{ 1 }}" * 140_000,
    "a template of many tags": "{{ 1 }}\n" * 30_000,
    "a template of many sets": "{% set a = 1 %}\n" * 15_000,
    "a template of many names": "".join(f"{{% set a{n} = {n} %}}\n" for n in range(10_000)),
    "a template of many loops": "{% for x in [1] %}{% endfor %}\n" * 7_000,
    "a template of many macros": "{% macro a() %}{% endmacro %}\n" * 7_000,
    "open marks": "{{" * 400_000,
    "open statements": "{% " * 300_000,
    "open comments": "{#" * 400_000,
    "open raw blocks": "{% raw %}" * 100_000,
    "a long text in a tag": "{{ '" + "a" * 900_000 + "' }}",
    "a long number": "{{ " + "9" * 900_000 + " }}",
    "a long name": "{{ " + "a" * 900_000 + " }}",
    "lipsum": "{{ lipsum(n=1000000) }}",
    "a cycler": "{% set c = cycler(1, 2) %}" + _nested(4, "{{ c.next() }}"),
    "a joiner": "{% set j = joiner('x' * 100000) %}" + _nested(2, "{{ j() }}"),
    "sort": _nested(2, "{% set a = range(99999) | sort(reverse=true) %}"),
    "sum of lists": "{{ ([[1]] * 99999) | sum(start=[]) }}",
    "unique": _nested(2, "{% set a = range(99999) | unique | list %}"),
    "membership": _nested(3, "{% if 'x' in 'a' * 90000 %}{% endif %}"),
    "pprint": "{{ range(99999) | list | pprint }}",
    "urlize": "{{ ('www.a.b ' * 90000) | urlize }}",
    "xmlattr": "{% set d = dict(a='<' * 400000) %}" + "{{ d | xmlattr }}" * 100,
    "groupby": "{{ range(99999) | groupby('real') | list | length }}" * 50,
    "translate": "{{ ('a' * 100000).translate({97: 'x' * 100000}) }}",
    "tojson of a long list": "{{ (range(99999) | list) | tojson(indent=99999) }}",
    "tojson of a deep list": _DOUBLING.replace("VALUE", "range(9999)|list").replace(
        "STEP", "[ns.x]"
    )
    + "{{ ns.x | tojson(indent=999) | length }}",
    "a width that is an argument": "{{ '{:{}}'.format(1, '1999999999') }}",
    "a width of joined digits": "{{ '{:{}{}}'.format(1, '19999', 99999) }}",
    "a width in a list": "{{ '{0:{1[0]}}'.format(1, ['1999999999']) }}",
    "a width in other digits": "{{ '{:{}}'.format(1, '١٩٩٩٩٩٩٩٩٩') }}",
    "a precision that is an argument": "{{ '{:.{}f}'.format(1, 1999999999) }}",
    "a width by a mapped format": "{{ '{w:{w}}'.format_map(dict(w=1999999999)) }}",
    "many wide fields": "{{ ('{0:99999}' * 9000).format(1) | length }}",
    "many wide percent fields": "{{ ('%(a)99999d' * 9000) % dict(a=1) }}",
    "wide percent fields by stars": "{{ ('%*d' * 900) % ((99999, 1) * 900) }}",
    "a wide field after a nested key": "{{ '%((a)9)1999999999d' % {'(a)9': 1} }}",
    "a wide percent format of bytes": "{{ 'a%1999999999d'.encode() % 1 }}",
    "a percent format of a long value": "{{ ('%(a)s' * 9000) % dict(a='x' * 99999) }}",
    "a wide format in HTML": "{% autoescape true %}{{ ('<'|e + '{:{}}').format(1, '1999999999') }}"
    "{% endautoescape %}",
    "slices": "{% set a = range(99999) | list %}"
    + "".join(f"{{% set a{n} = a[1:] %}}" for n in range(2_000)),
    "slices of a text": "{% set a = 'x' * 999999 %}"
    + "".join(f"{{% set a{n} = a[{n}:] %}}" for n in range(2_000)),
    "shared slices in a list": "{% set a = range(99999) | list %}{{ ["
    + "a[1:]," * 3_000
    + "] | length }}",
    "a selection that gives nothing": "{% set a = range(99999) | list %}"
    "{{ a | reject('in', a) | list }}",
    "a test of each": "{{ range(99999) | select('divisibleby', 100000) | list }}" * 50,
    "many searches in a list": "{% set a = range(99999) | list %}" + "{{ 'x' in a }}" * 3_000,
    "many comparisons": "{% set a = range(99999) | list %}{% set b = range(99999) | list %}"
    "{{ " + " or ".join(["a == b and not a"] * 60) + " }}",
    "a chain of comparisons": "{% set a = range(99999) | list %}{{ " + "a == " * 30_000 + "a }}",
    "a long way of attributes": "{{ range(9999) | map(attribute='"
    + "real." * 90_000
    + "real') | list }}",
    "many attributes to sort by": "{{ range(9999) | sort(attribute='"
    + "real," * 90_000
    + "real') }}",
    "a strip of a long text": "{{ ('a' * 900000).strip('b' * 900000 + 'a') }}",
    "trim": "{{ ('a' * 900000) | trim('b' * 900000 + 'a') }}",
    "rfind": "{{ ('a' * 900000).rfind('b' + 'a' * 400000) }}",
    "rsplit": "{{ ('a' * 900000).rsplit('b' + 'a' * 400000) }}",
    "striptags": "{{ ('<!-- -->' * 100000) | striptags }}",
    "striptags by a method": "{{ (('<!-- -->' * 100000) | safe).striptags() }}",
    "a quotient of large numbers": "{% set a = (('1' * 900000) | int(base=16)) %}"
    "{{ (a // (a // 3)) % a }}",
    "a large hexadecimal number": "{{ 0x" + "f" * 900_000 + " }}",
    "a large octal number": "{{ 0o" + "7" * 900_000 + " }}",
    "many lists": "".join(f"{{% set a{n} = range({n}, {n} + 99999) | list %}}" for n in range(300)),
    "many dictionaries": "".join(
        f"{{% set a{n} = dict.fromkeys(range({n}, {n} + 59999)) %}}" for n in range(300)
    ),
    "lists of texts": "".join(f"{{% set a{n} = ('{n} ' * 99999).split() %}}" for n in range(300)),
    "split to characters": "{{ ('a' * 999999) | list | length }}" * 300,
    "nested iterators": "{% set ns = namespace(x=[1]) %}{% for i in range(99999) %}"
    "{% set ns.x = ns.x | map('abs') %}{% endfor %}{{ ns.x | list }}",
    "nested iterators that are dropped": "{% set ns = namespace(x=[1]) %}"
    "{% for i in range(99999) %}{% set ns.x = ns.x | map('abs') %}{% endfor %}",
    "urlize with a long target": "{{ ('www.a.b ' * 9000) | urlize(target='x' * 99999) }}",
    "urlize of one word": "{{ ('a@' * 49999) | urlize }}",
    "urlize of brackets": "{{ ('(' * 49999 ~ 'www.a.b' ~ ')' * 49999) | urlize }}",
    "wordwrap of one word": "{{ ('a' * 99999) | wordwrap(1) }}",
    "wordwrap of hyphens": "{{ ('a-' * 49999) | wordwrap(1) }}",
    "fill of a batch": "{{ [1] | batch(99999, 'x' * 99999) | list | join | length }}",
    "fill of a slice": "{{ [1] | slice(99999, fill_with='x' * 99999) | list }}",
    "rounds": "{{ 1.5 | round(99999, 'ceil') }}",
    "xmlattr of a list": "{{ {'a': range(99999) | list} | xmlattr | length }}" * 100,
    "a translation of slices": "{{ ('a' * 9999).translate({}.fromkeys([97], 'x' * 99999)) }}",
    "contexts": "".join(f"{{# ipu: context n={n} #}}\n" for n in range(64))
    + _nested(2, "{% set a = n %}"),
    "wide characters": "{{ '😀' * 999999 }}" * 30,
    "a chain of macros": "{% macro m0() %}{% endmacro %}"
    + "".join(f"{{% macro m{n + 1}() %}}{{{{ m{n}() }}}}{{% endmacro %}}\n" for n in range(2_400))
    + "{{ m2400() }}",
    "a longer chain of macros": "{% macro m0() %}{% endmacro %}"
    + "".join(f"{{% macro m{n + 1}() %}}{{{{ m{n}() }}}}{{% endmacro %}}\n" for n in range(4_000))
    + "{{ m4000() }}",
    "a codec in Python": f"{{{{ '{''.join(map(chr, range(20_000, 36_000)))}'"
    ".encode('punycode') }}",
    "keys of one hash": f"{{{{ dict.fromkeys(range(0, 99999 * {_ONE_HASH}, {_ONE_HASH})) }}}}",
    "pairs of one hash": f"{{% set keys = range(0, {30_000 * _ONE_HASH}, {_ONE_HASH}) %}}"
    "{{ dict(keys | batch(2) | list) }}",
    "constants of one hash": "{{ ["
    + ",".join(str(n * _ONE_HASH) for n in range(20_000))
    + "] * 1000 }}",
    "a dictionary of one hash": "{{ {"
    + ",".join(f"{n * _ONE_HASH}:1" for n in range(9_000))
    + "} }}",
    "comparisons of keys of one hash": f"{{% set a = range(0, {3_000 * _ONE_HASH}, {_ONE_HASH}) %}}"
    + "{% set b, c = dict.fromkeys(a), dict.fromkeys(a) %}"
    + "{{ b == c and b.keys().isdisjoint(a) }}" * 200,
    "undefined names": "".join(f"{{{{ name{n} }}}}\n" for n in range(5_000)),
}
"""By what they try."""


def main() -> None:
    """Expand the named bombs, or all, in a process of its own each; print codes, time, megabytes.

    The time is in turns of a plain loop, in millions: of the slower one of those before and after
    it, because others use this machine as well.
    """
    from ipu_asm.isa import load_isa
    from ipu_asm.source.expand import expand

    surface = load_isa("ipu").surface
    expand(surface, "{{ 1 }}")
    for name in sys.argv[1:] or BOMBS:
        text = BOMBS[name]
        sys.stdout.flush()
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            continue
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        plain = _seconds_of_million_turns()
        start = time.process_time()
        expansions = expand(surface, text)
        seconds = time.process_time() - start
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        codes = sorted({finding.code for each in expansions for finding in each.findings})
        turns = seconds / max(plain, _seconds_of_million_turns())
        outcome = {"codes": codes, "million_turns": turns, "megabytes": grown / 1024}
        print(json.dumps({"name": name, **outcome}), flush=True)
        os._exit(0)


def _seconds_of_million_turns() -> float:
    start = time.process_time()
    for _ in range(4):
        sum(number * number for number in range(100_000))
    return 2.5 * (time.process_time() - start)


if __name__ == "__main__":
    main()
