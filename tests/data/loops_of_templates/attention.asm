# isa: ipu2
# CR cr2 = 0, cr3 = 0x100, cr4 = 0x400, cr5 = 48, cr6 = 64, cr7 = 4, cr8 = 0x800, cr9 = 36
# scores[q] = sum over d of query[q][d] * key[d]; then out[q] = sum over t of scores[q][t] * value[t]
{% set q = "lr0" %}
{% set d = "lr1" %}
{% set zero = "lr2" %}
{% set row = "lr3" %}
    SET {{ q }} cr0; SET {{ zero }} cr0; SET {{ row }} cr0;;
query:
    LDR_MULT_REG r0 {{ q }} cr2; SET {{ d }} cr0;;
    LDR_CYCLIC_MULT_REG {{ d }} cr3 {{ zero }}; MULT.EE {{ zero }} cr0 0 {{ zero }} cr15; ACC.ADD.FIRST;;
    B key;;
key:
    MULT.RC.VE {{ zero }} {{ d }} 0 {{ zero }} cr15; ACC.ADD; INC {{ d }} 1;;
    LDR_CYCLIC_MULT_REG {{ d }} cr3 {{ zero }}; BNE {{ d }} cr6 key;;
    B scored;;
scored:
    ACTIVATE.QUANTIZE identity cr15;;
    STR_POST_AAQ_REG {{ row }} cr4;;
    INC {{ q }} 1;;
    ADD {{ row }} {{ row }} cr7;;
    BNE {{ q }} cr5 query;;
    SET {{ q }} cr0; SET {{ row }} cr0;;
attend:
    LDR_MULT_REG r0 {{ row }} cr4; SET {{ d }} cr0;;
    LDR_CYCLIC_MULT_REG {{ d }} cr3 {{ zero }}; MULT.EE {{ zero }} cr0 0 {{ zero }} cr15; ACC.ADD.FIRST;;
value:
    MULT.RC.VE {{ zero }} {{ d }} 0 {{ zero }} cr15; ACC.ADD;;
    INC {{ d }} 1;;
    LDR_CYCLIC_MULT_REG {{ d }} cr3 {{ zero }};;
    BNE {{ d }} cr9 value;;
    ACTIVATE.QUANTIZE identity cr15; STR_POST_AAQ_REG {{ row }} cr8;;
    INC {{ q }} 1; ADD {{ row }} {{ row }} cr7;;
    BNE {{ q }} cr5 attend;;
    BKPT;;
