package remote

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
)

// envelopePath is the name of the output file that contains the signed envelope.
const envelopePath = "gauntlet.dsse.json"

// The fields of REAPI v2's ActionResult, OutputFile and Digest that are used here.
// Everything else is skipped, as protobuf requires.
const (
	resultOutputFiles  = 2
	resultExitCode     = 4
	resultStdoutDigest = 6
	filePath           = 1
	fileDigest         = 2
	fileContents       = 5
	digestHash         = 1
	digestSize         = 2
)

const (
	varint  = 0
	fixed64 = 1
	bytesOf = 2
	fixed32 = 5
)

var errMalformed = errors.New("not an ActionResult with a proof")

// encodeResult writes the ActionResult of a gate that passed: exit code 0, the envelope
// inline, and the log's digest if there is a log.
func encodeResult(envelope []byte, log *Blob) []byte {
	sum := sha256.Sum256(envelope)
	file := field(nil, filePath, []byte(envelopePath))
	file = field(file, fileDigest, encodeDigest(hex.EncodeToString(sum[:]), int64(len(envelope))))
	file = field(file, fileContents, envelope)
	out := field(nil, resultOutputFiles, file)
	if log != nil {
		out = field(out, resultStdoutDigest, encodeDigest(log.SHA256, log.Size))
	}
	return out
}

func encodeDigest(hash string, size int64) []byte {
	out := field(nil, digestHash, []byte(hash))
	out = binary.AppendUvarint(out, digestSize<<3|varint)
	return binary.AppendUvarint(out, uint64(size))
}

func field(to []byte, number uint64, value []byte) []byte {
	to = binary.AppendUvarint(to, number<<3|bytesOf)
	to = binary.AppendUvarint(to, uint64(len(value)))
	return append(to, value...)
}

// decodeResult extracts the envelope from an ActionResult. A result with an exit code, or
// without exactly one envelope, is not from a gate that passed.
func decodeResult(b []byte) ([]byte, error) {
	var envelope []byte
	found := 0
	err := each(b, func(number int, value []byte, n uint64) error {
		switch number {
		case resultExitCode:
			if n != 0 {
				return errMalformed
			}
		case resultOutputFiles:
			path, contents, err := decodeFile(value)
			if err != nil {
				return err
			}
			if path == envelopePath {
				envelope = contents
				found++
			}
		}
		return nil
	})
	if err != nil || found != 1 || len(envelope) == 0 {
		return nil, errMalformed
	}
	return envelope, nil
}

func decodeFile(b []byte) (path string, contents []byte, err error) {
	err = each(b, func(number int, value []byte, _ uint64) error {
		switch number {
		case filePath:
			path = string(value)
		case fileContents:
			contents = value
		}
		return nil
	})
	return path, contents, err
}

// each calls do for every field of a protobuf message.
func each(b []byte, do func(number int, value []byte, n uint64) error) error {
	for len(b) > 0 {
		tag, used := binary.Uvarint(b)
		if used <= 0 || tag>>3 == 0 || tag>>3 > 1<<29 {
			return errMalformed
		}
		b = b[used:]
		var value []byte
		var n uint64
		switch tag & 7 {
		case varint:
			if n, used = binary.Uvarint(b); used <= 0 {
				return errMalformed
			}
			b = b[used:]
		case bytesOf:
			size, used := binary.Uvarint(b)
			if used <= 0 || size > uint64(len(b)-used) {
				return errMalformed
			}
			value, b = b[used:used+int(size)], b[used+int(size):]
		case fixed64, fixed32:
			size := 8
			if tag&7 == fixed32 {
				size = 4
			}
			if len(b) < size {
				return errMalformed
			}
			b = b[size:]
		default:
			return errMalformed
		}
		if err := do(int(tag>>3), value, n); err != nil {
			return err
		}
	}
	return nil
}
