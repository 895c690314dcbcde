//go:build gc && !purego

#include "textflag.h"
#include "rows_amd64.h"

// Rows of four values in Y registers, with fused multiply-add. The last values
// of a vector are taken one by one: VMOVSD clears the other lanes, so that they
// add 0·0.

// SUM adds the four lanes of acc (Y, of which x is the low half) into the low
// lane of x: neighbours, then pairs. It uses X15.
#define SUM(acc, x) \
	VHADDPD acc, acc, acc; \
	VEXTRACTF128 $1, acc, X15; \
	VADDPD X15, x, x

// FOLD adds the four sums of a row into the first.
#define FOLD(s0, s1, s2, s3) \
	VADDPD s1, s0, s0; \
	VADDPD s3, s2, s2; \
	VADDPD s2, s0, s0

// BEGIN sets the four sums of a product of vectors to 0, and PAIRS16, PAIRS4 and PAIR add the products
// of 16, four and one pair of values at SI and DI to them.
#define BEGIN \
	VXORPD Y0, Y0, Y0; \
	VXORPD Y1, Y1, Y1; \
	VXORPD Y2, Y2, Y2; \
	VXORPD Y3, Y3, Y3

#define PAIRS16 \
	VMOVUPD (SI), Y4; \
	VMOVUPD 32(SI), Y5; \
	VMOVUPD 64(SI), Y6; \
	VMOVUPD 96(SI), Y7; \
	VFMADD231PD (DI), Y4, Y0; \
	VFMADD231PD 32(DI), Y5, Y1; \
	VFMADD231PD 64(DI), Y6, Y2; \
	VFMADD231PD 96(DI), Y7, Y3; \
	ADDQ $128, SI; \
	ADDQ $128, DI

#define PAIRS4 \
	VMOVUPD (SI), Y4; \
	VFMADD231PD (DI), Y4, Y0; \
	ADDQ $32, SI; \
	ADDQ $32, DI

#define PAIR \
	VMOVSD (SI), X4; \
	VMOVSD (DI), X5; \
	VFMADD231PD Y5, Y4, Y0; \
	ADDQ $8, SI; \
	ADDQ $8, DI

// func dotAVX2(a, b *float64, n int) float64
//
// Four sums of four lanes over blocks of 16 values, the rest in the first.
TEXT ·dotAVX2(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), BX
	BEGIN
	SUBQ $16, BX
	JLT dotFours

dot16:
	PAIRS16
	SUBQ $16, BX
	JGE dot16

dotFours:
	ADDQ $12, BX
	JLT dotTail

dot4:
	PAIRS4
	SUBQ $4, BX
	JGE dot4

dotTail:
	ADDQ $4, BX
	JZ dotSum

dot1:
	PAIR
	DECQ BX
	JNZ dot1

dotSum:
	FOLD(Y0, Y1, Y2, Y3)
	SUM(Y0, X0)
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

// func firstWrongAVX2(sign, x *float64, stride, n int, b *float64, p int, at float64) int
//
// The sums of dotAVX2, row after row, without a call for each; what lies a page ahead is fetched.
TEXT ·firstWrongAVX2(SB), NOSPLIT, $0-64
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
	SUBQ $16, BX
	JLT wrongFours

wrong16:
	PREFETCHT0 4096(SI)
	PREFETCHT0 4160(SI)
	PAIRS16
	SUBQ $16, BX
	JGE wrong16

wrongFours:
	ADDQ $12, BX
	JLT wrongTail
	PREFETCHT0 4096(SI)

wrong4:
	PAIRS4
	SUBQ $4, BX
	JGE wrong4

wrongTail:
	ADDQ $4, BX
	JZ wrongSum

wrong1:
	PAIR
	DECQ BX
	JNZ wrong1

wrongSum:
	FOLD(Y0, Y1, Y2, Y3)
	SUM(Y0, X0)
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

// func axpyAVX2(dst *float64, alpha float64, x *float64, n int)
TEXT ·axpyAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	VBROADCASTSD alpha+8(FP), Y0
	MOVQ x+16(FP), SI
	MOVQ n+24(FP), BX
	SUBQ $8, BX
	JLT axpyTail

