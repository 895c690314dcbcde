//go:build gc && !purego

#include "textflag.h"
#include "rows_amd64.h"

// CLEAR16 sets the sums Z0 … Z15 to 0.
#define CLEAR16 \
	VPXORQ Z0, Z0, Z0; \
	VPXORQ Z1, Z1, Z1; \
	VPXORQ Z2, Z2, Z2; \
	VPXORQ Z3, Z3, Z3; \
	VPXORQ Z4, Z4, Z4; \
	VPXORQ Z5, Z5, Z5; \
	VPXORQ Z6, Z6, Z6; \
	VPXORQ Z7, Z7, Z7; \
	VPXORQ Z8, Z8, Z8; \
	VPXORQ Z9, Z9, Z9; \
	VPXORQ Z10, Z10, Z10; \
	VPXORQ Z11, Z11, Z11; \
	VPXORQ Z12, Z12, Z12; \
	VPXORQ Z13, Z13, Z13; \
	VPXORQ Z14, Z14, Z14; \
	VPXORQ Z15, Z15, Z15

// Rows of eight values in Z registers. Where a tail of fewer than eight is loaded
// or stored under a mask, it is in K1 (and K2 for the right half of a panel);
// memory behind it is not touched.

// MASK sets K1 to the lowest n bits, for n ≤ 8 in CX. It uses AX.
#define MASK \
	MOVL $1, AX; \
	SHLL CX, AX; \
	DECL AX; \
	KMOVW AX, K1

// HALVES adds the right half of acc (Z) to the left half, y. It uses Y31.
#define HALVES(acc, y) \
	VEXTRACTF64X4 $1, acc, Y31; \
	VADDPD Y31, y, y

// SUM adds the eight lanes of acc (Z, of which y and x are the parts) into the
// low lane of x: halves, then neighbours, then pairs.
#define SUM(acc, y, x) \
	HALVES(acc, y); \
	VHADDPD y, y, y; \
	VEXTRACTF64X2 $1, y, X31; \
	VADDPD X31, x, x

// BEGIN sets the four sums of a product of vectors to 0, and PAIRS32, PAIRS8 and PAIRSK add the
// products of 32, eight and, under the mask, fewer pairs of values at SI and DI to them. END adds
// the sums into the low lane of X0.
#define BEGIN \
	VPXORQ Z0, Z0, Z0; \
	VPXORQ Z1, Z1, Z1; \
	VPXORQ Z2, Z2, Z2; \
	VPXORQ Z3, Z3, Z3

#define PAIRS32 \
	VMOVUPD (SI), Z4; \
	VMOVUPD 64(SI), Z5; \
	VMOVUPD 128(SI), Z6; \
	VMOVUPD 192(SI), Z7; \
	VFMADD231PD (DI), Z4, Z0; \
	VFMADD231PD 64(DI), Z5, Z1; \
	VFMADD231PD 128(DI), Z6, Z2; \
	VFMADD231PD 192(DI), Z7, Z3; \
	ADDQ $256, SI; \
	ADDQ $256, DI

#define PAIRS8 \
	VMOVUPD (SI), Z4; \
	VFMADD231PD (DI), Z4, Z0; \
	ADDQ $64, SI; \
	ADDQ $64, DI

#define PAIRSK \
	VMOVUPD.Z (SI), K1, Z4; \
	VMOVUPD.Z (DI), K1, Z5; \
	VFMADD231PD Z5, Z4, Z0

#define END \
	VADDPD Z1, Z0, Z0; \
	VADDPD Z3, Z2, Z2; \
	VADDPD Z2, Z0, Z0; \
	SUM(Z0, Y0, X0)

// func dotAVX512(a, b *float64, n int) float64
//
// Four sums of eight lanes over blocks of 32 values, the rest in the first.
TEXT ·dotAVX512(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), BX
	BEGIN
	SUBQ $32, BX
	JLT dotEights

dot32:
	PAIRS32
	SUBQ $32, BX
	JGE dot32

dotEights:
	ADDQ $24, BX
	JLT dotTail

dot8:
	PAIRS8
	SUBQ $8, BX
	JGE dot8

dotTail:
	ADDQ $8, BX
	JZ dotSum
	MOVQ BX, CX
	MASK
	PAIRSK

dotSum:
	END
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

