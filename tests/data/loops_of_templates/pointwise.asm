# isa: ipu2
# CR cr2 = 0, cr3 = 0x400, cr4 = 0x1000, cr5 = 64, cr6 = 32, cr7 = 4
# A 1 x 1 convolution: 64 outputs of 32 channels, a row of 128 pixels; two channels a turn
{% set out = "lr0" %}
{% set channel = "lr1" %}
{% set zero = "lr2" %}
{% set image = "lr3" %}
{% set row = "lr4" %}
{% set other = "lr5" %}
    SET {{ out }} cr0; SET {{ zero }} cr0; SET {{ row }} cr0;;
outputs:
    LDR_MULT_REG r0 {{ out }} cr3; SET {{ channel }} cr0; SET {{ image }} cr0;;
    MULT.EE {{ zero }} cr0 0 {{ zero }} cr15; ACC.ADD.FIRST;;
channels:
    LDR_CYCLIC_MULT_REG {{ image }} cr2 {{ zero }};;
    INC {{ image }} 1; ADD {{ other }} {{ channel }} cr1;;
    MULT.RC.VE {{ zero }} {{ channel }} 0 {{ zero }} cr15; ACC.ADD;;
    LDR_CYCLIC_MULT_REG {{ image }} cr2 {{ zero }};;
    INC {{ image }} 1;;
    MULT.RC.VE {{ zero }} {{ other }} 0 {{ zero }} cr15; ACC.ADD;;
    INC {{ channel }} 2;;
    BLT {{ channel }} cr6 channels;;
    ACTIVATE.QUANTIZE relu cr15; STR_POST_AAQ_REG {{ row }} cr4;;
    INC {{ out }} 1; ADD {{ row }} {{ row }} cr7;;
    BNE {{ out }} cr5 outputs;;
    BKPT;;