axpy8:
	VMOVUPD (DI), Y1
	VMOVUPD 32(DI), Y2
	VFMADD231PD (SI), Y0, Y1
	VFMADD231PD 32(SI), Y0, Y2
	VMOVUPD Y1, (DI)
	VMOVUPD Y2, 32(DI)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $8, BX
	JGE axpy8

axpyTail:
	ADDQ $8, BX
	JZ axpyDone

axpy1:
	VMOVSD (DI), X1
	VFMADD231SD (SI), X0, X1
	VMOVSD X1, (DI)
	ADDQ $8, SI
	ADDQ $8, DI
	DECQ BX
	JNZ axpy1

axpyDone:
	VZEROUPPER
	RET

// DOT16 adds 16 products of the row at x with b at SI to the row's four sums.
#define DOT16(x, s0, s1, s2, s3) \
	VFMADD231PD (x), Y8, s0; \
	VFMADD231PD 32(x), Y9, s1; \
	VFMADD231PD 64(x), Y10, s2; \
	VFMADD231PD 96(x), Y11, s3; \
	ADDQ $128, x

// func mulVecAVX2(dst *float64, inc int, x *float64, stride, n int, b *float64, p int)
//
// The sums of dotAVX2 for two rows at a time, which share the loads of b: one each
// of two halves of DX = ⌈n/2⌉ rows, which share the middle one of an odd n. (Why
// not of neighbours: see FOURTHS.) R12 is the way from the end of a row to the next.
TEXT ·mulVecAVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ inc+8(FP), R13
	SHLQ $3, R13
	MOVQ x+16(FP), R8
	MOVQ stride+24(FP), R12
	SHLQ $3, R12
	MOVQ n+32(FP), AX
	LEAQ 1(AX), DX
	SHRQ $1, DX
	SUBQ DX, AX
	MOVQ AX, R9
	IMULQ R12, R9
	ADDQ R8, R9
	IMULQ R13, AX
	LEAQ (DI)(AX*1), R10
	MOVQ p+48(FP), BX
	SHLQ $3, BX
	SUBQ BX, R12

mulVecRows:
	MOVQ b+40(FP), SI
	MOVQ p+48(FP), BX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	SUBQ $16, BX
	JLT mulVecFours

mulVec16:
	VMOVUPD (SI), Y8
	VMOVUPD 32(SI), Y9
	VMOVUPD 64(SI), Y10
	VMOVUPD 96(SI), Y11
	ADDQ $128, SI
	DOT16(R8, Y0, Y2, Y4, Y6)
	DOT16(R9, Y1, Y3, Y5, Y7)
	SUBQ $16, BX
	JGE mulVec16

mulVecFours:
	ADDQ $12, BX
	JLT mulVecTail

mulVec4:
	VMOVUPD (SI), Y8
	VFMADD231PD (R8), Y8, Y0
	VFMADD231PD (R9), Y8, Y1
	ADDQ $32, SI
	ADDQ $32, R8
	ADDQ $32, R9
	SUBQ $4, BX
	JGE mulVec4

mulVecTail:
	ADDQ $4, BX
	JZ mulVecSum

mulVec1:
	VMOVSD (SI), X8
	VMOVSD (R8), X9
	VMOVSD (R9), X10
	VFMADD231PD Y9, Y8, Y0
	VFMADD231PD Y10, Y8, Y1
	ADDQ $8, SI
	ADDQ $8, R8
	ADDQ $8, R9
	DECQ BX
	JNZ mulVec1

mulVecSum:
	FOLD(Y0, Y2, Y4, Y6)
	FOLD(Y1, Y3, Y5, Y7)
	SUM(Y0, X0)
	SUM(Y1, X1)
	VMOVSD X0, (DI)
	VMOVSD X1, (R10)
	ADDQ R13, DI
	ADDQ R13, R10
	ADDQ R12, R8
	ADDQ R12, R9
	DECQ DX
	JNZ mulVecRows
	VZEROUPPER
	RET

