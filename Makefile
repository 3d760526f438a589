# What there is to do with this repository. `make demo` and `make test` need nothing but Go, and install the rest.

GO          ?= go
BUILD       := build
BINARY      := $(BUILD)/a2a-acp
VERSION     ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS     := -s -w -X main.version=$(VERSION)
LINT        := v2.13.2
DEADCODE    := v0.47.0
NFPM        := v2.43.0
CYCLONEDX   := v1.9.0
FUZZTIME    ?= 60s
FUZZ_RUNS   ?= 150000
FUZZ_SEED   ?= 42
SCAN_RUNS   ?= 20000
SOAK_CALLS  ?= 100000
SOAK_KILLS  ?= 2000
SOAK_RECORDS ?= 10000000
SOAK_STREAMS ?= 9800
REQUESTS    ?= 1000000
LISTEN      ?= 127.0.0.1:9999

# All is compiled as it is shipped, and so once, but for the tests with the race detector, which wants cgo. make lint has vet.
export CGO_ENABLED := 0
export GOFLAGS     ?= -trimpath
# How long the tests of a package may take. Those of the program itself took 515 s on a slow machine with two processors that
# did nothing else, and Go ends them after 600.
WITHIN      := -timeout 30m
# The race detector has a program sleep for a second at its end, and each test binary, and what it starts of itself, is one.
# It does not look at SQLite, which is C that was made into Go: tests of what is stored take twice the time with that.
RACE        := CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 $(GO) test -race -vet=off -gcflags=modernc.org/...=-race=false $(WITHIN)

# Packages whose tests are long tables, and hardly a goroutine: a sample with the race detector, and all of it without.
TABLES      := internal/config internal/render internal/secret pkg/permissions

.PHONY: all help sut build lint test test-short test-agents test-conformance conformance-server clis specs requests bench soak demo picture fuzz golden cross vet-cross dist test-dist clean

all: build lint test

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' Makefile | expand -t 14

build: ## one static binary
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BINARY) ./cmd/a2a-acp

lint: $(BUILD)/tools/golangci-lint-$(LINT) $(BUILD)/tools/deadcode-$(DEADCODE) ## gofmt, vet, staticcheck and the linters of .golangci.yml; what no program reaches
	$< run ./...
	./scripts/unreached $(BUILD)/tools/deadcode-$(DEADCODE)

$(BUILD)/tools/golangci-lint-$(LINT):
	@mkdir -p $(BUILD)/tools
	GOBIN=$(abspath $(BUILD)/tools) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT)
	mv $(BUILD)/tools/golangci-lint $@

$(BUILD)/tools/deadcode-$(DEADCODE):
	@mkdir -p $(BUILD)/tools
	GOBIN=$(abspath $(BUILD)/tools) $(GO) install golang.org/x/tools/cmd/deadcode@$(DEADCODE)
	mv $(BUILD)/tools/deadcode $@

test: ## everything but the real agents, race detector on
	./scripts/need bash git curl sqlite3 python3 perl jq gcc strace # the race detector wants a C compiler
	@A2A_SCRIPTS=doors $(RACE) $(filter-out $(addprefix github.com/a2a-acp/a2a-acp/,$(TABLES)),$(shell $(GO) list ./...))
	$(RACE) -short $(addprefix ./,$(TABLES))
	$(GO) test -vet=off $(WITHIN) $(addprefix ./,$(TABLES))
	A2A_SCRIPTS=verbs $(GO) test -vet=off $(WITHIN) -run TestScripts ./cmd/a2a-acp

test-short: ## a sample of the same tables, without the race detector: under a minute on two processors
	$(GO) test -short ./...

test-agents: build ## the real Gemini CLI, Claude and Codex adapters and opencode, against a model server of our own on loopback; with A2A_ALL_AGENTS=1 each in all scenarios
	./scripts/need node npm
	cd test/agents && npm ci --no-audit --no-fund --ignore-scripts
	$(RACE) -tags agents -count=1 -parallel 4 ./test/agents/...
	REQUIRE_STANDARD_WEBHOOKS=1 $(RACE) -count=1 -run TestStandardWebhooks ./internal/webhook

test-conformance: ## the conformance suite of MCP, three times, and clients that people use, against the MCP door; the SDKs' clients of A2A against serve; styles of HTTP tools against swagger-client and url-template, tokens against oidc-provider
	./scripts/need node npm
	cd test/conformance && npm ci --no-audit --no-fund --ignore-scripts
	$(GO) test $(WITHIN) -tags conformance -count=1 ./test/conformance/...

conformance-server: ## what that suite is run against, at LISTEN=HOST:PORT
	$(GO) run ./test/conformance/server -listen $(or $(LISTEN),127.0.0.1:8643)

clis: ## import cli against real programs, built from their modules; CLIS="NAME=FILE …" has more: 98 % of their flags, and 1 % of types wrong
	$(GO) run ./test/clis -dir $(BUILD)/clis kubectl helm hugo golangci-lint etcdctl $(CLIS)

specs: ## import openapi against GitHub's documents, readme's, Kubernetes' and a directory of public APIs: what becomes tools, what does not, and why; and what kin-openapi reads of them
	$(GO) run ./test/specs -dir $(BUILD)/specs
	A2A_SPECS=$(abspath $(BUILD)/specs):$$($(GO) env GOMODCACHE)/k8s.io/kubernetes@v1.36.3/api/openapi-spec/swagger.json $(GO) test -count=1 -timeout 0 -tags oracle -v -run TestOracle ./internal/openapi