// func firstWrongAVX512(sign, x *float64, stride, n int, b *float64, p int, at float64) int
//
// The sums of dotAVX512, row after row, without a call for each: the next row begins while
// the sum of the last one is folded. What lies a page ahead is fetched.
TEXT ·firstWrongAVX512(SB), NOSPLIT, $0-64
	MOVQ p+40(FP), CX
	ANDQ $7, CX
	MASK
	MOVQ sign+0(FP), DX
	MOVQ x+8(FP), R8
	MOVQ stride+16(FP), R12
	SHLQ $3, R12
	MOVQ n+24(FP), R9
	MOVQ b+32(FP), R10
	MOVQ p+40(FP), R11
	VMOVSD at+48(FP), X10
	VXORPD X11, X11, X11
	XORL AX, AX

wrongRow:
	MOVQ R8, SI
	MOVQ R10, DI
	MOVQ R11, BX
	BEGIN
	SUBQ $32, BX
	JLT wrongEights

wrong32:
	PREFETCHT0 4096(SI)
	PREFETCHT0 4160(SI)
	PREFETCHT0 4224(SI)
	PREFETCHT0 4288(SI)
	PAIRS32
	SUBQ $32, BX
	JGE wrong32

wrongEights:
	ADDQ $24, BX
	JLT wrongTail

wrong8:
	PREFETCHT0 4096(SI)
	PAIRS8
	SUBQ $8, BX
	JGE wrong8

wrongTail:
	ADDQ $8, BX
	JZ wrongSum
	PAIRSK

wrongSum:
	END
	VADDSD X0, X10, X0
	VMULSD (DX)(AX*8), X0, X0
	VUCOMISD X11, X0
	JLS wrongFound // at most 0, or a NaN
	ADDQ R12, R8
	INCQ AX
	CMPQ AX, R9
	JLT wrongRow

wrongFound:
	MOVQ AX, ret+56(FP)
	VZEROUPPER
	RET

// func axpyAVX512(dst *float64, alpha float64, x *float64, n int)
//
// The tail is taken in parts of 4, 2 and 1 values without a mask, because a load
// that follows a masked store to the same place waits for it, and vectors that
// are updated again and again are short.
TEXT ·axpyAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	VBROADCASTSD alpha+8(FP), Z0
	MOVQ x+16(FP), SI
	MOVQ n+24(FP), BX
	SUBQ $16, BX
	JLT axpyEight

axpy16:
	VMOVUPD (DI), Z1
	VMOVUPD 64(DI), Z2
	VFMADD231PD (SI), Z0, Z1
	VFMADD231PD 64(SI), Z0, Z2
	VMOVUPD Z1, (DI)
	VMOVUPD Z2, 64(DI)
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $16, BX
	JGE axpy16

axpyEight:
	ADDQ $8, BX
	JLT axpyTail
	VMOVUPD (DI), Z1
	VFMADD231PD (SI), Z0, Z1
	VMOVUPD Z1, (DI)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $8, BX

axpyTail:
	ADDQ $8, BX
	TESTQ $4, BX
	JZ axpyTwo
	VMOVUPD (DI), Y1
	VFMADD231PD (SI), Y0, Y1
	VMOVUPD Y1, (DI)
	ADDQ $32, SI
	ADDQ $32, DI

axpyTwo:
	TESTQ $2, BX
	JZ axpyOne
	VMOVUPD (DI), X1
	VFMADD231PD (SI), X0, X1
	VMOVUPD X1, (DI)
	ADDQ $16, SI
	ADDQ $16, DI

axpyOne:
	TESTQ $1, BX
	JZ axpyDone
	VMOVSD (DI), X1
	VFMADD231SD (SI), X0, X1
	VMOVSD X1, (DI)

axpyDone:
	VZEROUPPER
	RET

// DOT32 adds 32 products of the row at x with the values of b in Z20 … Z23 to
// the four sums of that row.
#define DOT32(x, s0, s1, s2, s3) \
	VFMADD231PD (x), Z20, s0; \
	VFMADD231PD 64(x), Z21, s1; \
	VFMADD231PD 128(x), Z22, s2; \
	VFMADD231PD 192(x), Z23, s3; \
	ADDQ $256, x

// DOT8 adds eight.
#define DOT8(x, s0) \
	VFMADD231PD (x), Z20, s0; \
	ADDQ $64, x

// DOTK adds fewer than eight.
#define DOTK(x, s0) \
	VMOVUPD.Z (x), K1, Z21; \
	VFMADD231PD Z21, Z20, s0

// FOLD adds the four sums of a row into the first.
#define FOLD(s0, s1, s2, s3) \
	VADDPD s1, s0, s0; \
	VADDPD s3, s2, s2; \
	VADDPD s2, s0, s0