// func mulTVecAVX2(dst *float64, p int, x *float64, stride int, r *float64, n int)
//
// Four rows at a time, one of each fourth, whose factors are in Y0 … Y3; then
// those that are left, one at a time.
TEXT ·mulTVecAVX2(SB), NOSPLIT, $0-48
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
	VBROADCASTSD (DX), Y0
	VBROADCASTSD (DX)(SI*8), Y1
	VBROADCASTSD (DX)(R12*8), Y2
	VBROADCASTSD (DX)(CX*8), Y3
	ADDQ $8, DX
	MOVQ dst+0(FP), DI
	MOVQ p+8(FP), BX
	SUBQ $16, BX
	JLT mulTVecFourFours

mulTVecFour16:
	ADD4FETCHING(VMOVUPD, VFMADD231PD, Y0, Y1, Y2, Y3, Y4, $32)
	SUBQ $16, BX
	JGE mulTVecFour16

mulTVecFourFours:
	ADDQ $12, BX
	JLT mulTVecFourTail

mulTVecFour4:
	ADD4(VMOVUPD, VFMADD231PD, Y0, Y1, Y2, Y3, Y4, $32)
	SUBQ $4, BX
	JGE mulTVecFour4

mulTVecFourTail:
	ADDQ $4, BX
	JZ mulTVecFourNext

mulTVecFour1:
	ADD4(VMOVSD, VFMADD231SD, X0, X1, X2, X3, X4, $8)
	DECQ BX
	JNZ mulTVecFour1

mulTVecFourNext:
	NEXT4
	JNZ mulTVecFour
	MOVQ R11, R8
	LEAQ (DX)(CX*8), DX
	TESTQ R13, R13
	JZ mulTVecDone

mulTVecOne:
	VBROADCASTSD (DX), Y0
	ADDQ $8, DX
	MOVQ dst+0(FP), DI
	MOVQ p+8(FP), BX
	SUBQ $4, BX
	JLT mulTVecOneTail

mulTVecOne4:
	ADD1(VMOVUPD, VFMADD231PD, Y0, Y4, $32)
	SUBQ $4, BX
	JGE mulTVecOne4

mulTVecOneTail:
	ADDQ $4, BX
	JZ mulTVecOneNext

mulTVecOne1:
	ADD1(VMOVSD, VFMADD231SD, X0, X4, $8)
	DECQ BX
	JNZ mulTVecOne1

mulTVecOneNext:
	ADDQ R14, R8
	DECQ R13
	JNZ mulTVecOne

mulTVecDone:
	VZEROUPPER
	RET

// MAC adds one value of A, spread over t, times the row of B in Y8 and Y9 to a
// row of the tile.
#define MAC(addr, t, lo, hi) \
	VBROADCASTSD addr, t; \
	VFMADD231PD Y8, t, lo; \
	VFMADD231PD Y9, t, hi

// PUT adds a row of the tile to C.
#define PUT(lo, hi) \
	VADDPD (DI), lo, lo; \
	VADDPD 32(DI), hi, hi; \
	VMOVUPD lo, (DI); \
	VMOVUPD hi, 32(DI); \
	ADDQ DX, DI

// func tile4x8(c *float64, ldc int, a *float64, ra, ka int, b *float64, m int)
//
// A quarter of a tile: the sums of row i are in Y(2i) and Y(2i+1). Rows of B are
// 16 values apart. C is fetched while they are made.
TEXT ·tile4x8(SB), NOSPLIT, $0-56
	MOVQ c+0(FP), DI
	MOVQ ldc+8(FP), DX
	SHLQ $3, DX
	MOVQ a+16(FP), SI
	MOVQ ra+24(FP), R8
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	MOVQ ka+32(FP), R13
	SHLQ $3, R13
	MOVQ b+40(FP), BX
	MOVQ m+48(FP), AX
	LEAQ (DX)(DX*2), CX
	PREFETCHT0 (DI)
	PREFETCHT0 (DI)(DX*1)
	PREFETCHT0 (DI)(DX*2)
	PREFETCHT0 (DI)(CX*1)
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	PCALIGN $32

