//go:build gc && !purego

#include "textflag.h"

// Rows of two values in V registers. A last odd value is loaded by FMOVD, which
// clears the other lane, so that it adds 0·0. The assembler knows no vector
// addition of floating-point numbers: s + t is formed as s + t·1.

#define ONES(v, f) \
	FMOVD $1.0, f; \
	VDUP v.D[0], v.D2

#define ZERO(v) VEOR v.B16, v.B16, v.B16

// FOLD adds the four sums of a row into the first, given ones in V31.
#define FOLD(s0, s1, s2, s3) \
	VFMLA V31.D2, s1.D2, s0.D2; \
	VFMLA V31.D2, s3.D2, s2.D2; \
	VFMLA V31.D2, s2.D2, s0.D2

// SUM adds the two lanes of acc, of which f is the low one, into f.
#define SUM(acc, f) \
	VDUP acc.D[1], V30.D2; \
	FADDD F30, f, f

// func dotNEON(a, b *float64, n int) float64
//
// Four sums of two lanes over blocks of 8 values, the rest in the first.
TEXT ·dotNEON(SB), NOSPLIT, $0-32
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD n+16(FP), R2
	ONES(V31, F31)
	ZERO(V0)
	ZERO(V1)
	ZERO(V2)
	ZERO(V3)
	SUBS $8, R2, R2
	BLT dotTwos

dot8:
	VLD1.P 64(R0), [V4.D2, V5.D2, V6.D2, V7.D2]
	VLD1.P 64(R1), [V16.D2, V17.D2, V18.D2, V19.D2]
	VFMLA V16.D2, V4.D2, V0.D2
	VFMLA V17.D2, V5.D2, V1.D2
	VFMLA V18.D2, V6.D2, V2.D2
	VFMLA V19.D2, V7.D2, V3.D2
	SUBS $8, R2, R2
	BGE dot8

dotTwos:
	ADDS $6, R2, R2
	BLT dotTail

dot2:
	VLD1.P 16(R0), [V4.D2]
	VLD1.P 16(R1), [V16.D2]
	VFMLA V16.D2, V4.D2, V0.D2
	SUBS $2, R2, R2
	BGE dot2

dotTail:
	ADDS $2, R2, R2
	BEQ dotSum
	FMOVD (R0), F4
	FMOVD (R1), F16
	VFMLA V16.D2, V4.D2, V0.D2

dotSum:
	FOLD(V0, V1, V2, V3)
	SUM(V0, F0)
	FMOVD F0, ret+24(FP)
	RET

// func axpyNEON(dst *float64, alpha float64, x *float64, n int)
TEXT ·axpyNEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	FMOVD alpha+8(FP), F0
	VDUP V0.D[0], V0.D2
	MOVD x+16(FP), R1
	MOVD n+24(FP), R2
	SUBS $4, R2, R2
	BLT axpyTail

axpy4:
	VLD1 (R0), [V1.D2, V2.D2]
	VLD1.P 32(R1), [V3.D2, V4.D2]
	VFMLA V3.D2, V0.D2, V1.D2
	VFMLA V4.D2, V0.D2, V2.D2
	VST1.P [V1.D2, V2.D2], 32(R0)
	SUBS $4, R2, R2
	BGE axpy4

axpyTail:
	ADDS $4, R2, R2
	BEQ axpyDone

axpy1:
	FMOVD (R0), F1
	FMOVD.P 8(R1), F3
	VFMLA V3.D2, V0.D2, V1.D2
	FMOVD.P F1, 8(R0)
	SUBS $1, R2, R2
	BNE axpy1

axpyDone:
	RET

// func mulVecNEON(dst *float64, inc int, x *float64, stride, n int, b *float64, p int)
//
// The sums of dotNEON for two rows at a time, which share the loads of b; a last
// odd row is taken twice.
TEXT ·mulVecNEON(SB), NOSPLIT, $0-56
	MOVD dst+0(FP), R0
	MOVD inc+8(FP), R1
	LSL $3, R1, R1
	MOVD x+16(FP), R2
	MOVD stride+24(FP), R3
	LSL $3, R3, R3
	MOVD n+32(FP), R4
	ONES(V31, F31)

mulVecRows:
	MOVD R2, R5
	CMP $2, R4
	BLT mulVecStart
	ADD R3, R5, R5

mulVecStart:
	ADD R3<<1, R2, R6
	MOVD b+40(FP), R7
	MOVD p+48(FP), R8
	ZERO(V0)
	ZERO(V1)
	ZERO(V2)
	ZERO(V3)
	ZERO(V4)
	ZERO(V5)
	ZERO(V6)
	ZERO(V7)
	SUBS $8, R8, R8
	BLT mulVecTwos