// SUM4 leaves the sums of four accumulators in the lanes of the first: as SUM does
// it, side by side. It uses Y30 and Y31.
#define SUM4(a, ya, b, yb, c, yc, d, yd) \
	HALVES(a, ya); \
	HALVES(b, yb); \
	HALVES(c, yc); \
	HALVES(d, yd); \
	VUNPCKLPD yb, ya, Y30; \
	VUNPCKHPD yb, ya, Y31; \
	VADDPD Y31, Y30, ya; \
	VUNPCKLPD yd, yc, Y30; \
	VUNPCKHPD yd, yc, Y31; \
	VADDPD Y31, Y30, yc; \
	VSHUFF64X2 $0, yc, ya, Y30; \
	VSHUFF64X2 $3, yc, ya, Y31; \
	VADDPD Y31, Y30, ya

// QUARTERS parts the n rows of R12 bytes at R8, to be worked on four at a time, one
// of each quarter: so every quarter is read from one end to the other, which the
// processor foresees, as it does not the short streams of four neighbours. A
// quarter has AX = ⌈n/4⌉ rows and starts where the last one ends, or that many rows
// before the end of all if this comes first: what quarters share is done twice,
// alike. The quarters start at R8 … R11, and the results, of which there is one
// for a row R13 bytes apart from DI on, at DI, CX, DX and R14. It uses BX.
#define QUARTERS(n) \
	MOVQ n, BX; \
	LEAQ 3(BX), AX; \
	SHRQ $2, AX; \
	SUBQ AX, BX; \
	MOVQ AX, CX; \
	CMPQ BX, CX; \
	CMOVQLT BX, CX; \
	LEAQ (AX)(AX*1), DX; \
	CMPQ BX, DX; \
	CMOVQLT BX, DX; \
	MOVQ CX, R9; \
	IMULQ R12, R9; \
	ADDQ R8, R9; \
	MOVQ DX, R10; \
	IMULQ R12, R10; \
	ADDQ R8, R10; \
	MOVQ BX, R11; \
	IMULQ R12, R11; \
	ADDQ R8, R11; \
	IMULQ R13, CX; \
	ADDQ DI, CX; \
	IMULQ R13, DX; \
	ADDQ DI, DX; \
	MOVQ BX, R14; \
	IMULQ R13, R14; \
	ADDQ DI, R14

// func mulVecAVX512(dst *float64, inc int, x *float64, stride, n int, b *float64, p int)
//
// The sums of dotAVX512 for four rows at a time, one of each quarter, which share
// the loads of b.
TEXT ·mulVecAVX512(SB), NOSPLIT, $0-56
	MOVQ p+48(FP), CX
	ANDQ $7, CX
	MASK
	MOVQ dst+0(FP), DI
	MOVQ inc+8(FP), R13
	SHLQ $3, R13
	MOVQ x+16(FP), R8
	MOVQ stride+24(FP), R12
	SHLQ $3, R12

	QUARTERS(n+32(FP))

	// R12 is the way from a row's last eights to the next row.
	MOVQ p+48(FP), BX
	ANDQ $-8, BX
	SHLQ $3, BX
	SUBQ BX, R12

mulVecRows:
	MOVQ b+40(FP), SI
	MOVQ p+48(FP), BX
	CLEAR16
	SUBQ $32, BX
	JLT mulVecEights

mulVec32:
	VMOVUPD (SI), Z20
	VMOVUPD 64(SI), Z21
	VMOVUPD 128(SI), Z22
	VMOVUPD 192(SI), Z23
	ADDQ $256, SI
	DOT32(R8, Z0, Z4, Z8, Z12)
	DOT32(R9, Z1, Z5, Z9, Z13)
	DOT32(R10, Z2, Z6, Z10, Z14)
	DOT32(R11, Z3, Z7, Z11, Z15)
	SUBQ $32, BX
	JGE mulVec32

mulVecEights:
	ADDQ $24, BX
	JLT mulVecTail

mulVec8:
	VMOVUPD (SI), Z20
	ADDQ $64, SI
	DOT8(R8, Z0)
	DOT8(R9, Z1)
	DOT8(R10, Z2)
	DOT8(R11, Z3)
	SUBQ $8, BX
	JGE mulVec8

mulVecTail:
	ADDQ $8, BX
	JZ mulVecSum
	VMOVUPD.Z (SI), K1, Z20
	DOTK(R8, Z0)
	DOTK(R9, Z1)
	DOTK(R10, Z2)
	DOTK(R11, Z3)

