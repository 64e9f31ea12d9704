package transcript

import "errors"

// DefaultMaxBytes is how much of a transcript is read at most: 16 MiB.
const DefaultMaxBytes = 16 << 20

// Why a transcript could not be used; test with errors.Is.
var (
	ErrNotRegular = errors.New("transcript is not a regular file")
	ErrFormat     = errors.New("transcript has no known format")
)

// Read reads the current turn of the transcript at path. It reads backwards
// from the end until the turn's start and never more than opts.MaxBytes. The
// error says why the turn is not Readable; it is nil otherwise.
func Read(path string, opts Options) (Turn, error) { return Turn{}, ErrFormat }

// ReadUsage reads only the newest usage figure of the transcript at path;
// nil when it has none (or none since the last compaction).
func ReadUsage(path string) (*Usage, error) { return nil, ErrFormat }
