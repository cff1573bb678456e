	.file	"kernel.cpp"
	.section	.text.kernel,"ax",@progbits
	.globl	kernel                          // -- Begin function kernel
	.p2align	4
	.type	kernel,@function
kernel:                                 // @kernel
// %bb.0:                               // %entry
	nopb	;		nopa	;		nops	;		nopx	;		mov	p3, p0;		nopv
	vldb	wl0, [p0, #0];		mov	p0, p1
	vlda	wl2, [p1, #0];		paddb	[p0], #32;		padds	[p3], #32
	vlda	wh0, [p3, #0];		vldb	wh2, [p0, #0]
	vlda	amhh0, [p2, #32]
	vlda	amhl0, [p2, #0]
	mova	r0, #28
.LBB0_1:                                // %loop
	jnz	r0, #.LBB0_1
	nop
	nop
	nop
	add	r0, r0, #-1 /* counts
	   down */
	vmac.f	bmh0, bmh0, x0, x2, r0
	ret lr
	nop	                                //  Delay Slot 5
	nop	                                //  Delay Slot 4
	vst	amhh0, [p2, #32]                //  Delay Slot 3
	vst	amhl0, [p2, #0]                 //  Delay Slot 2
	nop	                                //  Delay Slot 1
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.ident	"a compiler"
	.addrsig