mulVecSum:
	FOLD(Z0, Z4, Z8, Z12)
	FOLD(Z1, Z5, Z9, Z13)
	FOLD(Z2, Z6, Z10, Z14)
	FOLD(Z3, Z7, Z11, Z15)
	SUM4(Z0, Y0, Z1, Y1, Z2, Y2, Z3, Y3)
	VEXTRACTF128 $1, Y0, X1
	VMOVSD X0, (DI)
	VMOVHPD X0, (CX)
	VMOVSD X1, (DX)
	VMOVHPD X1, (R14)
	ADDQ R13, DI
	ADDQ R13, CX
	ADDQ R13, DX
	ADDQ R13, R14
	ADDQ R12, R8
	ADDQ R12, R9
	ADDQ R12, R10
	ADDQ R12, R11
	DECQ AX
	JNZ mulVecRows
	VZEROUPPER
	RET

// CLASS sets to to the coefficients that follow those at from, if at least have of
// R14 classes are left, and else to from. R13 is the way, AX is 0.
#define CLASS(have, from, to) \
	CMPQ R14, $have; \
	CMOVQLT AX, R13; \
	LEAQ (from)(R13*1), to

// TERM takes eight coefficients times what four rows are below the origin from the
// sums of a class.
#define TERM(b, s0, s1, s2, s3) \
	VMOVUPD.Z (b)(AX*1), K1, Z25; \
	VFNMADD231PD Z25, Z21, s0; \
	VFNMADD231PD Z25, Z22, s1; \
	VFNMADD231PD Z25, Z23, s2; \
	VFNMADD231PD Z25, Z24, s3

// func affineAVX512(dst *float64, ldd int, x *float64, stride, n int, origin, b *float64, ldb, k int, at *float64, p int)
//
// Four rows at a time, one of each quarter, and five classes: their 20 sums are in
// Z0 … Z19, those of a row side by side. Where fewer classes are left the last is
// taken again. K1 masks the values of a row, K2 those of its last one to eight,
// and K3 the first four classes.
TEXT ·affineAVX512(SB), NOSPLIT, $56-88
	MOVQ p+80(FP), CX
	DECQ CX
	ANDQ $7, CX
	INCQ CX
	MASK
	KMOVW K1, K2
	MOVQ dst+0(FP), DI
	MOVQ ldd+8(FP), R13
	SHLQ $3, R13
	MOVQ x+16(FP), R8
	MOVQ stride+24(FP), R12
	SHLQ $3, R12
	QUARTERS(n+32(FP))
	MOVQ DI, row0-8(SP)
	MOVQ CX, row1-16(SP)
	MOVQ DX, row2-24(SP)
	MOVQ R14, row3-32(SP)
	MOVQ AX, rows-40(SP)

affineRows:
	MOVQ b+48(FP), BX
	MOVQ k+64(FP), R14
	MOVQ $0, done-48(SP)

affineClasses:
	MOVQ $4, CX
	CMPQ R14, CX
	CMOVQLT R14, CX
	MASK
	KMOVW K1, K3
	KXNORW K1, K1, K1
	MOVQ ldb+56(FP), R13
	SHLQ $3, R13
	XORL AX, AX
	CLASS(2, BX, CX)
	CLASS(3, CX, DX)
	CLASS(4, DX, SI)
	CLASS(5, SI, DI)
	LEAQ (DI)(R13*1), R12
	MOVQ R12, next-56(SP)
	MOVQ origin+40(FP), R12
	MOVQ p+80(FP), R13
	CLEAR16
	VPXORQ Z16, Z16, Z16
	VPXORQ Z17, Z17, Z17
	VPXORQ Z18, Z18, Z18
	VPXORQ Z19, Z19, Z19

affineEight:
	CMPQ R13, $8
	JGT affineFull
	KMOVW K2, K1

