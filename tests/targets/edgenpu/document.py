"""What the reference of EdgeNPU prints."""

# The program of the reference's section on syntax.
PROGRAM = """\
; Comments start with semicolon
; Labels end with colon

start:
    ; Load weights
    LOAD    WB, 0x80000000, 65536
    SYNC    WAIT_DMA

    ; Load activations
    LOAD    AB, 0x80010000, 16384
    SYNC    WAIT_DMA

    ; Run convolution
    CONV    AB[1], AB[0], WB[0], RELU
    SYNC    WAIT_COMPUTE

    ; Store output
    STORE   0x80020000, AB[1], 16384
    SYNC    WAIT_DMA | IRQ

    ; Done
    NOP     0
"""
