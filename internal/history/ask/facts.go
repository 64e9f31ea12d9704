package ask

import (
	"bytes"
	"cmp"
	"context"
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"gauntlet/internal/event"
)

// The columns that DB.Facts hands over, in this order.
const (
	colSeq = iota
	colType
	colID
	colAt
	colProject
	colAgent
	colSession
	colModel
	colClient
	colStatus
	colBlocked
	colWould
	colMode
	colGate
	colKind
	colSource
	colCached
	colFlaky
	colLabel
	colNoTest // a gate ran no test; of a verdict: tests or linters were weakened
	colMS
	colSaved
	colMachine
	colPerson
	colKey
	colTurn
	colTokens // -1: not measured
	colAgreed // 1, 0; -1: the agent's word was not checked
	colLimit  // of a gate's run time in ms; 0: none
	colOutcome
	colBadges // as JSON
	colRepository
)

// FactColumns names them for a SELECT, but for the first, the position.
const FactColumns = "type, id, at, project, agent, session, model, client, status, blocked, would, mode, gate, kind, source, cached, flaky, label, notest, ms, saved, machine, person, key, turn, tokens, agreed, time_limit, outcome, badges, repository"

// OutcomeOf is the outcome of a stop in SQL: the recorded one, or what follows from the rest
// of an older record. Runs by hand have none.
func OutcomeOf(recorded string) string {
	return "coalesce(nullif(" + recorded + ", ''), CASE WHEN type <> 'verdict' OR source = 'run' THEN '' WHEN blocked = 1 THEN 'sent back' " +
		"WHEN would = 1 OR status IN ('retry_limit_exceeded', 'asked', 'known_failures', 'stop_hook_active') THEN 'let go unfixed' " +
		"WHEN status IN ('passed', 'passed_with_warnings') THEN 'passed' ELSE 'not checked' END)"
}

// name is an interned string: a few hundred names, hundreds of thousands of records.
// Should a history have more names than fit, the rest counts as not recorded.
type name uint16

type names struct {
	of   map[string]name
	list []string
}

func (n *names) intern(b []byte) name {
	if id, ok := n.of[string(b)]; ok {
		return id
	}
	if len(n.list) > math.MaxUint16 {
		return 0
	}
	id := name(len(n.list)) //nolint:gosec // it fits
	n.of[string(b)], n.list = id, append(n.list, string(b))
	return id
}

func (n *names) find(s string) (name, bool) {
	id, ok := n.of[s]
	return id, ok
}

// verdict is a judged stop or a run by hand. No field is a pointer: the collector
// has nothing to look at.
type verdict struct {
	at                     int64
	id, session, turn      uint64 // hashes
	tokens                 int64  // used by its turn so far; -1: not measured
	seq                    int64  // its position
	project, repository    name
	agent                  name
	model, client          name
	machine, person        name
	status, outcome        name
	badges                 uint8 // one bit each, in the order of event.Badges
	byHand, blocked, would bool
	weakened               bool // tests or linters, in its turn
	// ghost: gates of it are known and it is not, because it is older than what is
	// kept. It counts for nothing.
	ghost bool
	label outcome
	// followed is what the agent's log shows about a block that no gate decided.
	followed outcome
}

// gateRun is one gate of a verdict.
type gateRun struct {
	of                   int32 // the verdict
	ms, saved, limit     float32
	key                  uint64 // hash of gate and key, 0: not known
	gate                 name
	status, mode         name
	kind, source         name
	slot                 uint16 // of project and gate
	cached, flaky, would bool
	noTest               bool
	agreed               int8
	outcome              outcome // of a failure
}

// Facts are what sums are made of, in memory. They are used by one goroutine at a
// time.
type Facts struct {
	db       DB
	seed     maphash.Seed
	names    names
	verdicts []verdict
	gates    []gateRun
	byID     map[uint64]int32 // verdict by machine and id
	early    map[uint64]outcome
	order    []int32 // verdicts by time
	first    perVerdict
	// next and prev are the session's stops around each verdict, -1 for none.
	next, prev []int32
	slots      map[gateID]uint16
	failed     map[uint64]bool  // contents on which a gate failed at some time
	reasons    map[int32]string // by verdict: why its followed is what it is
	last       int64            // position
	seen       map[int64]bool
	stale      bool // order and outcomes are to be made again
}

// maxFacts bounds what is kept in memory: 200 MB, for the history of a large fleet.
const maxFacts = 2_000_000

// NewFacts is empty until it is refreshed.
func NewFacts(db DB) *Facts {
	f := &Facts{db: db, seed: maphash.MakeSeed()}
	f.reset()
	return f
}