tileRow:
	VMOVUPD (BX), Y8
	VMOVUPD 32(BX), Y9
	MAC((SI), Y10, Y0, Y1)
	MAC((SI)(R8*1), Y11, Y2, Y3)
	MAC((SI)(R8*2), Y12, Y4, Y5)
	MAC((SI)(R9*1), Y13, Y6, Y7)
	ADDQ R13, SI
	ADDQ $128, BX
	DECQ AX
	JNZ tileRow
	PUT(Y0, Y1)
	PUT(Y2, Y3)
	PUT(Y4, Y5)
	PUT(Y6, Y7)
	VZEROUPPER
	RET

// MAC4 adds one value of A, spread over t, times the four of B in Y8 to a row of the tile.
#define MAC4(addr, t, sum) \
	VBROADCASTSD addr, t; \
	VFMADD231PD Y8, t, sum

// PUT4 adds a row of the tile to C.
#define PUT4(sum) \
	VADDPD (DI), sum, sum; \
	VMOVUPD sum, (DI); \
	ADDQ DX, DI

// func tile8x4(c *float64, ldc int, a *float64, ra, ka int, b *float64, m int)
//
// A quarter of a tile of few columns: the sums of row i are in Yi.
TEXT ·tile8x4(SB), NOSPLIT, $0-56
	MOVQ c+0(FP), DI
	MOVQ ldc+8(FP), DX
	SHLQ $3, DX
	MOVQ a+16(FP), SI
	MOVQ ra+24(FP), R8
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	LEAQ (SI)(R8*4), R10 // row 4
	MOVQ ka+32(FP), R13
	SHLQ $3, R13
	MOVQ b+40(FP), BX
	MOVQ m+48(FP), AX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	PCALIGN $32

narrowRow:
	VMOVUPD (BX), Y8
	MAC4((SI), Y9, Y0)
	MAC4((SI)(R8*1), Y10, Y1)
	MAC4((SI)(R8*2), Y11, Y2)
	MAC4((SI)(R9*1), Y12, Y3)
	MAC4((R10), Y13, Y4)
	MAC4((R10)(R8*1), Y14, Y5)
	MAC4((R10)(R8*2), Y15, Y6)
	MAC4((R10)(R9*1), Y9, Y7)
	ADDQ R13, SI
	ADDQ R13, R10
	ADDQ $128, BX
	DECQ AX
	JNZ narrowRow
	PUT4(Y0)
	PUT4(Y1)
	PUT4(Y2)
	PUT4(Y3)
	PUT4(Y4)
	PUT4(Y5)
	PUT4(Y6)
	PUT4(Y7)
	VZEROUPPER
	RET

// GET loads four values of a row under a mask, less the origin, and stores them.
#define GET(off, mask, origin, v) \
	VMASKMOVPD off(SI), mask, v; \
	VSUBPD origin, v, v; \
	VMOVUPD v, off(DI)

// TIMES stores four values times the weight in Y12.
#define TIMES(off, v) \
	VMULPD Y12, v, v; \
	VMOVUPD v, off(R8)

// func packAVX2(dst, wdst, x *float64, stride, m int, lanes *int64, origin, w *float64)
//
// The masks of the 16 columns are in Y0 … Y3, the origin in Y4 … Y7.
TEXT ·packAVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ wdst+8(FP), R8
	MOVQ x+16(FP), SI
	MOVQ stride+24(FP), R12
	SHLQ $3, R12
	MOVQ m+32(FP), BX
	MOVQ lanes+40(FP), CX
	MOVQ origin+48(FP), R9
	MOVQ w+56(FP), DX
	VMOVUPD (CX), Y0
	VMOVUPD 32(CX), Y1
	VMOVUPD 64(CX), Y2
	VMOVUPD 96(CX), Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	TESTQ R9, R9
	JZ packRow
	VMASKMOVPD (R9), Y0, Y4
	VMASKMOVPD 32(R9), Y1, Y5
	VMASKMOVPD 64(R9), Y2, Y6
	VMASKMOVPD 96(R9), Y3, Y7

