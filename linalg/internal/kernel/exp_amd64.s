//go:build gc && !purego

#include "textflag.h"

// The exponential: x = n·ln 2 + r with |r| ≤ ½ ln 2, and eˣ = 2ⁿeʳ. The product
// of n and the high part of ln 2 is exact, so r carries one rounding; eʳ is the
// Taylor polynomial of degree 13, whose remainder is below 5e-18. (Muller,
// Elementary Functions, 3rd ed., §11.)
//
// The logarithm of u = fl(1 + e), 0 ≤ e ≤ 1: m = u, or u/2 where u > √2, f = m − 1
// and s = f/(2 + f), so that log m = 2 artanh s = f − (f²/2 − s(f²/2 + R)) with
// R = s²(2/3 + s²(2/5 + …)), to s²⁰. What the rounding of 1 + e lost, divided by
// u, is added. (The arrangement of FreeBSD's s_log1p.c.)

// Constants, in the order in which they are used.
DATA expc<>+0(SB)/8, $1.4426950408889634074 // log2 e
DATA expc<>+8(SB)/8, $6.93147180369123816490e-01 // ln 2, high part: its last 32 bits are 0
DATA expc<>+16(SB)/8, $1.90821492927058770002e-10 // ln 2, the rest
DATA expc<>+24(SB)/8, $-746.0 // below it e^x rounds to 0
DATA expc<>+32(SB)/8, $710.0 // above it e^x is +Inf
DATA expc<>+40(SB)/8, $1.0 // 1
DATA expc<>+48(SB)/8, $1.6059043836821613e-10 // 1/13!
DATA expc<>+56(SB)/8, $2.08767569878681e-09 // 1/12!
DATA expc<>+64(SB)/8, $2.505210838544172e-08 // 1/11!
DATA expc<>+72(SB)/8, $2.755731922398589e-07 // 1/10!
DATA expc<>+80(SB)/8, $2.7557319223985893e-06 // 1/9!
DATA expc<>+88(SB)/8, $2.48015873015873e-05 // 1/8!
DATA expc<>+96(SB)/8, $0.0001984126984126984 // 1/7!
DATA expc<>+104(SB)/8, $0.001388888888888889 // 1/6!
DATA expc<>+112(SB)/8, $0.008333333333333333 // 1/5!
DATA expc<>+120(SB)/8, $0.041666666666666664 // 1/4!
DATA expc<>+128(SB)/8, $0.16666666666666666 // 1/3!
DATA expc<>+136(SB)/8, $0.5 // 1/2!, and ½
DATA expc<>+144(SB)/8, $1.4142135623730951 // sqrt 2
DATA expc<>+152(SB)/8, $2.0 // 2
DATA expc<>+160(SB)/8, $0.09523809523809523 // 2/21
DATA expc<>+168(SB)/8, $0.10526315789473684 // 2/19
DATA expc<>+176(SB)/8, $0.11764705882352941 // 2/17
DATA expc<>+184(SB)/8, $0.13333333333333333 // 2/15
DATA expc<>+192(SB)/8, $0.15384615384615385 // 2/13
DATA expc<>+200(SB)/8, $0.18181818181818182 // 2/11
DATA expc<>+208(SB)/8, $0.2222222222222222 // 2/9
DATA expc<>+216(SB)/8, $0.2857142857142857 // 2/7
DATA expc<>+224(SB)/8, $0.4 // 2/5
DATA expc<>+232(SB)/8, $0.6666666666666666 // 2/3
DATA expc<>+240(SB)/8, $0x8000000000000000 // the sign
GLOBL expc<>(SB), RODATA|NOPTR, $248

