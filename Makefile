# Everything a newcomer needs: `make try` and `make test`.
GO      ?= go
PREFIX  ?= $(HOME)/.local
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS  = -s -w -X gauntlet/internal/buildinfo.version=$(VERSION)
# Static: a dynamic loader would cost every hook call half a millisecond.
BUILD    = CGO_ENABLED=0 $(GO) build -trimpath -ldflags "$(LDFLAGS)"
SOURCES := $(shell find cmd internal -name '*.go' -not -name '*_test.go') go.mod go.sum

.PHONY: help changelog build fleet fleet-test page-test page-pictures install try test test-all race lint fmt schema bench bench-fleet e2e packages packages-test vet-platforms windows-test fuzz sbom clean

help: ## what there is
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: bin/gauntlet ## build the binary into bin/

fleet: ## build gauntlet-fleet, for teams with several machines, into bin/
	cd fleet && $(BUILD) -o ../bin/gauntlet-fleet ./cmd/gauntlet-fleet

fleet-test: ## the remote cache, PostgreSQL and the build farm, against real servers (BAZEL_REMOTE=http://… and REAPI_FARM=host:port add more)
	BAZEL_REMOTE="$(BAZEL_REMOTE)" REAPI_FARM="$(REAPI_FARM)" $(GO) test -count=1 ./internal/proof/remote ./internal/proof/share
	cd fleet && BAZEL_REMOTE="$(BAZEL_REMOTE)" REAPI_FARM="$(REAPI_FARM)" $(GO) test -count=1 -timeout $(LIMIT) ./...

page-pictures: ## draw the pictures of the page for the docs
	PAGE_PICTURES=$(CURDIR)/docs $(GO) test -count=1 -run TestPicturesOfTheDocs ./test/page

page-test: ## the page in a real Chromium (PAGE_SHOTS=dir keeps screenshots)
	$(GO) test -count=1 ./test/page

bin/gauntlet: $(SOURCES)
	$(BUILD) -o $@ ./cmd/gauntlet

install: build ## install into $(PREFIX)/bin
	install -d "$(PREFIX)/bin"
	install -m 755 bin/gauntlet "$(PREFIX)/bin/gauntlet"
	@echo "Installed $(PREFIX)/bin/gauntlet. Next, in your project: gauntlet init"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo "$(PREFIX)/bin is not on your PATH yet: the hooks need it there." ;; esac

try: build ## see a block and a repair in a small sample repository
	@sh scripts/try.sh "$(CURDIR)/bin/gauntlet"

# No package comes near this on a busy machine; Go's own limit of ten minutes can be met there.
LIMIT ?= 60m

test: build ## unit tests and scripts
	$(GO) vet ./...
	$(GO) test -timeout $(LIMIT) ./cmd/... ./internal/... ./test/script

test-all: test ## the same, then the rules of the house, the page and the fleet against real servers
	$(GO) test -timeout $(LIMIT) ./bench/... ./packaging/... ./test/house ./test/page ./test/e2e/...
	cd fleet && $(GO) vet ./... && $(GO) test -timeout $(LIMIT) ./...

race: ## the same under the race detector
	CGO_ENABLED=1 $(GO) test -race -short -timeout $(LIMIT) ./internal/...

vet-platforms: ## the other platforms must build
	GOOS=windows $(GO) vet ./... && cd fleet && GOOS=windows $(GO) vet ./...
	GOOS=darwin $(GO) vet ./... && cd fleet && GOOS=darwin $(GO) vet ./...
	@dir=$$(mktemp -d) && for p in $$(GOOS=windows $(GO) list ./...); do \
		GOOS=windows $(GO) test -c -o "$$dir/" $$p >/dev/null || { rm -rf "$$dir"; exit 1; }; \
	done; rm -rf "$$dir"

windows-test: ## the Windows program and unit tests under Wine with a real git.exe; says so where that cannot be had
	@bash scripts/windows-test.sh

lint: vet-platforms ## formatting, linters, tidy modules, committed schema, known vulnerabilities
	@out="$$($(GO) tool -modfile=tools/gofumpt/go.mod gofumpt -l cmd internal test bench fleet)"; test -z "$$out" || { echo "gofumpt would change:"; echo "$$out"; exit 1; }
	$(GO) mod tidy -diff && cd fleet && $(GO) mod tidy -diff
	$(GO) tool -modfile=tools/golangci-lint/go.mod golangci-lint run ./...
	cd fleet && $(GO) tool -modfile=../tools/golangci-lint/go.mod golangci-lint run -c ../.golangci.yml ./...
	@sh scripts/vulncheck.sh

fmt: ## format the sources
	$(GO) tool -modfile=tools/gofumpt/go.mod gofumpt -w cmd internal test bench fleet

schema: ## write schema/*.json and the tables of docs/configuration.md from the Go types
	$(GO) test ./internal/config -run TestCommitted -update

e2e: build ## the real agents against a fake model, offline
	$(GO) test -tags e2e -count=1 -timeout 40m -v ./test/e2e/...

packages: ## build a release into dist/: archives, npm, deb, rpm, apk, Homebrew, Scoop
	$(GO) run ./packaging/release -version $(patsubst v%,%,$(VERSION)) -out dist

changelog: ## make a release of changelog/unreleased: make changelog VERSION=0.3.0 DATE=2026-11-16
	$(GO) run ./packaging/changelog -version $(VERSION) -date $(DATE)

packages-test: ## build one for this machine twice, in two directories, compare, install each way and run it
	$(GO) test -tags release -count=1 -timeout 20m -v ./packaging/release

bench: build ## measure beside peers and write bench/RESULTS.md
	$(GO) run ./bench
	$(GO) run ./bench/ahead
	$(GO) run ./bench/slots

bench-fleet: ## simulated machines against nginx and PostgreSQL; writes fleet/bench/RESULTS.md
	cd fleet && $(GO) run ./bench

sbom: build ## list the modules in the binary
	@$(GO) version -m bin/gauntlet | awk '$$1 == "path" || $$1 == "mod" || $$1 == "dep" || $$1 == "=>" || $$1 == "build"'

# A count, not a time: at the end of a time Go 1.26 can fail a target that found
# nothing, with "context deadline exceeded" (golang/go#75804).
FUZZRUNS ?= 300000

fuzz: ## fuzz every target with FUZZRUNS inputs
	@for p in $$(grep -rlE '^func Fuzz' --include='*_test.go' internal | xargs -n1 dirname | sort -u); do \
		for f in $$(grep -rhoE '^func Fuzz[A-Za-z0-9_]+' $$p/*_test.go | sed 's/^func //'); do \
			$(GO) test ./$$p -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZRUNS)x -fuzzminimizetime 10x || exit 1; \
		done; \
	done

clean: ## remove what was built
	rm -rf bin dist