affineFull:
	VMOVUPD.Z (R12)(AX*1), K1, Z20
	VSUBPD.Z (R8)(AX*1), Z20, K1, Z21
	VSUBPD.Z (R9)(AX*1), Z20, K1, Z22
	VSUBPD.Z (R10)(AX*1), Z20, K1, Z23
	VSUBPD.Z (R11)(AX*1), Z20, K1, Z24
	TERM(BX, Z0, Z5, Z10, Z15)
	TERM(CX, Z1, Z6, Z11, Z16)
	TERM(DX, Z2, Z7, Z12, Z17)
	TERM(SI, Z3, Z8, Z13, Z18)
	TERM(DI, Z4, Z9, Z14, Z19)
	ADDQ $64, AX
	SUBQ $8, R13
	JGT affineEight

	SUM4(Z0, Y0, Z1, Y1, Z2, Y2, Z3, Y3)
	SUM4(Z5, Y5, Z6, Y6, Z7, Y7, Z8, Y8)
	SUM4(Z10, Y10, Z11, Y11, Z12, Y12, Z13, Y13)
	SUM4(Z15, Y15, Z16, Y16, Z17, Y17, Z18, Y18)
	MOVQ row0-8(SP), BX
	MOVQ row1-16(SP), CX
	MOVQ row2-24(SP), DX
	MOVQ row3-32(SP), SI
	MOVQ done-48(SP), AX
	MOVQ at+72(FP), R13
	VMOVUPD.Z (R13)(AX*1), K3, Y20
	VADDPD Y20, Y0, Y0
	VADDPD Y20, Y5, Y5
	VADDPD Y20, Y10, Y10
	VADDPD Y20, Y15, Y15
	VMOVUPD Y0, K3, (BX)(AX*1)
	VMOVUPD Y5, K3, (CX)(AX*1)
	VMOVUPD Y10, K3, (DX)(AX*1)
	VMOVUPD Y15, K3, (SI)(AX*1)
	SUBQ $5, R14
	JLT affineNext
	SUM4(Z4, Y4, Z9, Y9, Z14, Y14, Z19, Y19)
	VBROADCASTSD 32(R13)(AX*1), Y20
	VADDPD Y20, Y4, Y4
	VEXTRACTF128 $1, Y4, X5
	VMOVSD X4, 32(BX)(AX*1)
	VMOVHPD X4, 32(CX)(AX*1)
	VMOVSD X5, 32(DX)(AX*1)
	VMOVHPD X5, 32(SI)(AX*1)
	MOVQ next-56(SP), BX
	ADDQ $40, done-48(SP)
	TESTQ R14, R14
	JNZ affineClasses

affineNext:
	MOVQ ldd+8(FP), AX
	SHLQ $3, AX
	ADDQ AX, row0-8(SP)
	ADDQ AX, row1-16(SP)
	ADDQ AX, row2-24(SP)
	ADDQ AX, row3-32(SP)
	MOVQ stride+24(FP), AX
	SHLQ $3, AX
	ADDQ AX, R8
	ADDQ AX, R9
	ADDQ AX, R10
	ADDQ AX, R11
	DECQ rows-40(SP)
	JNZ affineRows
	VZEROUPPER
	RET

// func argMaxAVX512(dst *int, x *float64, stride, n, k int)
//
// Eight values of a row at a time, the last one to eight, under K2, first: once for
// the largest, Z0, once for the first that equals it, R10. The largest of a NaN and
// the largest so far is that so far, as the order of the operands has it.
TEXT ·argMaxAVX512(SB), NOSPLIT, $0-40
	MOVQ k+32(FP), CX
	DECQ CX
	MOVQ CX, R11
	ANDQ $-8, R11
	SHLQ $3, R11
	ANDQ $7, CX
	INCQ CX
	MASK
	KMOVW K1, K2
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ stride+16(FP), R12
	SHLQ $3, R12
	MOVQ n+24(FP), DX
	MOVQ $0xfff0000000000000, AX // −Inf
	VPBROADCASTQ AX, Z2

argMaxRow:
	VMOVAPD Z2, Z0
	KMOVW K2, K1
	MOVQ R11, R9

argMaxLargest:
	VMOVUPD.Z (SI)(R9*1), K1, Z1
	VMAXPD Z0, Z1, K1, Z0
	KXNORW K1, K1, K1
	SUBQ $64, R9
	JGE argMaxLargest
	VEXTRACTF64X4 $1, Z0, Y1
	VMAXPD Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VMAXPD X1, X0, X0
	VPERMILPD $1, X0, X1
	VMAXPD X1, X0, X0
	VBROADCASTSD X0, Z0
	KMOVW K2, K1
	MOVQ R11, R9
	XORL R10, R10

argMaxFirst:
	VCMPPD $0, (SI)(R9*1), Z0, K1, K3
	KMOVW K3, CX
	MOVQ R9, AX
	SHRQ $3, AX
	BSFL CX, CX
	LEAQ (AX)(CX*1), AX
	CMOVQNE AX, R10
	KXNORW K1, K1, K1
	SUBQ $64, R9
	JGE argMaxFirst
	MOVQ R10, (DI)
	ADDQ $8, DI
	ADDQ R12, SI
	DECQ DX
	JNZ argMaxRow
	VZEROUPPER
	RET

