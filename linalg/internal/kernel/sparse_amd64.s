//go:build gc && !purego

#include "textflag.h"

// MASKS sets K1 … K4 to the lanes of the first, …, fourth eight of k ≤ 32 values, k in AX. It
// uses BX and CX.
#define MASKS \
	MOVQ AX, CX \
	MOVQ $1, BX \
	SHLQ CX, BX \
	DECQ BX \
	KMOVW BX, K1 \
	SHRQ $8, BX \
	KMOVW BX, K2 \
	SHRQ $8, BX \
	KMOVW BX, K3 \
	SHRQ $8, BX \
	KMOVW BX, K4

// AHEAD fetches the row of the value eight places further on, where so many are to come: n is in CX, the
// indices at R8, the rows at SI, R12 bytes apart.
#define AHEAD(skip) \
	CMPQ CX, $8 \
	JLE skip \
	MOVLQSX 32(R8), R11 \
	IMULQ R12, R11 \
	PREFETCHT0 (SI)(R11*1) \
	PREFETCHT0 64(SI)(R11*1) \
	PREFETCHT0 128(SI)(R11*1)

// func scoresAtAVX512(dst, coef *float64, stride int, index *int32, value *float64, n, k int)
//
// The scores stay in registers, four eights at most.
TEXT ·scoresAtAVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ coef+8(FP), SI
	MOVQ stride+16(FP), R12
	SHLQ $3, R12
	MOVQ index+24(FP), R8
	MOVQ value+32(FP), R9
	MOVQ k+48(FP), AX
	MASKS
	MOVQ n+40(FP), CX
	VMOVUPD.Z (DI), K1, Z0
	VMOVUPD.Z 64(DI), K2, Z1
	VMOVUPD.Z 128(DI), K3, Z2
	VMOVUPD.Z 192(DI), K4, Z3

scoresNext:
	AHEAD(scoresHere)

scoresHere:
	MOVLQSX (R8), R10
	IMULQ R12, R10
	ADDQ SI, R10
	VBROADCASTSD (R9), Z8
	VMOVUPD.Z (R10), K1, Z4
	VFMADD231PD Z4, Z8, Z0
	CMPQ AX, $8
	JLE scoresEnd
	VMOVUPD.Z 64(R10), K2, Z5
	VFMADD231PD Z5, Z8, Z1
	CMPQ AX, $16
	JLE scoresEnd
	VMOVUPD.Z 128(R10), K3, Z6
	VFMADD231PD Z6, Z8, Z2
	CMPQ AX, $24
	JLE scoresEnd
	VMOVUPD.Z 192(R10), K4, Z7
	VFMADD231PD Z7, Z8, Z3

scoresEnd:
	ADDQ $4, R8
	ADDQ $8, R9
	DECQ CX
	JNZ scoresNext
	VMOVUPD Z0, K1, (DI)
	VMOVUPD Z1, K2, 64(DI)
	VMOVUPD Z2, K3, 128(DI)
	VMOVUPD Z3, K4, 192(DI)
	VZEROUPPER
	RET

// func backAtAVX512(dst *float64, stride int, r *float64, index *int32, value *float64, n, k, step int)
TEXT ·backAtAVX512(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), SI
	MOVQ stride+8(FP), R12
	SHLQ $3, R12
	MOVQ r+16(FP), DI
	MOVQ index+24(FP), R8
	MOVQ value+32(FP), R9
	MOVQ k+48(FP), AX
	MOVQ step+56(FP), R13
	SHLQ $2, R13
	MASKS
	MOVQ n+40(FP), CX
	VMOVUPD.Z (DI), K1, Z0
	VMOVUPD.Z 64(DI), K2, Z1
	VMOVUPD.Z 128(DI), K3, Z2
	VMOVUPD.Z 192(DI), K4, Z3

backNext:
	AHEAD(backHere)

backHere:
	MOVLQSX (R8), R10
	IMULQ R12, R10
	ADDQ SI, R10
	VBROADCASTSD (R9), Z8
	VMOVUPD.Z (R10), K1, Z4
	VFMADD231PD Z0, Z8, Z4
	VMOVUPD Z4, K1, (R10)
	CMPQ AX, $8
	JLE backEnd
	VMOVUPD.Z 64(R10), K2, Z5
	VFMADD231PD Z1, Z8, Z5
	VMOVUPD Z5, K2, 64(R10)
	CMPQ AX, $16
	JLE backEnd
	VMOVUPD.Z 128(R10), K3, Z6
	VFMADD231PD Z2, Z8, Z6
	VMOVUPD Z6, K3, 128(R10)
	CMPQ AX, $24
	JLE backEnd
	VMOVUPD.Z 192(R10), K4, Z7
	VFMADD231PD Z3, Z8, Z7
	VMOVUPD Z7, K4, 192(R10)

