package numpy

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
)

// member is a file in an archive.
type member struct {
	name   string
	method uint16
	crc    uint32 // of its contents
	packed []byte // the contents as they are stored
}

const (
	stored, deflated = 0, 8 // methods

	endMark, wideMark, entryMark, localMark = "PK\x05\x06", "PK\x06\x06", "PK\x01\x02", "PK\x03\x04"
	endSize, wideSize, entrySize, localSize = 22, 56, 46, 30

	wideExtra = 1 // the kind of an extra field with numbers of 64 bits
)

var errArchive = errors.New("not a zip archive, or cut off")

// members returns the files of an archive, as its directory has them (PKWARE's APPNOTE.TXT, 4.3 to
// 4.5). An import of archive/zip would make every program larger by 82 kB, whether or not it reads
// an archive.
func members(all []byte) (list []member, err error) {
	end := bytes.LastIndex(all, []byte(endMark))
	if end < 0 || len(all)-end < endSize {
		return nil, errArchive
	}
	at := uint64(binary.LittleEndian.Uint32(all[end+16:]))
	if wide := bytes.LastIndex(all[:end], []byte(wideMark)); at == math.MaxUint32 && wide >= 0 && end-wide >= wideSize {
		at = binary.LittleEndian.Uint64(all[wide+48:])
	}
	for {
		entry := section(all[:end], at, entryMark, entrySize)
		if entry == nil {
			break
		}
		u16 := func(i int) uint64 { return uint64(binary.LittleEndian.Uint16(entry[i:])) }
		name, extra := u16(28), u16(30)
		size := entrySize + name + extra + u16(32)
		if uint64(len(entry)) < size {
			return nil, errArchive
		}
		m := member{name: string(entry[entrySize:][:name]), method: uint16(u16(10)), crc: binary.LittleEndian.Uint32(entry[16:])}
		numbers := [3]uint64{} // the sizes as they were and as they are stored, and where
		for k, i := range []int{24, 20, 42} {
			numbers[k] = uint64(binary.LittleEndian.Uint32(entry[i:]))
		}
		widen(&numbers, entry[entrySize+name:][:extra])
		local := section(all, numbers[2], localMark, localSize)
		if local == nil {
			return nil, errArchive
		}
		begin := localSize + uint64(binary.LittleEndian.Uint16(local[26:])) + uint64(binary.LittleEndian.Uint16(local[28:]))
		if left := uint64(len(local)); begin > left || numbers[1] > left-begin {
			return nil, errArchive
		}
		m.packed = local[begin:][:numbers[1]]
		list = append(list, m)
		at += size
	}
	if count := int(binary.LittleEndian.Uint16(all[end+10:])); count != len(list)&math.MaxUint16 && count != math.MaxUint16 {
		return nil, errArchive
	}
	return list, nil
}

// section returns what begins with a mark, nil where that is not so or less than size is left.
func section(all []byte, at uint64, mark string, size int) []byte {
	if at > uint64(len(all)) || len(all)-int(at) < size || string(all[at:][:len(mark)]) != mark {
		return nil
	}
	return all[at:]
}

// widen takes numbers that do not fit into 32 bits from the extra fields of an entry, which have those
// alone, in this order.
func widen(numbers *[3]uint64, extra []byte) {
	for len(extra) >= 4 {
		kind, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[4:]; size > len(extra) {
			return
		}
		field := extra[:size]
		extra = extra[size:]
		for k, v := range numbers {
			if kind == wideExtra && v == math.MaxUint32 && len(field) >= 8 {
				numbers[k], field = binary.LittleEndian.Uint64(field), field[8:]
			}
		}
	}
}

// read calls load with the contents, and checks them when it has read what it wants.
func (m *member) read(load func(io.Reader) error) error {
	var r io.Reader = bytes.NewReader(m.packed)
	switch m.method {
	case stored:
	case deflated:
		r = flate.NewReader(r)
	default:
		return errors.New("packed by another method than deflate")
	}
	sum := crc32.NewIEEE()
	r = io.TeeReader(r, sum)
	if err := load(r); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	if sum.Sum32() != m.crc {
		return errors.New("damaged: another checksum than the archive's")
	}
	return nil
}