packRow:
	GET(0, Y0, Y4, Y8)
	GET(32, Y1, Y5, Y9)
	GET(64, Y2, Y6, Y10)
	GET(96, Y3, Y7, Y11)
	ADDQ R12, SI
	ADDQ $128, DI
	TESTQ DX, DX
	JZ packNext
	VBROADCASTSD (DX), Y12
	TIMES(0, Y8)
	TIMES(32, Y9)
	TIMES(64, Y10)
	TIMES(96, Y11)
	ADDQ $8, DX
	ADDQ $128, R8

packNext:
	DECQ BX
	JNZ packRow
	VZEROUPPER
	RET

// func addAbsAVX2(dst *float64, p int, x *float64, stride, n int, lanes *int64)
//
// Eight columns at a time, whose sums over all rows are in Y0 and Y1; then four,
// the last ones under the mask in Y15. Y14 is all bits but the sign's.
TEXT ·addAbsAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ p+8(FP), DX
	MOVQ x+16(FP), SI
	MOVQ stride+24(FP), R12
	SHLQ $3, R12
	MOVQ lanes+40(FP), R9
	VPCMPEQQ Y15, Y15, Y15
	VPSRLQ $1, Y15, Y14
	SUBQ $8, DX
	JLT addAbsFours

addAbsEight:
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	MOVQ SI, R8
	MOVQ n+32(FP), BX

addAbsRow8:
	VANDPD (R8), Y14, Y2
	VANDPD 32(R8), Y14, Y3
	VADDPD Y2, Y0, Y0
	VADDPD Y3, Y1, Y1
	ADDQ R12, R8
	DECQ BX
	JNZ addAbsRow8
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $8, DX
	JGE addAbsEight

addAbsFours:
	ADDQ $8, DX
	JZ addAbsDone

addAbsFour:
	CMPQ DX, $4
	JGE addAbsFourStart
	VMOVUPD (R9), Y15

addAbsFourStart:
	VMASKMOVPD (DI), Y15, Y0
	MOVQ SI, R8
	MOVQ n+32(FP), BX

addAbsRow4:
	VMASKMOVPD (R8), Y15, Y2
	VANDPD Y14, Y2, Y2
	VADDPD Y2, Y0, Y0
	ADDQ R12, R8
	DECQ BX
	JNZ addAbsRow4
	VMASKMOVPD Y0, Y15, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, DX
	JGT addAbsFour

addAbsDone:
	VZEROUPPER
	RET

// OUTSIDE sets the lanes of bad in which |x| is neither 0 nor between Y1 and Y2: not
// at most Y2, or below Y1 and not 0. Y0 is 0, Y3 is all bits but the sign's.
#define OUTSIDE(x, size, t, bad) \
	VANDPD x, Y3, size; \
	VCMPPD $6, Y2, size, t; \
	VORPD t, bad, bad; \
	VCMPPD $4, Y0, size, t; \
	VCMPPD $1, Y1, size, size; \
	VANDPD t, size, size; \
	VORPD size, bad, bad

// func inRangeAVX2(v *float64, n int, lo, hi float64) bool
//
// Two groups of four values at a time; the last ones one by one, beside lanes of 0.
TEXT ·inRangeAVX2(SB), NOSPLIT, $0-33
	MOVQ v+0(FP), SI
	MOVQ n+8(FP), BX
	VBROADCASTSD lo+16(FP), Y1
	VBROADCASTSD hi+24(FP), Y2
	VPCMPEQQ Y3, Y3, Y3
	VPSRLQ $1, Y3, Y3
	VXORPD Y0, Y0, Y0
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	SUBQ $8, BX
	JLT inRangeTail

inRange8:
	OUTSIDE((SI), Y4, Y5, Y8)
	OUTSIDE(32(SI), Y6, Y7, Y9)
	ADDQ $64, SI
	SUBQ $8, BX
	JGE inRange8

inRangeTail:
	ADDQ $8, BX
	JZ inRangeDone

inRange1:
	VMOVSD (SI), X4
	OUTSIDE(Y4, Y4, Y5, Y8)
	ADDQ $8, SI
	DECQ BX
	JNZ inRange1

inRangeDone:
	VORPD Y9, Y8, Y8
	VMOVMSKPD Y8, AX
	TESTL AX, AX
	SETEQ ret+32(FP)
	VZEROUPPER
	RET
