// Package record reads and writes the JSON of a fitted model: a kind, a version
// and a checksum around the numbers, so that a damaged file, a file of another
// model and a file from a newer program are errors instead of wrong answers.
//
// encoding/json writes the shortest decimal that reads back as the same
// float64, so models survive bit for bit.
//
// # Files in reading order
//
//	number.go  numbers that JSON cannot hold
//	packed.go  numbers as bytes
//	decode.go  values from a text of encoding/json, in one pass
//	record.go  the envelope of a model and its errors
//	text.go    text that is written in pieces, and records of it
//	plain.go   results without an envelope
package record
