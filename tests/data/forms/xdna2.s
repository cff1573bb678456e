kernel:                              // @kernel
	nopa	;		vldb	 x2, [p1, #0];		nopxm	;		nops
	vldb	 x4, [p1, #64]
	movxm	r0, #16256
	vlda.conv.fp32.bf16	 cml0, [p0, #0];		vbcst.16	 x0, r0
	mova	r0, #53;		vmov	x1, x0
	nop
	vmul.f	dm1, y3, y0, r0
	vlda	 bmhl0, [p2, #128]
	nop
	nop
	nop
	nop
	nop
	vconv.bfp16ebs8.fp32	 ex0, dm0
	nop
	nop
	nop
	vmac.f	dm0, dm0, ex0, ex2, r0
	nop
	nop
	nop
	nop
	ret	lr
	vst	 bmll0, [p2, #0]                //  Delay Slot 5
	nop
	nop
	nop
	nop
