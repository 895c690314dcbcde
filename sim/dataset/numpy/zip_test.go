package numpy_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"halfspace/sim/dataset/numpy"
)

// npy returns an array of one dimension.
func npy(values ...float64) []byte {
	header := "{'descr': '<f8', 'fortran_order': False, 'shape': (" + string(rune('0'+len(values))) + ",), }\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0)
	b = append(b, header...)
	for _, v := range values {
		b, _ = binary.Append(b, binary.LittleEndian, v)
	}
	return b
}

var arrays = map[string][]float64{"first": {1, 2.5, -3}, "second": {7}, "third": {}}

// archived returns the arrays in an archive, with another file.
func archived(t *testing.T, method uint16) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"first", "second", "third", "text"} {
		values, is := arrays[name]
		text := npy(values...)
		if is {
			name += ".npy"
		} else {
			text = []byte("no array")
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		f.Write(text)
	}
	w.SetComment("comment")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// widened returns an archive of one file with the numbers of its directory in 64 bits.
func widened(t *testing.T) []byte {
	const most = "\xff\xff\xff\xff"
	text := npy(4, 5)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.CreateRaw(&zip.FileHeader{Name: "first.npy", CRC32: crc32.ChecksumIEEE(text), CompressedSize64: uint64(len(text)), UncompressedSize64: uint64(len(text))})
	if err != nil {
		t.Fatal(err)
	}
	f.Write(text)
	w.Close()
	all := b.Bytes()
	at := bytes.Index(all, []byte("PK\x01\x02"))
	end := bytes.Index(all, []byte("PK\x05\x06"))
	entry := slices.Clone(all[at:end])
	copy(entry[20:], most+most)
	copy(entry[42:], most)
	binary.LittleEndian.PutUint16(entry[30:], 4+28)
	size := uint64(len(text))
	for _, v := range []any{uint16(9), uint16(0), uint16(1), uint16(24), size, size, uint64(0)} {
		entry, _ = binary.Append(entry, binary.LittleEndian, v)
	}
	out := append(all[:at:at], entry...)
	wide := len(out)
	for _, v := range []any{[]byte("PK\x06\x06"), uint64(44), uint16(45), uint16(45), uint32(0), uint32(0), uint64(1), uint64(1),
		uint64(len(entry)), uint64(at), []byte("PK\x06\x07"), uint32(0), uint64(wide), uint32(1),
		[]byte("PK\x05\x06\x00\x00\x00\x00\xff\xff\xff\xff" + most + most), uint16(0)} {
		out, _ = binary.Append(out, binary.LittleEndian, v)
	}
	return out
}

func TestArchives(t *testing.T) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		all := archived(t, method)
		z, err := numpy.ReadArchive(all, 1e6)
		if err != nil || len(z) != len(arrays) {
			t.Fatalf("method %d: %d arrays: %v", method, len(z), err)
		}
		for name, want := range arrays {
			if !slices.Equal(z[name].Data, want) {
				t.Errorf("method %d: %s is %v, want %v", method, name, z[name].Data, want)
			}
		}
		// No part of an archive is one, and a byte changed is an error or changes no number.
		for k := range all {
			if _, err := numpy.ReadArchive(all[:k], 1e6); err == nil && k < len(all)-len("comment") {
				t.Errorf("method %d: %d of %d bytes are read", method, k, len(all))
			}
			changed := slices.Clone(all)
			changed[k] ^= 0x55
			z, err := numpy.ReadArchive(changed, 1e6)
			if err == nil && bytes.HasPrefix(all[k:], []byte("PK\x01\x02")) {
				t.Errorf("method %d, byte %d: an entry less is no error", method, k)
			}
			for name, a := range z {
				if want, ok := arrays[name]; ok && err == nil && !slices.Equal(a.Data, want) {
					t.Errorf("method %d, byte %d: %s is %v", method, k, name, a.Data)
				}
			}
		}
	}
	if _, err := numpy.ReadArchive(archived(t, zip.Deflate), 20); err == nil {
		t.Error("an array of more bytes than the limit is read")
	}
	if _, err := numpy.ReadArchive([]byte("PK\x01\x02PK\x05\x06"+strings.Repeat("\x00", 18)), 1e6); err != nil {
		t.Errorf("an archive of nothing: %v", err)
	}
}

func TestArchivesOfLargeFiles(t *testing.T) {
	all := widened(t)
	z, err := zip.NewReader(bytes.NewReader(all), int64(len(all)))
	if err != nil {
		t.Fatalf("the test's own archive: %v", err)
	}
	f, err := z.File[0].Open()
	if err != nil {
		t.Fatalf("the test's own archive: %v", err)
	}
	if text, err := io.ReadAll(f); err != nil {
		t.Fatalf("the test's own archive: %v, of %d bytes", err, len(text))
	}
	a, err := numpy.ReadArchive(all, 1e6)
	if err != nil || !slices.Equal(a["first"].Data, []float64{4, 5}) {
		t.Errorf("%v: %v", a, err)
	}
}
