// sum_supervisor.S: a supervisor starts all workers, and each adds up its share of the words
//
// The vertex
//   word 0 = first word
//   word 1 = words that each worker adds up, 1 or more
//   word 2 = 6 sums, one of each worker

    .section .text.sum, "ax"
    .align 8
    .worker
.Lworker:
    ld32 $m0, $mvertex_base, $mzero, 0
    ld32 $m1, $mvertex_base, $mzero, 1
    ld32 $m2, $mvertex_base, $mzero, 2
    get $m3, $WSR
    and $m3, $m3, 7             // the worker's number
    mul $m4, $m3, $m1
    ld32step $mzero, $mzero, $m0+=, $m4
    { add $m1, $m1, -1 ; zero $a1 }
.Lnext:
    ld32step $a0, $mzero, $m0+=, 1
    { brnzdec $m1, .Lnext ; f32add $a1, $a1, $a0 }
    st32 $a1, $m2, $mzero, $m3
    exitz $mzero

    .globl sum_supervisor
    .type sum_supervisor, @function
    .align 4
    .supervisor
sum_supervisor:
    setzi $m1, .Lworker
    runall $m1, $m0, 0          // $m0 is the vertex
    sync 0
    br $lr
    .size sum_supervisor, .-sum_supervisor
