// Package dataset has the records that every client writes, and the digest by which they are compared
// (see ../../README.md).
package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"strconv"
	"strings"
	"time"
)

// Args is the command line that all client programs share.
type Args struct {
	Action, Bootstrap, Topic, Codec, Group, TransactionalID, Protocol, Via string
	Count                                                                  int
	BaseMs                                                                 int64
	Times                                                                  []int64
}

// Header is one header of a record; a nil value is null.
type Header struct {
	Key   string
	Value []byte
}

// Record is one record of the data set; a nil key or value is null.
type Record struct {
	Timestamp  int64
	Key, Value []byte
	Headers    []Header
}

// Parse reads the command line.
func Parse() Args {
	a := Args{Action: os.Args[1], Codec: "none"}
	for i := 2; i+1 < len(os.Args); i += 2 {
		value := os.Args[i+1]
		switch os.Args[i] {
		case "--bootstrap":
			a.Bootstrap = value
		case "--topic":
			a.Topic = value
		case "--codec":
			a.Codec = value
		case "--group":
			a.Group = value
		case "--transactional-id":
			a.TransactionalID = value
		case "--protocol":
			a.Protocol = value
		case "--via":
			a.Via = value
		case "--count":
			a.Count = int(number(value))
		case "--base-ms":
			a.BaseMs = number(value)
		case "--times":
			for _, time := range strings.Split(value, ",") {
				a.Times = append(a.Times, number(time))
			}
		default:
			Fail("no such argument: %s", os.Args[i])
		}
	}
	return a
}

// Of gives record i.
func Of(i int, baseMs int64) Record {
	r := Record{Timestamp: baseMs + int64(i), Headers: []Header{
		{"seq", []byte(strconv.Itoa(i))}, {"dup", []byte("a")}, {"dup", []byte("b")}, {"empty", []byte{}}, {"none", nil},
	}}
	if i%11 != 5 {
		r.Key = []byte("key-" + strconv.Itoa(i%1000))
	}
	if i%7 != 3 || r.Key == nil {
		r.Value = []byte("value-" + strconv.Itoa(i) + "-" + strings.Repeat("x", i%64))
	}
	return r
}

// Digest collects records in the order in which they arrive.
type Digest struct {
	Count int
	sha   hash.Hash
}

// NewDigest gives an empty one.
func NewDigest() *Digest { return &Digest{sha: sha256.New()} }

// Add takes the next record.
func (d *Digest) Add(offset int64, r Record) {
	fmt.Fprintf(d.sha, "%d|%d|%s|%s|", offset, r.Timestamp, text(r.Key), text(r.Value))
	for i, h := range r.Headers {
		if i > 0 {
			d.sha.Write([]byte(";"))
		}
		fmt.Fprintf(d.sha, "%s=%s", h.Key, text(h.Value))
	}
	d.sha.Write([]byte("\n"))
	d.Count++
}

// Print prints the line that xtask reads.
func (d *Digest) Print() { fmt.Printf("count=%d sha256=%x\n", d.Count, d.sha.Sum(nil)) }

// Joined gives numbers with commas between them.
func Joined[T int | int32 | int64](numbers []T) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.FormatInt(int64(n), 10)
	}
	return strings.Join(words, ",")
}

// Settle gives the broker time to see what the controller has done: Apache Kafka answers before that.
func Settle() { time.Sleep(500 * time.Millisecond) }

// Check ends the program when there is an error.
func Check(err error) {
	if err != nil {
		Fail("%v", err)
	}
}

// Fail ends the program.
func Fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	Check(err)
	return n
}

func text(data []byte) string {
	if data == nil {
		return "-"
	}
	return hex.EncodeToString(data)
}
