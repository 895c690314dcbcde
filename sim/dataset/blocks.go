package dataset

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"halfspace/linalg"
)

const (
	firstBlock = 1 << 12 // a file of a few rows costs little
	blockSize  = 1 << 20
	maxRecord  = 1 << 28 // bytes in one line, or in one record with quoted line breaks
)

// blocks cuts the text of r after line ends into blocks, parses them on several
// goroutines and merges the results in the order of the text. If quoted, a line
// end inside double quotes is part of its record: one before which the number of
// quotes is odd. An error of merge stops the reading.
func blocks[R any](r io.Reader, workers int, quoted bool, parse func(text []byte) R, merge func(R) error) error {
	type job struct {
		text []byte
		out  chan R
	}
	workers = linalg.Workers(workers, 64)
	var (
		jobs  = make(chan job, workers)
		queue = make(chan chan R, workers) // the jobs' results in the order of the text
		free  = make(chan []byte, 2*workers+2)
		done  = make(chan struct{})
		wg    sync.WaitGroup
		err   error // of the reader; read once queue is closed
	)
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range jobs {
				j.out <- parse(j.text)
				select {
				case free <- j.text[:0]:
				default:
				}
			}
		}()
	}
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer close(queue)
		defer close(jobs)
		err = cut(r, quoted, free, func(text []byte) bool {
			j := job{text, make(chan R, 1)}
			select {
			case queue <- j.out:
			case <-done:
				return false
			}
			jobs <- j // a worker always comes: none of them waits for the merging
			return true
		})
	}()
	var failed error
	for out := range queue {
		if part := <-out; failed == nil {
			if failed = merge(part); failed != nil {
				close(done)
			}
		}
	}
	wg.Wait()
	if failed != nil {
		return failed
	}
	return err
}

// cut reads r and hands out blocks that end with a line, until the text ends or
// send returns false. Buffers come from free where it has one.
func cut(r io.Reader, quoted bool, free <-chan []byte, send func([]byte) bool) error {
	var rest []byte // the text behind the last line end of the block before
	for size := firstBlock; ; size = min(4*size, blockSize) {
		var buf []byte
		select {
		case buf = <-free:
		default:
		}
		if cap(buf) < size+size/4 {
			buf = make([]byte, 0, size+size/4)
		}
		buf = append(buf[:0], rest...)
		end := 0
		for end == 0 {
			if len(buf) > maxRecord {
				return fmt.Errorf("a record of more than %d MB; is a quote not closed?", maxRecord>>20)
			}
			want := len(buf) + max(size, len(buf))
			var err error
			buf, err = fill(r, buf, want)
			if err == io.EOF {
				if len(buf) > 0 {
					send(buf)
				}
				return nil
			}
			if err != nil {
				return err
			}
			end = lastLine(buf, quoted)
		}
		rest = append(rest[:0], buf[end:]...)
		if !send(buf[:end]) {
			return nil
		}
	}
}

// fill appends to buf until it has want bytes.
func fill(r io.Reader, buf []byte, want int) ([]byte, error) {
	if cap(buf) < want {
		buf = append(make([]byte, 0, 2*want), buf...)
	}
	n, err := io.ReadFull(r, buf[len(buf):want])
	buf = buf[:len(buf)+n]
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return buf, err
}

// lastLine returns the length of buf up to and with its last line end outside
// quotes, 0 if there is none. buf starts outside quotes.
func lastLine(buf []byte, quoted bool) int {
	end := bytes.LastIndexByte(buf, '\n')
	if !quoted {
		return end + 1
	}
	odd := end >= 0 && bytes.Count(buf[:end], []byte{'"'})%2 == 1
	for odd && end >= 0 {
		prev := bytes.LastIndexByte(buf[:end], '\n')
		odd = bytes.Count(buf[prev+1:end], []byte{'"'})%2 == 0
		end = prev
	}
	return end + 1
}