// func mulTVecAVX512(dst *float64, p int, x *float64, stride int, r *float64, n int)
//
// Four rows at a time, one of each fourth, whose factors are in Z0 … Z3; then
// those that are left, one at a time.
TEXT ·mulTVecAVX512(SB), NOSPLIT, $0-48
	MOVQ x+16(FP), R8
	MOVQ stride+24(FP), R12
	SHLQ $3, R12
	MOVQ r+32(FP), DX
	MOVQ n+40(FP), R15
	IMULQ R12, R15
	FOURTHS(n+40(FP), p+8(FP))
	TESTQ AX, AX
	JZ mulTVecOne

mulTVecFour:
	VBROADCASTSD (DX), Z0
	VBROADCASTSD (DX)(SI*8), Z1
	VBROADCASTSD (DX)(R12*8), Z2
	VBROADCASTSD (DX)(CX*8), Z3
	ADDQ $8, DX
	MOVQ dst+0(FP), DI
	MOVQ p+8(FP), BX
	SUBQ $32, BX
	JLT mulTVecFourEights

mulTVecFour32:
	ADD4FETCHING(VMOVUPD, VFMADD231PD, Z0, Z1, Z2, Z3, Z4, $64)
	SUBQ $32, BX
	JGE mulTVecFour32

mulTVecFourEights:
	ADDQ $24, BX
	JLT mulTVecFourTail

mulTVecFour8:
	ADD4(VMOVUPD, VFMADD231PD, Z0, Z1, Z2, Z3, Z4, $64)
	SUBQ $8, BX
	JGE mulTVecFour8

mulTVecFourTail:
	ADDQ $8, BX
	TESTQ $4, BX
	JZ mulTVecFourTwo
	ADD4(VMOVUPD, VFMADD231PD, Y0, Y1, Y2, Y3, Y4, $32)

mulTVecFourTwo:
	TESTQ $2, BX
	JZ mulTVecFourOne
	ADD4(VMOVUPD, VFMADD231PD, X0, X1, X2, X3, X4, $16)

mulTVecFourOne:
	TESTQ $1, BX
	JZ mulTVecFourNext
	ADD4(VMOVSD, VFMADD231SD, X0, X1, X2, X3, X4, $8)

mulTVecFourNext:
	NEXT4
	JNZ mulTVecFour
	MOVQ R11, R8
	LEAQ (DX)(CX*8), DX
	TESTQ R13, R13
	JZ mulTVecDone

mulTVecOne:
	VBROADCASTSD (DX), Z0
	ADDQ $8, DX
	MOVQ dst+0(FP), DI
	MOVQ p+8(FP), BX
	SUBQ $8, BX
	JLT mulTVecOneTail

mulTVecOne8:
	ADD1(VMOVUPD, VFMADD231PD, Z0, Z4, $64)
	SUBQ $8, BX
	JGE mulTVecOne8

mulTVecOneTail:
	ADDQ $8, BX
	TESTQ $4, BX
	JZ mulTVecOneTwo
	ADD1(VMOVUPD, VFMADD231PD, Y0, Y4, $32)

mulTVecOneTwo:
	TESTQ $2, BX
	JZ mulTVecOneOne
	ADD1(VMOVUPD, VFMADD231PD, X0, X4, $16)

mulTVecOneOne:
	TESTQ $1, BX
	JZ mulTVecOneNext
	ADD1(VMOVSD, VFMADD231SD, X0, X4, $8)

mulTVecOneNext:
	ADDQ R14, R8
	DECQ R13
	JNZ mulTVecOne

mulTVecDone:
	VZEROUPPER
	RET

// func addAbsAVX512(dst *float64, p int, x *float64, stride, n int)
//
// Sixteen columns at a time, whose sums over all rows are in Z0 and Z1; the last
// ones under masks. Z31 is all bits but the sign's.
TEXT ·addAbsAVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ p+8(FP), DX
	MOVQ x+16(FP), SI
	MOVQ stride+24(FP), R12
	SHLQ $3, R12
	VPTERNLOGQ $0xff, Z31, Z31, Z31
	VPSRLQ $1, Z31, Z31

addAbsColumns:
	MOVQ $16, CX
	CMPQ DX, CX
	CMOVQLT DX, CX
	MASK
	SHRL $8, AX
	KMOVW AX, K2
	VMOVUPD.Z (DI), K1, Z0
	VMOVUPD.Z 64(DI), K2, Z1
	MOVQ SI, R8
	MOVQ n+32(FP), BX