// Load reads all facts of a database.
func Load(ctx context.Context, db DB) (*Facts, error) {
	f := NewFacts(db)
	return f, f.Refresh(ctx)
}

func (f *Facts) reset() {
	f.names = names{of: map[string]name{}}
	f.names.intern(nil)
	f.verdicts, f.gates, f.order = nil, nil, nil
	f.slots = map[gateID]uint16{}
	f.byID, f.early, f.seen, f.reasons = map[uint64]int32{}, map[uint64]outcome{}, map[int64]bool{}, map[int32]string{}
	f.last = 0
}

// Refresh reads what is new.
func (f *Facts) Refresh(ctx context.Context) error {
	late := f.db.Late()
	fresh := len(f.verdicts) == 0
	err := f.db.Facts(ctx, max(f.last-late, 0), func(r Row) {
		seq := r.Int(colSeq)
		if late > 0 {
			if f.seen[seq] {
				return
			}
			f.seen[seq] = true
		}
		f.last, f.stale = max(f.last, seq), true
		if len(f.gates) < maxFacts && len(f.verdicts) < maxFacts {
			f.add(r)
		}
	})
	for seq := range f.seen {
		if seq < f.last-late {
			delete(f.seen, seq)
		}
	}
	if fresh { // what growing left over is a third
		f.verdicts, f.gates = slices.Clone(f.verdicts), slices.Clone(f.gates)
	}
	if f.stale {
		f.sortAndJudge()
	}
	return err
}