mulVec8:
	VLD1.P 64(R7), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1.P 64(R2), [V20.D2, V21.D2, V22.D2, V23.D2]
	VLD1.P 64(R5), [V24.D2, V25.D2, V26.D2, V27.D2]
	VFMLA V16.D2, V20.D2, V0.D2
	VFMLA V17.D2, V21.D2, V1.D2
	VFMLA V18.D2, V22.D2, V2.D2
	VFMLA V19.D2, V23.D2, V3.D2
	VFMLA V16.D2, V24.D2, V4.D2
	VFMLA V17.D2, V25.D2, V5.D2
	VFMLA V18.D2, V26.D2, V6.D2
	VFMLA V19.D2, V27.D2, V7.D2
	SUBS $8, R8, R8
	BGE mulVec8

mulVecTwos:
	ADDS $6, R8, R8
	BLT mulVecTail

mulVec2:
	VLD1.P 16(R7), [V16.D2]
	VLD1.P 16(R2), [V20.D2]
	VLD1.P 16(R5), [V24.D2]
	VFMLA V16.D2, V20.D2, V0.D2
	VFMLA V16.D2, V24.D2, V4.D2
	SUBS $2, R8, R8
	BGE mulVec2

mulVecTail:
	ADDS $2, R8, R8
	BEQ mulVecSum
	FMOVD (R7), F16
	FMOVD (R2), F20
	FMOVD (R5), F24
	VFMLA V16.D2, V20.D2, V0.D2
	VFMLA V16.D2, V24.D2, V4.D2

mulVecSum:
	FOLD(V0, V1, V2, V3)
	FOLD(V4, V5, V6, V7)
	SUM(V0, F0)
	FMOVD F0, (R0)
	ADD R1, R0, R0
	MOVD R6, R2
	SUBS $1, R4, R4
	BEQ mulVecDone
	SUM(V4, F4)
	FMOVD F4, (R0)
	ADD R1, R0, R0
	SUBS $1, R4, R4
	BNE mulVecRows

mulVecDone:
	RET

// func mulTVecNEON(dst *float64, p int, x *float64, stride int, r *float64, n int)
//
// Four rows at a time, whose factors are in V0 … V3; then one at a time.
TEXT ·mulTVecNEON(SB), NOSPLIT, $0-48
	MOVD x+16(FP), R2
	MOVD stride+24(FP), R3
	LSL $3, R3, R3
	MOVD r+32(FP), R4
	MOVD n+40(FP), R5
	SUBS $4, R5, R5
	BLT mulTVecOnes

mulTVecFour:
	ADD R3, R2, R6
	ADD R3, R6, R7
	ADD R3, R7, R8
	ADD R3, R8, R9
	VLD1R.P 8(R4), [V0.D2]
	VLD1R.P 8(R4), [V1.D2]
	VLD1R.P 8(R4), [V2.D2]
	VLD1R.P 8(R4), [V3.D2]
	MOVD dst+0(FP), R0
	MOVD p+8(FP), R1
	SUBS $4, R1, R1
	BLT mulTVecFourTail

mulTVecFour4:
	VLD1 (R0), [V4.D2, V5.D2]
	VLD1.P 32(R2), [V16.D2, V17.D2]
	VLD1.P 32(R6), [V18.D2, V19.D2]
	VLD1.P 32(R7), [V20.D2, V21.D2]
	VLD1.P 32(R8), [V22.D2, V23.D2]
	VFMLA V16.D2, V0.D2, V4.D2
	VFMLA V17.D2, V0.D2, V5.D2
	VFMLA V18.D2, V1.D2, V4.D2
	VFMLA V19.D2, V1.D2, V5.D2
	VFMLA V20.D2, V2.D2, V4.D2
	VFMLA V21.D2, V2.D2, V5.D2
	VFMLA V22.D2, V3.D2, V4.D2
	VFMLA V23.D2, V3.D2, V5.D2
	VST1.P [V4.D2, V5.D2], 32(R0)
	SUBS $4, R1, R1
	BGE mulTVecFour4

mulTVecFourTail:
	ADDS $4, R1, R1
	BEQ mulTVecFourNext

mulTVecFour1:
	FMOVD (R0), F4
	FMOVD.P 8(R2), F16
	FMOVD.P 8(R6), F18
	FMOVD.P 8(R7), F20
	FMOVD.P 8(R8), F22
	VFMLA V16.D2, V0.D2, V4.D2
	VFMLA V18.D2, V1.D2, V4.D2
	VFMLA V20.D2, V2.D2, V4.D2
	VFMLA V22.D2, V3.D2, V4.D2
	FMOVD.P F4, 8(R0)
	SUBS $1, R1, R1
	BNE mulTVecFour1