addAbsRow:
	VMOVUPD.Z (R8), K1, Z2
	VMOVUPD.Z 64(R8), K2, Z3
	VPANDQ Z31, Z2, Z2
	VPANDQ Z31, Z3, Z3
	VADDPD Z2, Z0, Z0
	VADDPD Z3, Z1, Z1
	ADDQ R12, R8
	DECQ BX
	JNZ addAbsRow
	VMOVUPD Z0, K1, (DI)
	VMOVUPD Z1, K2, 64(DI)
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $16, DX
	JGT addAbsColumns
	VZEROUPPER
	RET

// MAC adds one value of A, spread over t, times the row of B in Z16 and Z17 to a
// row of the tile.
#define MAC(addr, t, lo, hi) \
	VBROADCASTSD addr, t; \
	VFMADD231PD Z16, t, lo; \
	VFMADD231PD Z17, t, hi

// MACL is MAC for the left half of the tile.
#define MACL(addr, t, lo) \
	VBROADCASTSD addr, t; \
	VFMADD231PD Z16, t, lo

// MACN is MAC for three quarters of the tile, yt and hi are the lower halves of t and of an accumulator: some
// processors multiply eight lanes in two halves.
#define MACN(addr, t, yt, lo, hi) \
	VBROADCASTSD addr, t; \
	VFMADD231PD Z16, t, lo; \
	VFMADD231PD Y17, yt, hi

// PUT adds a row of the tile to C under the masks and leaves after the last row.
#define PUT(lo, hi) \
	VMOVUPD.Z (DI), K1, Z16; \
	VMOVUPD.Z 64(DI), K2, Z17; \
	VADDPD Z16, lo, lo; \
	VADDPD Z17, hi, hi; \
	VMOVUPD lo, K1, (DI); \
	VMOVUPD hi, K2, 64(DI); \
	ADDQ DX, DI; \
	DECQ R12; \
	JZ tileDone

// func tileAVX512(c *float64, ldc, mr, nr int, a *float64, ra, ka int, b *float64, m int, ahead *float64, step int)
//
// The sums of row i of the tile are in Z(2i) and Z(2i+1). The addresses of the
// eight values of A are SI plus 0, 1, 2, 4 times R8 = ra, 1 and 2 times
// R9 = 3ra, R10 = 5ra and R11 = 7ra. Where nr ≤ 8 the right half is left out, else where mr ≤ 4
// the last four rows, else where nr ≤ 12 the last four columns.
// The cache lines at ahead, ahead + step bytes, … are called into the second
// level meanwhile: one for each k, which leaves the tile's own loads their turn.
TEXT ·tileAVX512(SB), NOSPLIT, $0-88
	MOVQ c+0(FP), DI
	MOVQ ldc+8(FP), DX
	SHLQ $3, DX
	MOVQ mr+16(FP), R12
	MOVQ nr+24(FP), CX
	MOVQ a+32(FP), SI
	MOVQ ra+40(FP), R8
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	LEAQ (R8)(R8*4), R10
	LEAQ (R9)(R8*4), R11
	MOVQ ka+48(FP), R13
	SHLQ $3, R13
	MOVQ b+56(FP), BX
	MASK
	SHRL $8, AX
	KMOVW AX, K2
	MOVQ m+64(FP), AX
	MOVQ ahead+72(FP), R14
	MOVQ step+80(FP), CX
	CLEAR16
	CMPQ nr+24(FP), $8
	JLE tileLeft
	CMPQ R12, $4
	JLE tileFour
	CMPQ nr+24(FP), $12
	JLE tileNarrow
	PCALIGN $32

tileBoth:
	VMOVUPD (BX), Z16
	VMOVUPD 64(BX), Z17
	MAC((SI), Z18, Z0, Z1)
	MAC((SI)(R8*1), Z19, Z2, Z3)
	MAC((SI)(R8*2), Z20, Z4, Z5)
	MAC((SI)(R9*1), Z21, Z6, Z7)
	MAC((SI)(R8*4), Z22, Z8, Z9)
	MAC((SI)(R10*1), Z23, Z10, Z11)
	MAC((SI)(R9*2), Z24, Z12, Z13)
	MAC((SI)(R11*1), Z25, Z14, Z15)
	PREFETCHT1 (R14)
	ADDQ R13, SI
	ADDQ $128, BX
	ADDQ CX, R14
	DECQ AX
	JNZ tileBoth
	JMP tilePut
	PCALIGN $32

