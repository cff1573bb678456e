"""EdgeNPU: one instruction of 64 bits a line.

Source: "EdgeNPU Instruction Set Reference", version 1.0.0; where it contradicts itself, the texts
of its summaries decide. No emulator executes it.
"""
