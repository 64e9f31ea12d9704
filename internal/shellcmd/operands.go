package shellcmd

import (
	"slices"
	"strings"
	"sync"
)

// Operands are the words of a command that are neither options nor their
// values. The command's own name is left out.
func Operands(argv []string) []string {
	if len(argv) == 0 {
		return nil
	}
	withValue := valuedFlags(argv)
	var out []string
	for i := 1; i < len(argv); i++ {
		arg := argv[i]
		switch {
		case arg == "--":
			return append(out, argv[i+1:]...)
		case isMake(argv) && (arg == "-j" || arg == "-l"):
			// the number may be left out
			if i+1 < len(argv) && strings.Trim(argv[i+1], "0123456789.") == "" {
				i++
			}
		case slices.Contains(withValue, arg):
			i++
		case strings.HasPrefix(arg, "-") && arg != "-":
		case isMake(argv) && strings.Contains(arg, "="):
		default:
			out = append(out, arg)
		}
	}
	return out
}

func lastOperand(argv []string) string {
	if list := Operands(argv); len(list) > 0 {
		return list[len(list)-1]
	}
	if len(argv) > 1 && argv[len(argv)-1] == "-" {
		return "-"
	}
	return ""
}

func isMake(argv []string) bool {
	name := base(argv[0])
	return name == "make" || name == "gmake"
}

// valued are the options of each command that take the next word.
var valued = sync.OnceValue(func() map[string][]string {
	byName := map[string][]string{}
	for _, row := range [][2]string{
		{"make gmake", "-C --directory -f --file --makefile -I -o -W"},
		{"pytest py.test", "-k -m -n -c -o -p -W -r --maxfail --rootdir --confcutdir --deselect --ignore --cov --cov-report --cov-config"},
		{"pytest py.test", "--durations --tb --junitxml --timeout --log-level --numprocesses"},
		{"go", "-C -run -bench -count -timeout -tags -coverprofile -covermode -coverpkg -o -p -parallel -cpu -exec -skip -fuzz -fuzztime"},
		{"go", "-benchtime -ldflags -gcflags -mod -modfile -shuffle -vet -cpuprofile -memprofile"},
		{"cargo", "-p --package --test --bin --example --bench --features -F --manifest-path --target --target-dir -j --jobs --profile"},
		{"cargo", "--color --config -Z -C -E --exclude"},
		{"git", "-C -c --git-dir --work-tree -m -F -n"},
		{"npm pnpm yarn bun", "-C --dir --cwd --filter -F --prefix -w --workspace"},
		{"jest vitest mocha", "-t --testNamePattern -c --config --reporter --reporters --maxWorkers -w --project -g --grep -R"},
		{"pip", "-r --requirement -c --constraint -i --index-url --extra-index-url -t --target --python --log -e --editable"},
		{"head tail", "-n -c --lines --bytes"},
		{"sed", "-e -f --expression --file -l"},
		{"grep egrep fgrep rg ag", "-e -f -m -A -B -C -g -t -T --glob --type --include --exclude --exclude-dir --max-count --context"},
		{"awk gawk", "-F -v -f"},
		{"curl", "-X --request -H --header -d --data --data-raw -o --output -u --user -m --max-time -w"},
		{"docker", "-f --file -p -e -v -w --name -t --tag"},
		{"mvn mvnw", "-f --file -pl --projects -P -s --settings -T --threads -rf --resume-from -l --log-file"},
		{"gradle gradlew", "-x --exclude-task --tests -p --project-dir -b --build-file -c -I --init-script -g --max-workers --console"},
		{"python", "-W -X"},
		{"node tsx ts-node", "-r --require --import --loader --experimental-loader -C --conditions"},
		{"ruby", "-I -r -C"},
	} {
		for name := range strings.FieldsSeq(row[0]) {
			byName[name] = append(byName[name], strings.Fields(row[1])...)
		}
	}
	return byName
})

// valuedFlags are those of one command.
func valuedFlags(argv []string) []string {
	name := base(argv[0])
	switch {
	case strings.HasPrefix(name, "pip"):
		name = "pip"
	case isPython(name):
		name = "python"
	}
	return valued()[name]
}

// Inline reports whether the command runs a program that is not in a file:
// python -c, node -e, python with a here-document.
func Inline(argv []string) bool {
	return len(argv) > 0 && (hasAny(argv, "-c", "-e", "--eval", "-p", "-") || len(Operands(argv)) == 0)
}
