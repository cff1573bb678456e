# isa: ipu2
# CR cr2 = 0, cr3 = 0x400, cr4 = 0x800, cr5 = 10, cr6 = 128, cr7 = 4
# outputs[s] = sum over i of weights[i] * inputs[s][i]; 10 samples of 128 inputs, one element a turn
{% set sample = "lr0" %}
{% set input = "lr1" %}
{% set weight = "lr2" %}
{% set out = "lr3" %}
{% set zero = "lr4" %}
    SET {{ zero }} cr0; SET {{ sample }} cr0; SET {{ out }} cr0;;
samples:
    LDR_MULT_REG r0 {{ sample }} cr2; SET {{ input }} cr0; SET {{ weight }} cr0;;
    LDR_CYCLIC_MULT_REG {{ weight }} cr3 {{ zero }};;
    MULT.RC.VE {{ zero }} {{ input }} 0 {{ zero }} cr15; ACC.ADD.FIRST; INC {{ input }} 1; INC {{ weight }} 1;;
    LDR_CYCLIC_MULT_REG {{ weight }} cr3 {{ zero }};;
inputs:
    INC {{ weight }} 1;;
    LDR_CYCLIC_MULT_REG {{ weight }} cr3 {{ zero }}; MULT.RC.VE {{ zero }} {{ input }} 0 {{ zero }} cr15; ACC.ADD;
    INC {{ input }} 1;;
    BNE {{ input }} cr6 inputs;;
    B stored;;
stored:
    STR_ACC_REG {{ out }} cr4; INC {{ sample }} 1;;
    ADD {{ out }} {{ out }} cr7;;
    BNE {{ sample }} cr5 samples;;
    BKPT;;