tileFour:
	VMOVUPD (BX), Z16
	VMOVUPD 64(BX), Z17
	MAC((SI), Z18, Z0, Z1)
	MAC((SI)(R8*1), Z19, Z2, Z3)
	MAC((SI)(R8*2), Z20, Z4, Z5)
	MAC((SI)(R9*1), Z21, Z6, Z7)
	PREFETCHT1 (R14)
	ADDQ R13, SI
	ADDQ $128, BX
	ADDQ CX, R14
	DECQ AX
	JNZ tileFour
	JMP tilePut
	PCALIGN $32

tileNarrow:
	VMOVUPD (BX), Z16
	VMOVUPD 64(BX), Y17
	MACN((SI), Z18, Y18, Z0, Y1)
	MACN((SI)(R8*1), Z19, Y19, Z2, Y3)
	MACN((SI)(R8*2), Z20, Y20, Z4, Y5)
	MACN((SI)(R9*1), Z21, Y21, Z6, Y7)
	MACN((SI)(R8*4), Z22, Y22, Z8, Y9)
	MACN((SI)(R10*1), Z23, Y23, Z10, Y11)
	MACN((SI)(R9*2), Z24, Y24, Z12, Y13)
	MACN((SI)(R11*1), Z25, Y25, Z14, Y15)
	PREFETCHT1 (R14)
	ADDQ R13, SI
	ADDQ $128, BX
	ADDQ CX, R14
	DECQ AX
	JNZ tileNarrow
	JMP tilePut
	PCALIGN $32

tileLeft:
	VMOVUPD (BX), Z16
	MACL((SI), Z18, Z0)
	MACL((SI)(R8*1), Z19, Z2)
	MACL((SI)(R8*2), Z20, Z4)
	MACL((SI)(R9*1), Z21, Z6)
	MACL((SI)(R8*4), Z22, Z8)
	MACL((SI)(R10*1), Z23, Z10)
	MACL((SI)(R9*2), Z24, Z12)
	MACL((SI)(R11*1), Z25, Z14)
	PREFETCHT1 (R14)
	ADDQ R13, SI
	ADDQ $128, BX
	ADDQ CX, R14
	DECQ AX
	JNZ tileLeft

tilePut:
	PUT(Z0, Z1)
	PUT(Z2, Z3)
	PUT(Z4, Z5)
	PUT(Z6, Z7)
	PUT(Z8, Z9)
	PUT(Z10, Z11)
	PUT(Z12, Z13)
	PUT(Z14, Z15)

tileDone:
	VZEROUPPER
	RET

// func packAVX512(dst, wdst, x *float64, stride, m, cols int, origin, w *float64)
//
// The origin is in Z0 and Z1; lanes from cols on are zero throughout.
TEXT ·packAVX512(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ wdst+8(FP), R8
	MOVQ x+16(FP), SI
	MOVQ stride+24(FP), R12
	SHLQ $3, R12
	MOVQ m+32(FP), BX
	MOVQ cols+40(FP), CX
	MOVQ origin+48(FP), R9
	MOVQ w+56(FP), DX
	MASK
	SHRL $8, AX
	KMOVW AX, K2
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	TESTQ R9, R9
	JZ packStart
	VMOVUPD.Z (R9), K1, Z0
	VMOVUPD.Z 64(R9), K2, Z1

packStart:
	TESTQ DX, DX
	JNZ packWeighted

packRow:
	VMOVUPD.Z (SI), K1, Z2
	VMOVUPD.Z 64(SI), K2, Z3
	VSUBPD Z0, Z2, Z2
	VSUBPD Z1, Z3, Z3
	VMOVUPD Z2, (DI)
	VMOVUPD Z3, 64(DI)
	ADDQ R12, SI
	ADDQ $128, DI
	DECQ BX
	JNZ packRow
	VZEROUPPER
	RET

packWeighted:
	VMOVUPD.Z (SI), K1, Z2
	VMOVUPD.Z 64(SI), K2, Z3
	VBROADCASTSD (DX), Z4
	VSUBPD Z0, Z2, Z2
	VSUBPD Z1, Z3, Z3
	VMOVUPD Z2, (DI)
	VMOVUPD Z3, 64(DI)
	VMULPD Z4, Z2, Z2
	VMULPD Z4, Z3, Z3
	VMOVUPD Z2, (R8)
	VMOVUPD Z3, 64(R8)
	ADDQ R12, SI
	ADDQ $8, DX
	ADDQ $128, DI
	ADDQ $128, R8
	DECQ BX
	JNZ packWeighted
	VZEROUPPER
	RET
