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

// AHEAD fetches the row that comes eight values later, where there are so many: n is in CX, the
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

// func backAtAVX512(dst *float64, stride int, r *float64, index *int32, value *float64, n, k int)
TEXT ·backAtAVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), SI
	MOVQ stride+8(FP), R12
	SHLQ $3, R12
	MOVQ r+16(FP), DI
	MOVQ index+24(FP), R8
	MOVQ value+32(FP), R9
	MOVQ k+48(FP), AX
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
	ADDQ $4, R8
	ADDQ $8, R9
	DECQ CX
	JNZ backNext
	VZEROUPPER
	RET