backEnd:
	ADDQ R13, R8
	LEAQ (R9)(R13*2), R9
	DECQ CX
	JNZ backNext
	VZEROUPPER
	RET

// AVX2 is the same in fours: TAIL sets Y10 to the lanes that are left of k, in AX, and AX to
// the number of whole fours; Y9 is theirs. It uses BX.
DATA lanes<>+0(SB)/8, $-1
DATA lanes<>+8(SB)/8, $-1
DATA lanes<>+16(SB)/8, $-1
DATA lanes<>+24(SB)/8, $-1
DATA lanes<>+32(SB)/8, $0
DATA lanes<>+40(SB)/8, $0
DATA lanes<>+48(SB)/8, $0
DATA lanes<>+56(SB)/8, $0
GLOBL lanes<>(SB), RODATA|NOPTR, $64

#define TAIL \
	MOVQ AX, BX \
	ANDQ $3, BX \
	SHLQ $3, BX \
	NEGQ BX \
	LEAQ lanes<>+32(SB), DX \
	VMOVUPD (DX)(BX*1), Y10 \
	SHRQ $2, AX \
	MOVQ AX, DX \
	SHLQ $5, DX

// LOAD sets acc to four n of the values at DI, unless there are fewer fours.
#define LOAD(n, acc, end) \
	CMPQ AX, $n \
	JLE end \
	VMOVUPD (32*n)(DI), acc

// STORE is the opposite of LOAD.
#define STORE(n, acc, end) \
	CMPQ AX, $n \
	JLE end \
	VMOVUPD acc, (32*n)(DI)

// SCORE adds Y8 times four n of the row at R10 to acc.
#define SCORE(n, acc, end) \
	CMPQ AX, $n \
	JLE end \
	VFMADD231PD (32*n)(R10), Y8, acc

// BACK adds Y8 times acc to four n of the row at R10.
#define BACK(n, acc, end) \
	CMPQ AX, $n \
	JLE end \
	VMOVUPD (32*n)(R10), Y11 \
	VFMADD231PD acc, Y8, Y11 \
	VMOVUPD Y11, (32*n)(R10)

#define EIGHT(F, end) \
	F(0, Y0, end) \
	F(1, Y1, end) \
	F(2, Y2, end) \
	F(3, Y3, end) \
	F(4, Y4, end) \
	F(5, Y5, end) \
	F(6, Y6, end) \
	F(7, Y7, end)

// func scoresAtAVX2(dst, coef *float64, stride int, index *int32, value *float64, n, k int)
TEXT ·scoresAtAVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ coef+8(FP), SI
	MOVQ stride+16(FP), R12
	SHLQ $3, R12
	MOVQ index+24(FP), R8
	MOVQ value+32(FP), R9
	MOVQ n+40(FP), CX
	MOVQ k+48(FP), AX
	TAIL
	VMASKMOVPD (DI)(DX*1), Y10, Y9
	EIGHT(LOAD, scores4Next)

scores4Next:
	AHEAD(scores4Here)

scores4Here:
	MOVLQSX (R8), R10
	IMULQ R12, R10
	ADDQ SI, R10
	VBROADCASTSD (R9), Y8
	VMASKMOVPD (R10)(DX*1), Y10, Y11
	VFMADD231PD Y11, Y8, Y9
	EIGHT(SCORE, scores4End)

scores4End:
	ADDQ $4, R8
	ADDQ $8, R9
	DECQ CX
	JNZ scores4Next
	VMASKMOVPD Y9, Y10, (DI)(DX*1)
	EIGHT(STORE, scores4Done)

scores4Done:
	VZEROUPPER
	RET

// func backAtAVX2(dst *float64, stride int, r *float64, index *int32, value *float64, n, k, step int)
TEXT ·backAtAVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), SI
	MOVQ stride+8(FP), R12
	SHLQ $3, R12
	MOVQ r+16(FP), DI
	MOVQ index+24(FP), R8
	MOVQ value+32(FP), R9
	MOVQ n+40(FP), CX
	MOVQ k+48(FP), AX
	MOVQ step+56(FP), R13
	SHLQ $2, R13
	TAIL
	VMASKMOVPD (DI)(DX*1), Y10, Y9
	EIGHT(LOAD, back4Next)

back4Next:
	AHEAD(back4Here)

back4Here:
	MOVLQSX (R8), R10
	IMULQ R12, R10
	ADDQ SI, R10
	VBROADCASTSD (R9), Y8
	VMASKMOVPD (R10)(DX*1), Y10, Y11
	VFMADD231PD Y9, Y8, Y11
	VMASKMOVPD Y11, Y10, (R10)(DX*1)
	EIGHT(BACK, back4End)

back4End:
	ADDQ R13, R8
	LEAQ (R9)(R13*2), R9
	DECQ CX
	JNZ back4Next
	VZEROUPPER
	RET