// EXP512 replaces x, which is within the bounds or NaN, by eˣ. It uses n and r.
#define EXP512(x, n, r) \
	VMULPD.BCST expc<>+0(SB), x, n; \
	VRNDSCALEPD $8, n, n; \
	VMOVAPD x, r; \
	VFNMADD231PD.BCST expc<>+8(SB), n, r; \
	VFNMADD231PD.BCST expc<>+16(SB), n, r; \
	VBROADCASTSD expc<>+48(SB), x; \
	VFMADD213PD.BCST expc<>+56(SB), r, x; \
	VFMADD213PD.BCST expc<>+64(SB), r, x; \
	VFMADD213PD.BCST expc<>+72(SB), r, x; \
	VFMADD213PD.BCST expc<>+80(SB), r, x; \
	VFMADD213PD.BCST expc<>+88(SB), r, x; \
	VFMADD213PD.BCST expc<>+96(SB), r, x; \
	VFMADD213PD.BCST expc<>+104(SB), r, x; \
	VFMADD213PD.BCST expc<>+112(SB), r, x; \
	VFMADD213PD.BCST expc<>+120(SB), r, x; \
	VFMADD213PD.BCST expc<>+128(SB), r, x; \
	VFMADD213PD.BCST expc<>+136(SB), r, x; \
	VFMADD213PD Z28, r, x; \
	VFMADD213PD Z28, r, x; \
	VSCALEFPD n, x, x

// func expAVX512(dst, src *float64, n int)
//
// The minimum and maximum take the operand when it is NaN.
TEXT ·expAVX512(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), BX
	VBROADCASTSD expc<>+24(SB), Z30
	VBROADCASTSD expc<>+32(SB), Z29
	VBROADCASTSD expc<>+40(SB), Z28
	MOVL $255, AX
	KMOVW AX, K1

exp8:
	CMPQ BX, $8
	JGE expLoad
	MOVQ BX, CX
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K1

expLoad:
	VMOVUPD.Z (SI), K1, Z0
	VMINPD Z0, Z29, Z0
	VMAXPD Z0, Z30, Z0
	EXP512(Z0, Z1, Z2)
	VMOVUPD Z0, K1, (DI)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $8, BX
	JG exp8
	VZEROUPPER
	RET

// func logisticAVX512(prob, loss, t *float64, n int)
//
// With e = exp(−|t|): prob is 1/(1+e) or, for negative t, e/(1+e); loss is
// max(t, 0) + log(1+e).
TEXT ·logisticAVX512(SB), NOSPLIT, $0-32
	MOVQ prob+0(FP), DI
	MOVQ loss+8(FP), R8
	MOVQ t+16(FP), SI
	MOVQ n+24(FP), BX
	VBROADCASTSD expc<>+24(SB), Z30
	VBROADCASTSD expc<>+240(SB), Z29
	VBROADCASTSD expc<>+40(SB), Z28
	VBROADCASTSD expc<>+144(SB), Z27
	VBROADCASTSD expc<>+136(SB), Z26
	VPXORQ Z25, Z25, Z25
	MOVL $255, AX
	KMOVW AX, K1

logistic8:
	CMPQ BX, $8
	JGE logisticLoad
	MOVQ BX, CX
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K1

logisticLoad:
	VMOVUPD.Z (SI), K1, Z0
	VPORQ Z29, Z0, Z1
	VMAXPD Z1, Z30, Z1
	EXP512(Z1, Z2, Z3)

	// e in Z1, u in Z4, what 1 + e lost in Z5, 1/u in Z6.
	VADDPD Z28, Z1, Z4
	VSUBPD Z28, Z4, Z5
	VSUBPD Z5, Z1, Z5
	VDIVPD Z4, Z28, Z6
	VPMOVQ2M Z0, K2
	VMULPD Z6, Z1, Z7
	VMOVAPD Z6, Z8
	VMOVAPD Z7, K2, Z8
	VMOVUPD Z8, K1, (DI)

	// f in Z4, s in Z7, s² in Z8, f²/2 in Z9, R in Z10.
	VCMPPD $30, Z27, Z4, K3
	VMULPD Z26, Z4, K3, Z4
	VSUBPD Z28, Z4, Z4
	VADDPD.BCST expc<>+152(SB), Z4, Z7
	VDIVPD Z7, Z4, Z7
	VMULPD Z7, Z7, Z8
	VMULPD Z4, Z4, Z9
	VMULPD Z26, Z9, Z9
	VBROADCASTSD expc<>+160(SB), Z10
	VFMADD213PD.BCST expc<>+168(SB), Z8, Z10
	VFMADD213PD.BCST expc<>+176(SB), Z8, Z10
	VFMADD213PD.BCST expc<>+184(SB), Z8, Z10
	VFMADD213PD.BCST expc<>+192(SB), Z8, Z10
	VFMADD213PD.BCST expc<>+200(SB), Z8, Z10
	VFMADD213PD.BCST expc<>+208(SB), Z8, Z10
	VFMADD213PD.BCST expc<>+216(SB), Z8, Z10
	VFMADD213PD.BCST expc<>+224(SB), Z8, Z10
	VFMADD213PD.BCST expc<>+232(SB), Z8, Z10
	VFMADD213PD Z9, Z8, Z10
	VMULPD Z6, Z5, Z5
	VADDPD.BCST expc<>+16(SB), Z5, K3, Z5
	VFMADD231PD Z10, Z7, Z5
	VSUBPD Z5, Z9, Z9
	VSUBPD Z9, Z4, Z4
	VADDPD.BCST expc<>+8(SB), Z4, K3, Z4
	VMAXPD Z0, Z25, Z0
	VADDPD Z0, Z4, Z4
	VMOVUPD Z4, K1, (R8)
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ $64, R8
	SUBQ $8, BX
	JG logistic8
	VZEROUPPER
	RET