func (f *Facts) hash(parts ...[]byte) uint64 {
	var h maphash.Hash
	h.SetSeed(f.seed)
	for _, p := range parts {
		_, _ = h.Write(p) // never fails
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

func (f *Facts) add(r Row) {
	id := f.hash(r.Bytes(colMachine), r.Bytes(colID))
	text := func(col int) name { return f.names.intern(r.Bytes(col)) }
	switch string(r.Bytes(colType)) {
	case "verdict":
		v := verdict{
			at: r.Int(colAt), id: id, tokens: r.Int(colTokens), project: text(colProject), agent: text(colAgent), model: text(colModel),
			machine: text(colMachine), person: text(colPerson), status: text(colStatus), byHand: string(r.Bytes(colSource)) == "run",
			blocked: r.Int(colBlocked) != 0, would: r.Int(colWould) != 0, label: f.early[id], weakened: r.Int(colNoTest) != 0,
			outcome: text(colOutcome), badges: badgesIn(r.Bytes(colBadges)), repository: text(colRepository), seq: r.Int(colSeq),
		}
		if version := r.Bytes(colClient); len(version) > 0 { // versions of different agents must not mix
			v.client = f.names.intern([]byte(strings.TrimSpace(r.Text(colAgent) + " " + string(version))))
		}
		if s := r.Bytes(colSession); len(s) > 0 {
			v.session = f.hash(r.Bytes(colMachine), s)
			v.turn = f.hash(r.Bytes(colMachine), s, r.Bytes(colTurn))
		}
		if i, known := f.byID[id]; known {
			if f.verdicts[i].ghost {
				f.verdicts[i] = v
			}
			return
		}
		f.keep(v)
	case "gate":
		of, known := f.byID[id]
		if !known {
			of = f.keep(verdict{id: id, ghost: true, at: r.Int(colAt), tokens: -1, project: text(colProject), repository: text(colRepository), machine: text(colMachine), person: text(colPerson)})
		}
		g := gateRun{
			of: of, ms: float32(r.Float(colMS)), saved: float32(r.Float(colSaved)), limit: float32(r.Float(colLimit)), gate: text(colGate), status: text(colStatus), mode: text(colMode), kind: text(colKind), source: text(colSource),
			cached: r.Int(colCached) != 0, flaky: r.Int(colFlaky) != 0, would: r.Int(colWould) != 0, noTest: r.Int(colNoTest) != 0, agreed: int8(r.Int(colAgreed)), //nolint:gosec // -1, 0 or 1
		}
		at := gateID{f.verdicts[of].repository, g.gate}
		slot, known := f.slots[at]
		if !known {
			slot = uint16(min(len(f.slots), math.MaxUint16)) //nolint:gosec // it fits
			f.slots[at] = slot
		}
		g.slot = slot
		if key := r.Bytes(colKey); len(key) > 0 {
			g.key = f.hash(r.Bytes(colMachine), r.Bytes(colProject), r.Bytes(colGate), key)
		}
		f.gates = append(f.gates, g)
	case "meaning":
		if i, known := f.byID[id]; known {
			f.verdicts[i].badges |= badgesIn(r.Bytes(colBadges))
		}
	case "label":
		word := outcomeOf(r.Bytes(colLabel))
		if i, known := f.byID[id]; known && !f.verdicts[i].ghost {
			f.verdicts[i].label = word
			return
		}
		f.early[id] = word // of a replayed stop, or of a verdict that arrives late
	}
}

func (f *Facts) keep(v verdict) int32 {
	i := int32(len(f.verdicts)) //nolint:gosec // below maxFacts
	f.byID[v.id], f.verdicts = i, append(f.verdicts, v)
	return i
}

// sortAndJudge brings the verdicts into the order of time and says what became of
// failures.
func (f *Facts) sortAndJudge() {
	f.stale = false
	for i := len(f.order); i < len(f.verdicts); i++ {
		f.order = append(f.order, int32(i)) //nolint:gosec // below maxFacts
	}
	slices.SortStableFunc(f.order, func(a, b int32) int { return cmp.Compare(f.verdicts[a].at, f.verdicts[b].at) })
	f.first = f.gatesByVerdict()
	f.judge()
	f.next, f.prev = make([]int32, len(f.verdicts)), make([]int32, len(f.verdicts))
	later := map[uint64]int32{}
	for _, i := range slices.Backward(f.order) {
		f.next[i], f.prev[i] = -1, -1
		v := &f.verdicts[i]
		if v.session == 0 || v.byHand {
			continue
		}
		if n, known := later[v.session]; known {
			f.next[i], f.prev[n] = n, i
		}
		later[v.session] = i
	}
}

// selection are the verdicts that a filter leaves.
type selection struct {
	f  *Facts
	in []bool // by verdict
}

// chosen applies a filter. Gate narrows to verdicts that have it.
func (f *Facts) chosen(by Filter) selection {
	in := make([]bool, len(f.verdicts))
	var projects []name
	for _, p := range by.Projects {
		if id, ok := f.names.find(p); ok {
			projects = append(projects, id)
		}
	}
	since := int64(math.MinInt64)
	if !by.Since.IsZero() {
		since = by.Since.UnixMicro()
	}
	wanted := func(s string) (name, bool) {
		if s == "" {
			return 0, true
		}
		return f.names.find(s)
	}
	agent, ok1 := wanted(by.Agent)
	status, ok2 := wanted(by.Status)
	outcome, ok5 := wanted(by.Outcome)
	badge := badgesIn([]byte(`"` + by.Badge + `"`))
	machine, ok3 := wanted(by.Machine)
	person, ok4 := wanted(by.Person)
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || by.Badge != "" && badge == 0 || len(by.Projects) > 0 && len(projects) == 0 {
		return selection{f, in}
	}
	unchecked := f.names.intern([]byte(event.OutcomeNotChecked))
	var nothing []name
	for _, s := range nothingToCheck() {
		nothing = append(nothing, f.names.intern([]byte(s)))
	}
	for i := range f.verdicts {
		v := &f.verdicts[i]
		in[i] = v.at >= since && (!by.Blocked || v.blocked) && (agent == 0 || v.agent == agent) && (status == 0 || v.status == status) &&
			(outcome == 0 || v.outcome == outcome) && v.badges&badge == badge &&
			(machine == 0 || v.machine == machine) && (person == 0 || v.person == person) && (len(projects) == 0 || slices.Contains(projects, v.project) || slices.Contains(projects, v.repository)) &&
			(!by.Checked || by.Status != "" || by.Outcome != "" || v.outcome != unchecked || !slices.Contains(nothing, v.status))
	}
	if by.Gate == Checkpoint {
		for i := range in {
			in[i] = in[i] && (f.name(f.verdicts[i].status) == Checkpoint || f.onlyCheckpointWould(int32(i))) //nolint:gosec // below maxFacts
		}
		return selection{f, in}
	}
	if by.Gate != "" {
		gate, _ := f.names.find(by.Gate)
		has := make([]bool, len(f.verdicts))
		for i := range f.gates {
			if gate != 0 && f.gates[i].gate == gate {
				has[f.gates[i].of] = true
			}
		}
		for i := range in {
			in[i] = in[i] && has[i]
		}
	}
	return selection{f, in}
}

// badgesIn reads a list of badges in JSON as bits.
func badgesIn(list []byte) (bits uint8) {
	if len(list) == 0 {
		return 0
	}
	for i, b := range event.Badges() {
		if bytes.Contains(list, []byte(`"`+string(b)+`"`)) {
			bits |= 1 << i
		}
	}
	return bits
}

func (f *Facts) name(n name) string { return f.names.list[n] }