requests: ## REQUESTS made-up requests of HTTP tools, read by Go, node and Python, and by Go behind nginx and Apache: each value in its place, or nothing sent
	./scripts/need node python3 nginx apache2
	REQUIRE_SERVERS=1 A2A_REQUEST_RUNS=$(REQUESTS) $(GO) test -count=1 -timeout 0 -v -run TestEveryValueInItsPlace ./internal/request

bench: build ## ratios against a floor measured in the same run; also build/bench.json
	-./scripts/need bwrap curl npm # its rows say so where one is missing
	-$(GO) run ./test/specs -dir $(BUILD)/specs -most 1 github >/dev/null # the document that is imported
	$(GO) run ./internal/bench -bin $(BINARY) -o $(BUILD)/bench.json

soak: build ## SOAK_CALLS calls in the sandbox, 64 at a time, with the race detector: nothing crashes, nothing is left; each attack on each level as each caller; and of programs: no value arrives changed; SOAK_KILLS kills of what records; a record of SOAK_RECORDS lines; SOAK_STREAMS clients that follow an A2A task
	A2A_SOAK=$(SOAK_CALLS) $(RACE) -count=1 -timeout 0 -run TestSoak ./pkg/sandbox
	A2A_ATTACKS=all $(GO) test -count=1 -timeout 0 -run TestAttacks ./pkg/sandbox
	A2A_SOAK=$(SOAK_CALLS) $(GO) test -count=1 -timeout 0 -v -run TestRandomCalls ./internal/argv
	A2A_SOAK_KILLS=$(SOAK_KILLS) $(GO) test -count=1 -timeout 0 -v -run 'TestKilledWhole|TestKilledMCP|TestKilledHTTP' ./cmd/a2a-acp
	A2A_SOAK_KILLS=$(SOAK_KILLS) $(GO) test -count=1 -timeout 0 -run TestKilledAnywhere ./internal/audit
	$(GO) run ./internal/bench -bin $(BINARY) -only record -records $(SOAK_RECORDS) -o $(BUILD)/soak-record.json
	A2A_SOAK_KILLS=$(SOAK_KILLS) $(GO) test -count=1 -timeout 0 -v -run TestKilled ./pkg/a2a
	A2A_SOAK_STREAMS=$(SOAK_STREAMS) $(GO) test -count=1 -timeout 0 -v -run TestCrowd ./pkg/a2a

demo: build ## the main job, offline, as a story
	$(GO) build -o $(BUILD)/demo ./internal/demo
	$(BUILD)/demo -bin $(BINARY) -picture README.md

sut: ## serves the scenarios of the suites for A2A servers at LISTEN
	$(GO) build -o $(BUILD)/sut ./internal/sut
	$(BUILD)/sut -listen $(LISTEN)

picture: build ## the picture in README.md: a card and a summary of the demo; make demo checks it
	$(GO) build -o $(BUILD)/demo ./internal/demo
	$(BUILD)/demo -bin $(BINARY) -picture README.md -write >/dev/null

fuzz: ## every fuzz target for FUZZTIME each, and real bash: about 7 × FUZZ_RUNS values in templates, SCAN_RUNS scripts
	A2A_FUZZ_RUNS=$(FUZZ_RUNS) A2A_FUZZ_SEED=$(FUZZ_SEED) $(GO) test -run 'Hostile|Random|SeedWords|SeedFiles' -timeout 0 -v ./internal/render
	A2A_FUZZ_RUNS=$(SCAN_RUNS) $(GO) test -run BashRuns -timeout 0 ./internal/shellscan
	A2A_FUZZ_RUNS=$(SCAN_RUNS) $(GO) test -run ApprovedCommands -timeout 0 ./pkg/permissions
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5s $$pkg || exit 1; \
		done; \
	done

golden: ## write what the tests compare with anew; read the diff before you commit it
	$(GO) test ./internal/command ./pkg/acp ./internal/config -update

cross: vet-cross ## every platform that the program is for, and vet-cross
	@for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64; do \
		echo $$target; \
		GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) build -trimpath -o $(BUILD)/a2a-acp-$${target%/*}-$${target#*/} ./cmd/a2a-acp || exit 1; \
	done

vet-cross: ## vet where the sources of other platforms differ; the system call tables of arm64
	./scripts/vet-elsewhere linux/arm64
	GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	./scripts/need qemu-aarch64-static # the tables of system calls are each architecture's own
	GOARCH=arm64 $(GO) test -exec qemu-aarch64-static -run 'TestFilter' ./pkg/sandbox

dist: $(BUILD)/tools/nfpm-$(NFPM)/nfpm $(BUILD)/tools/cyclonedx-gomod-$(CYCLONEDX)/cyclonedx-gomod ## what a release consists of, in build/dist: archives, deb, rpm, npm, formula, flake, SBOMs
	./scripts/need jq npm
	mkdir -p $(BUILD)/tools/dist
	ln -sf $(foreach tool,$^,$(abspath $(tool))) $(BUILD)/tools/dist
	VERSION=$(VERSION) ./scripts/dist $(BUILD)/dist $(BUILD)/tools/dist

test-dist: dist ## installs and uses all that, and builds it once more: the bytes are the same
	./scripts/need fakeroot bsdtar
	VERSION=$(VERSION) ./scripts/test-dist $(BUILD)/dist $(BUILD)/tools/dist

$(BUILD)/tools/nfpm-$(NFPM)/nfpm:
	GOBIN=$(abspath $(@D)) $(GO) install github.com/goreleaser/nfpm/v2/cmd/nfpm@$(NFPM)

$(BUILD)/tools/cyclonedx-gomod-$(CYCLONEDX)/cyclonedx-gomod:
	GOBIN=$(abspath $(@D)) $(GO) install github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$(CYCLONEDX)

clean:
	rm -rf $(BUILD)