// EXP256 is EXP512 for Y registers: x of which X is the low half, and 2ⁿ applied
// in two halves because it may be out of range. It uses n, r, and c of which cx
// is the low half.
#define EXP256(x, n, r, c, cx) \
	VBROADCASTSD expc<>+0(SB), c; \
	VMULPD c, x, n; \
	VROUNDPD $0, n, n; \
	VMOVAPD x, r; \
	VBROADCASTSD expc<>+8(SB), c; \
	VFNMADD231PD c, n, r; \
	VBROADCASTSD expc<>+16(SB), c; \
	VFNMADD231PD c, n, r; \
	VBROADCASTSD expc<>+48(SB), x; \
	VBROADCASTSD expc<>+56(SB), c; \
	VFMADD213PD c, r, x; \
	VBROADCASTSD expc<>+64(SB), c; \
	VFMADD213PD c, r, x; \
	VBROADCASTSD expc<>+72(SB), c; \
	VFMADD213PD c, r, x; \
	VBROADCASTSD expc<>+80(SB), c; \
	VFMADD213PD c, r, x; \
	VBROADCASTSD expc<>+88(SB), c; \
	VFMADD213PD c, r, x; \
	VBROADCASTSD expc<>+96(SB), c; \
	VFMADD213PD c, r, x; \
	VBROADCASTSD expc<>+104(SB), c; \
	VFMADD213PD c, r, x; \
	VBROADCASTSD expc<>+112(SB), c; \
	VFMADD213PD c, r, x; \
	VBROADCASTSD expc<>+120(SB), c; \
	VFMADD213PD c, r, x; \
	VBROADCASTSD expc<>+128(SB), c; \
	VFMADD213PD c, r, x; \
	VBROADCASTSD expc<>+136(SB), c; \
	VFMADD213PD c, r, x; \
	VFMADD213PD Y15, r, x; \
	VFMADD213PD Y15, r, x; \
	VCVTPD2DQY n, cx; \
	VPSRAD $1, cx, X14; \
	VPSUBD X14, cx, cx; \
	VPMOVSXDQ X14, r; \
	VPMOVSXDQ cx, n; \
	VPSLLQ $52, r, r; \
	VPSLLQ $52, n, n; \
	VPADDQ Y15, r, r; \
	VPADDQ Y15, n, n; \
	VMULPD r, x, x; \
	VMULPD n, x, x

// func expAVX2(dst, src *float64, n int, lanes *int64)
TEXT ·expAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), BX
	MOVQ lanes+24(FP), DX
	VBROADCASTSD expc<>+24(SB), Y13
	VBROADCASTSD expc<>+32(SB), Y12
	VBROADCASTSD expc<>+40(SB), Y15
	VPCMPEQQ Y11, Y11, Y11

exp4:
	CMPQ BX, $4
	JGE expLoad
	VMOVUPD (DX), Y11

expLoad:
	VMASKMOVPD (SI), Y11, Y0
	VMINPD Y0, Y12, Y0
	VMAXPD Y0, Y13, Y0
	EXP256(Y0, Y1, Y2, Y3, X3)
	VMASKMOVPD Y0, Y11, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, BX
	JG exp4
	VZEROUPPER
	RET

