package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gauntlet/internal/text"
)

const (
	extension = ".json"
	// noFeature is used in place of a missing feature.
	noFeature = "checkpoint"
	// maxName leaves space for the suffixes of temporary files and of files set aside
	// within the 255 bytes that file systems allow.
	maxName    = 220
	maxCommand = 64
	hashDigits = 32
)

// names turns a command and a feature into file names and back. The first choice is the
// name that react-basecamp's checkpoint-manager gives the file, so that both find each
// other's records. Several features may have the same one: then the others are escaped,
// every byte that is not plain as %XX, or end in a hash. None can leave the directory.
type names struct {
	// foldCase: the file system treats Foo and foo as one name, so capitals are not plain.
	foldCase bool
}

func systemNames() names {
	return names{foldCase: runtime.GOOS == "darwin" || runtime.GOOS == "windows"}
}

// candidates are the names that a feature's record may have, the first choice first. Those
// from made on are only looked up: nothing new gets them.
func (n names) candidates(command, feature string) (list []string, made int) {
	own := n.file(command, feature)
	if feature == "" {
		return []string{own}, 1
	}
	c := n.command(command)
	plain := c + "-" + moduleName(feature) + extension
	hashed := c + "-" + withHash(n.escape(feature, ""), feature, maxName-len(c)-len("-")-len(extension)) + extension
	if len(plain) <= maxName && utf8.ValidString(feature) && !strings.ContainsAny(feature, "%~") && moduleName(feature) != "" && moduleName(feature) != noFeature {
		list = append(list, plain)
	}
	list = append(list, own, hashed)
	made = len(list)
	for _, name := range []string{plain, command + "-" + feature + extension} { // of the module, and of its first version
		if !slices.Contains(list, name) && filepath.IsLocal(name) && filepath.ToSlash(filepath.Clean(name)) == name && !strings.ContainsRune(name, 0) {
			list = append(list, name)
		}
	}
	return list, made
}

// moduleName is a feature in a file name of react-basecamp's checkpoint-manager.
func moduleName(feature string) string {
	s := strings.NewReplacer("/", "-", `\`, "-").Replace(feature)
	s = strings.ReplaceAll(s, "..", "")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`<>:"|?*`, r) {
			return -1
		}
		return r
	}, s)
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) && r != 0x85 || r == 0xfeff })
}

func (n names) command(command string) string {
	return shorten(n.escape(command, "-"), command, maxCommand)
}

// file is the escaped name. The command contains no '-', so the first one ends it.
func (n names) file(command, feature string) string {
	c := n.command(command)
	f := noFeature
	switch feature {
	case "":
	case noFeature:
		f = "%63" + noFeature[1:]
	default:
		f = n.escape(feature, "")
	}
	return c + "-" + shorten(f, feature, maxName-len(c)-len("-")-len(extension)) + extension
}

func (n names) escape(s, alsoNotPlain string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if n.plain(c) && strings.IndexByte(alsoNotPlain, c) < 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteString(strings.ToUpper(hex.EncodeToString([]byte{c})))
	}
	return b.String()
}

func (n names) plain(c byte) bool {
	return text.IsPlain(c) && !(n.foldCase && c >= 'A' && c <= 'Z')
}

// shorten keeps the head of a name that is too long and appends a hash of the full name.
// '~' is never plain, so no other name looks like this.
func shorten(escaped, original string, limit int) string {
	if len(escaped) <= limit {
		return escaped
	}
	return withHash(escaped, original, limit)
}

func withHash(escaped, original string, limit int) string {
	cut := min(len(escaped), limit-1-hashDigits)
	if i := strings.LastIndexByte(escaped[:cut], '%'); i >= 0 && i > cut-3 {
		cut = i
	}
	sum := sha256.Sum256([]byte(original))
	return escaped[:cut] + "~" + hex.EncodeToString(sum[:])[:hashDigits]
}

// parse is the inverse of file. A name that ends in a hash gives its command only; hashed
// is set then. ok is false for names that file never makes.
func (n names) parse(name string) (command, feature string, hashed, ok bool) {
	stem, isRecord := strings.CutSuffix(name, extension)
	c, f, cut := strings.Cut(stem, "-")
	if !isRecord || !cut || c == "" || f == "" {
		return "", "", false, false
	}
	hashed = strings.Contains(stem, "~")
	if command, ok = unescape(c); !ok {
		return "", "", hashed, false
	}
	if hashed {
		return command, "", true, true
	}
	if f != noFeature {
		if feature, ok = unescape(f); !ok {
			return "", "", false, false
		}
	}
	return command, feature, false, n.file(command, feature) == name
}

func unescape(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+3 > len(s) {
			return "", false
		}
		d, err := hex.DecodeString(s[i+1 : i+3])
		if err != nil {
			return "", false
		}
		b.WriteByte(d[0])
		i += 2
	}
	return b.String(), true
}
