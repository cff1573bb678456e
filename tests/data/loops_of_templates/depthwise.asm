# isa: ipu2
# CR cr2 = 0, cr3 = 0x400, cr4 = 0x800, cr5 = 32, cr6 = 9, cr7 = 4
# One filter of 9 taps a channel; 32 channels, one row a tap
{% set channel = "lr0" %}
{% set tap = "lr1" %}
{% set zero = "lr2" %}
{% set image = "lr3" %}
{% set out = "lr4" %}
    SET {{ channel }} cr0; SET {{ zero }} cr0; SET {{ image }} cr0;;
    SET {{ out }} cr0;;
channels:
    LDR_MULT_REG r0 {{ channel }} cr3; SET {{ tap }} cr0;;
    MULT.EE {{ zero }} cr0 0 {{ zero }} cr15; ACC.ADD.FIRST;;
taps:
    LDR_CYCLIC_MULT_REG {{ image }} cr2 {{ zero }};;
    MULT.RC.VE {{ zero }} {{ tap }} 0 {{ zero }} cr15; ACC.ADD;;
    INC {{ image }} 1;;
    INC {{ tap }} 1;;
    BNE {{ tap }} cr6 taps;;
    B activated;;
activated:
    ACTIVATE.QUANTIZE relu6 cr15; STR_POST_AAQ_REG {{ out }} cr4;;
    ADD {{ out }} {{ out }} cr7; INC {{ channel }} 1;;
    BNE {{ channel }} cr5 channels;;
    BKPT;;