// func logisticAVX2(prob, loss, t *float64, n int, lanes *int64)
TEXT ·logisticAVX2(SB), NOSPLIT, $0-40
	MOVQ prob+0(FP), DI
	MOVQ loss+8(FP), R8
	MOVQ t+16(FP), SI
	MOVQ n+24(FP), BX
	MOVQ lanes+32(FP), DX
	VBROADCASTSD expc<>+24(SB), Y13
	VBROADCASTSD expc<>+240(SB), Y12
	VBROADCASTSD expc<>+40(SB), Y15
	VBROADCASTSD expc<>+136(SB), Y10
	VPCMPEQQ Y11, Y11, Y11

logistic4:
	CMPQ BX, $4
	JGE logisticLoad
	VMOVUPD (DX), Y11

logisticLoad:
	VMASKMOVPD (SI), Y11, Y0
	VORPD Y12, Y0, Y1
	VMAXPD Y1, Y13, Y1
	EXP256(Y1, Y2, Y3, Y4, X4)

	// e in Y1, u in Y4, what 1 + e lost in Y5, 1/u in Y6.
	VADDPD Y15, Y1, Y4
	VSUBPD Y15, Y4, Y5
	VSUBPD Y5, Y1, Y5
	VDIVPD Y4, Y15, Y6
	VMULPD Y6, Y1, Y7
	VBLENDVPD Y0, Y7, Y6, Y8
	VMASKMOVPD Y8, Y11, (DI)

	// Where u > √2 is in Y2, f in Y4, s in Y7, s² in Y8, f²/2 in Y9, R in Y3.
	VBROADCASTSD expc<>+144(SB), Y2
	VCMPPD $30, Y2, Y4, Y2
	VMULPD Y10, Y4, Y7
	VBLENDVPD Y2, Y7, Y4, Y4
	VSUBPD Y15, Y4, Y4
	VBROADCASTSD expc<>+152(SB), Y7
	VADDPD Y7, Y4, Y7
	VDIVPD Y7, Y4, Y7
	VMULPD Y7, Y7, Y8
	VMULPD Y4, Y4, Y9
	VMULPD Y10, Y9, Y9
	VBROADCASTSD expc<>+160(SB), Y3
	VBROADCASTSD expc<>+168(SB), Y14
	VFMADD213PD Y14, Y8, Y3
	VBROADCASTSD expc<>+176(SB), Y14
	VFMADD213PD Y14, Y8, Y3
	VBROADCASTSD expc<>+184(SB), Y14
	VFMADD213PD Y14, Y8, Y3
	VBROADCASTSD expc<>+192(SB), Y14
	VFMADD213PD Y14, Y8, Y3
	VBROADCASTSD expc<>+200(SB), Y14
	VFMADD213PD Y14, Y8, Y3
	VBROADCASTSD expc<>+208(SB), Y14
	VFMADD213PD Y14, Y8, Y3
	VBROADCASTSD expc<>+216(SB), Y14
	VFMADD213PD Y14, Y8, Y3
	VBROADCASTSD expc<>+224(SB), Y14
	VFMADD213PD Y14, Y8, Y3
	VBROADCASTSD expc<>+232(SB), Y14
	VFMADD213PD Y14, Y8, Y3
	VFMADD213PD Y9, Y8, Y3
	VMULPD Y6, Y5, Y5
	VBROADCASTSD expc<>+16(SB), Y14
	VANDPD Y2, Y14, Y14
	VADDPD Y14, Y5, Y5
	VFMADD231PD Y3, Y7, Y5
	VSUBPD Y5, Y9, Y9
	VSUBPD Y9, Y4, Y4
	VBROADCASTSD expc<>+8(SB), Y14
	VANDPD Y2, Y14, Y14
	VADDPD Y14, Y4, Y4
	VXORPD Y14, Y14, Y14
	VMAXPD Y0, Y14, Y0
	VADDPD Y0, Y4, Y4
	VMASKMOVPD Y4, Y11, (R8)
	ADDQ $32, SI
	ADDQ $32, DI
	ADDQ $32, R8
	SUBQ $4, BX
	JG logistic4
	VZEROUPPER
	RET