mulTVecFourNext:
	MOVD R9, R2
	SUBS $4, R5, R5
	BGE mulTVecFour

mulTVecOnes:
	ADDS $4, R5, R5
	BEQ mulTVecDone

mulTVecOne:
	ADD R3, R2, R6
	VLD1R.P 8(R4), [V0.D2]
	MOVD dst+0(FP), R0
	MOVD p+8(FP), R1
	SUBS $4, R1, R1
	BLT mulTVecOneTail

mulTVecOne4:
	VLD1 (R0), [V4.D2, V5.D2]
	VLD1.P 32(R2), [V16.D2, V17.D2]
	VFMLA V16.D2, V0.D2, V4.D2
	VFMLA V17.D2, V0.D2, V5.D2
	VST1.P [V4.D2, V5.D2], 32(R0)
	SUBS $4, R1, R1
	BGE mulTVecOne4

mulTVecOneTail:
	ADDS $4, R1, R1
	BEQ mulTVecOneNext

mulTVecOne1:
	FMOVD (R0), F4
	FMOVD.P 8(R2), F16
	VFMLA V16.D2, V0.D2, V4.D2
	FMOVD.P F4, 8(R0)
	SUBS $1, R1, R1
	BNE mulTVecOne1

mulTVecOneNext:
	MOVD R6, R2
	SUBS $1, R5, R5
	BNE mulTVecOne

mulTVecDone:
	RET

// MAC adds one value of A, spread over t, times the row of B in V16 … V19 to a
// row of the tile, and moves A's pointer on.
#define MAC(a, t, s0, s1, s2, s3) \
	VLD1R.P (a)(R13), [t.D2]; \
	VFMLA V16.D2, t.D2, s0.D2; \
	VFMLA V17.D2, t.D2, s1.D2; \
	VFMLA V18.D2, t.D2, s2.D2; \
	VFMLA V19.D2, t.D2, s3.D2

// PUT adds a row of the tile to C, given ones in V31.
#define PUT(s0, s1, s2, s3) \
	VLD1 (R0), [V16.D2, V17.D2, V18.D2, V19.D2]; \
	VFMLA V31.D2, s0.D2, V16.D2; \
	VFMLA V31.D2, s1.D2, V17.D2; \
	VFMLA V31.D2, s2.D2, V18.D2; \
	VFMLA V31.D2, s3.D2, V19.D2; \
	VST1 [V16.D2, V17.D2, V18.D2, V19.D2], (R0); \
	ADD R1, R0, R0

// func tile4x8(c *float64, ldc int, a *float64, ra, ka int, b *float64, m int)
//
// A quarter of a tile: the sums of row i are in V(4i) … V(4i+3). Rows of B are
// 16 values apart.
TEXT ·tile4x8(SB), NOSPLIT, $0-56
	MOVD c+0(FP), R0
	MOVD ldc+8(FP), R1
	LSL $3, R1, R1
	MOVD a+16(FP), R2
	MOVD ra+24(FP), R3
	LSL $3, R3, R3
	ADD R3, R2, R4
	ADD R3, R4, R5
	ADD R3, R5, R6
	MOVD ka+32(FP), R13
	LSL $3, R13, R13
	MOVD b+40(FP), R7
	MOVD m+48(FP), R8
	MOVD $128, R9
	ONES(V31, F31)
	ZERO(V0)
	ZERO(V1)
	ZERO(V2)
	ZERO(V3)
	ZERO(V4)
	ZERO(V5)
	ZERO(V6)
	ZERO(V7)
	ZERO(V8)
	ZERO(V9)
	ZERO(V10)
	ZERO(V11)
	ZERO(V12)
	ZERO(V13)
	ZERO(V14)
	ZERO(V15)

tileRow:
	VLD1.P (R7)(R9), [V16.D2, V17.D2, V18.D2, V19.D2]
	MAC(R2, V20, V0, V1, V2, V3)
	MAC(R4, V21, V4, V5, V6, V7)
	MAC(R5, V22, V8, V9, V10, V11)
	MAC(R6, V23, V12, V13, V14, V15)
	SUBS $1, R8, R8
	BNE tileRow
	PUT(V0, V1, V2, V3)
	PUT(V4, V5, V6, V7)
	PUT(V8, V9, V10, V11)
	PUT(V12, V13, V14, V15)
	RET
