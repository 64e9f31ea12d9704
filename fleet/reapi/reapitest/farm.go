//go:build unix

// Package reapitest is a build farm of one machine for tests: it speaks the
// Remote Execution API on the official protos, keeps blobs in memory, and really
// runs the commands, in a directory made of the inputs it was sent.
package reapitest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	longrunning "cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	bspb "google.golang.org/genproto/googleapis/bytestream"
	rpcstatus "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Farm is the server. Its fields may be set before Start.
type Farm struct {
	repb.UnimplementedContentAddressableStorageServer
	repb.UnimplementedExecutionServer
	bspb.UnimplementedByteStreamServer
	longrunning.UnimplementedOperationsServer

	Refuse     error         // every Execute fails with it
	LoseStream int           // this many Execute streams break after the operation was named
	Lie        bool          // answers without a result
	Name       chan struct{} // if not nil, an operation is named only when something is sent here
	Asked      chan struct{} // if not nil, receives a value with every Execute
	InlineMax  int           // output longer than this goes into the CAS

	IgnoreTimeout bool // a command runs until it ends or its client leaves
	Silent        bool // accepts calls and never answers
	TakesNothing  bool // never answers an upload
	Queue         bool // no worker ever begins
	Idle          bool // says that every command succeeded, and runs none
	Stream        bool // the output can be read while the command runs

	mu        sync.Mutex
	blobs     map[string][]byte
	lookups   int
	uploads   int
	cancelled []string
	asked     int
	started   int
	results   map[string]*longrunning.Operation
	outputs   map[string]*growing
	dir       string
}

// Start serves on loopback until the test ends and returns the address.
func (f *Farm) Start(t testing.TB) string {
	t.Helper()
	f.blobs, f.results, f.dir = map[string][]byte{}, map[string]*longrunning.Operation{}, t.TempDir()
	f.outputs = map[string]*growing{}
	f.InlineMax = cmp.Or(f.InlineMax, 1<<10)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	repb.RegisterContentAddressableStorageServer(s, f)
	repb.RegisterExecutionServer(s, f)
	bspb.RegisterByteStreamServer(s, f)
	longrunning.RegisterOperationsServer(s, f)
	go s.Serve(l)
	t.Cleanup(s.Stop)
	return l.Addr().String()
}

// Lookups is how often a client asked which blobs are missing.
func (f *Farm) Lookups() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lookups
}

// Uploads is how many blobs were sent.
func (f *Farm) Uploads() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.uploads
}

// Started is how many commands have begun.
func (f *Farm) Started() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.started
}

// Cancelled lists the operations that were cancelled.
func (f *Farm) Cancelled() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cancelled
}

func (f *Farm) get(d *repb.Digest) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.blobs[d.GetHash()]
}

func (f *Farm) put(b []byte) *repb.Digest {
	sum := sha256.Sum256(b)
	d := &repb.Digest{Hash: hex.EncodeToString(sum[:]), SizeBytes: int64(len(b))}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blobs[d.GetHash()] = b
	return d
}

// FindMissingBlobs implements the protocol.
func (f *Farm) FindMissingBlobs(ctx context.Context, r *repb.FindMissingBlobsRequest) (*repb.FindMissingBlobsResponse, error) {
	f.mu.Lock()
	f.lookups++
	f.mu.Unlock()
	if f.Silent {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	out := &repb.FindMissingBlobsResponse{}
	for _, d := range r.GetBlobDigests() {
		if f.get(d) == nil {
			out.MissingBlobDigests = append(out.MissingBlobDigests, d)
		}
	}
	return out, nil
}

// BatchUpdateBlobs implements the protocol.
func (f *Farm) BatchUpdateBlobs(ctx context.Context, r *repb.BatchUpdateBlobsRequest) (*repb.BatchUpdateBlobsResponse, error) {
	if f.TakesNothing {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	out := &repb.BatchUpdateBlobsResponse{}
	for _, b := range r.GetRequests() {
		st := &rpcstatus.Status{}
		if got := f.put(b.GetData()); got.GetHash() != b.GetDigest().GetHash() {
			st = &rpcstatus.Status{Code: int32(codes.InvalidArgument), Message: "hash does not match"}
		}
		f.mu.Lock()
		f.uploads++
		f.mu.Unlock()
		out.Responses = append(out.Responses, &repb.BatchUpdateBlobsResponse_Response{Digest: b.GetDigest(), Status: st})
	}
	return out, nil
}

// Write implements the upload of large blobs.
func (f *Farm) Write(s bspb.ByteStream_WriteServer) error {
	if f.TakesNothing {
		<-s.Context().Done()
		return s.Context().Err()
	}
	var all bytes.Buffer
	name := ""
	for {
		part, err := s.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		name = part.GetResourceName()
		all.Write(part.GetData())
		if part.GetFinishWrite() {
			break
		}
	}
	words := strings.Split(name, "/")
	if d := f.put(all.Bytes()); len(words) < 2 || words[len(words)-2] != d.GetHash() {
		return status.Error(codes.InvalidArgument, "hash does not match")
	}
	f.mu.Lock()
	f.uploads++
	f.mu.Unlock()
	return s.SendAndClose(&bspb.WriteResponse{CommittedSize: int64(all.Len())})
}

// growing is the output of a command that runs.
type growing struct {
	mu    sync.Mutex
	grown *sync.Cond
	text  []byte
	ended bool
}

func newGrowing() *growing {
	g := &growing{}
	g.grown = sync.NewCond(&g.mu)
	return g
}

// Write implements io.Writer.
func (g *growing) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.text = append(g.text, p...)
	g.grown.Broadcast()
	return len(p), nil
}

func (g *growing) end() []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	g.grown.Broadcast()
	return g.text
}

// from waits for output after the first at bytes; nil when there will be none.
func (g *growing) from(at int) []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.text) == at && !g.ended {
		g.grown.Wait()
	}
	return bytes.Clone(g.text[at:])
}

// Read implements the download of large blobs, and of output that still grows.
func (f *Farm) Read(r *bspb.ReadRequest, s bspb.ByteStream_ReadServer) error {
	f.mu.Lock()
	output := f.outputs[r.GetResourceName()]
	f.mu.Unlock()
	if output != nil {
		for at := 0; ; {
			part := output.from(at)
			if len(part) == 0 {
				return nil
			}
			at += len(part)
			if err := s.Send(&bspb.ReadResponse{Data: part}); err != nil {
				return err
			}
		}
	}
	words := strings.Split(r.GetResourceName(), "/")
	b := f.get(&repb.Digest{Hash: words[len(words)-2]})
	if b == nil {
		return status.Error(codes.NotFound, "no such blob")
	}
	for at := int(r.GetReadOffset()); at < len(b); at += 1 << 16 {
		if err := s.Send(&bspb.ReadResponse{Data: b[at:min(at+1<<16, len(b))]}); err != nil {
			return err
		}
	}
	return nil
}

// Execute runs the action.
func (f *Farm) Execute(r *repb.ExecuteRequest, s repb.Execution_ExecuteServer) error {
	if f.Refuse != nil {
		return f.Refuse
	}
	if f.Asked != nil {
		f.Asked <- struct{}{}
	}
	if f.Name != nil {
		<-f.Name
	}
	f.mu.Lock()
	f.asked++
	name := "operations/" + r.GetActionDigest().GetHash()[:12] + "-" + strconv.Itoa(f.asked)
	f.mu.Unlock()
	if err := f.stage(s, name, repb.ExecutionStage_QUEUED); err != nil {
		return err
	}
	if f.Queue {
		<-s.Context().Done()
		return s.Context().Err()
	}
	f.mu.Lock()
	f.outputs["log of "+name] = newGrowing()
	f.mu.Unlock()
	if err := f.stage(s, name, repb.ExecutionStage_EXECUTING); err != nil {
		return err
	}
	op := f.execute(s.Context(), name, r.GetActionDigest())
	f.mu.Lock()
	f.results[name] = op
	lose := f.LoseStream > 0
	f.LoseStream--
	f.mu.Unlock()
	if lose {
		return status.Error(codes.Unavailable, "worker went away")
	}
	return s.Send(op)
}

// stage reports how far an operation is.
func (f *Farm) stage(s repb.Execution_ExecuteServer, name string, stage repb.ExecutionStage_Value) error {
	said := &repb.ExecuteOperationMetadata{Stage: stage}
	if f.Stream && stage == repb.ExecutionStage_EXECUTING {
		said.StdoutStreamName = "log of " + name
	}
	any, err := anypb.New(said)
	if err != nil {
		return err
	}
	return s.Send(&longrunning.Operation{Name: name, Metadata: any})
}

// WaitExecution returns the result of a stream that was lost.
func (f *Farm) WaitExecution(r *repb.WaitExecutionRequest, s repb.Execution_WaitExecutionServer) error {
	f.mu.Lock()
	op := f.results[r.GetName()]
	f.mu.Unlock()
	if op == nil {
		return status.Error(codes.NotFound, "no such operation")
	}
	return s.Send(op)
}

func (f *Farm) execute(ctx context.Context, name string, action *repb.Digest) *longrunning.Operation {
	res, err := f.run(ctx, name, action)
	if err != nil {
		return &longrunning.Operation{Name: name, Done: true, Result: &longrunning.Operation_Error{Error: status.Convert(err).Proto()}}
	}
	if f.Lie {
		res = &repb.ExecuteResponse{}
	}
	any, err := anypb.New(res)
	if err != nil {
		return &longrunning.Operation{Name: name, Done: true, Result: &longrunning.Operation_Error{Error: status.Convert(err).Proto()}}
	}
	return &longrunning.Operation{Name: name, Done: true, Result: &longrunning.Operation_Response{Response: any}}
}

func (f *Farm) run(ctx context.Context, name string, d *repb.Digest) (*repb.ExecuteResponse, error) {
	var action repb.Action
	var cmd repb.Command
	if err := errors.Join(proto.Unmarshal(f.get(d), &action), proto.Unmarshal(f.get(action.GetCommandDigest()), &cmd)); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	work, err := os.MkdirTemp(f.dir, "job")
	if err != nil {
		return nil, err
	}
	if err := f.materialise(action.GetInputRootDigest(), work); err != nil {
		return nil, status.Error(codes.FailedPrecondition, err.Error())
	}
	if !f.IgnoreTimeout {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, action.GetTimeout().AsDuration())
		defer cancel()
	}
	c := exec.CommandContext(ctx, cmd.GetArguments()[0], cmd.GetArguments()[1:]...)
	if f.Idle {
		c = exec.CommandContext(ctx, "true")
	}
	c.Dir, c.Env = filepath.Join(work, cmd.GetWorkingDirectory()), []string{"PATH=" + os.Getenv("PATH")}
	for _, e := range cmd.GetEnvironmentVariables() {
		c.Env = append(c.Env, e.GetName()+"="+e.GetValue())
	}
	for _, p := range action.GetPlatform().GetProperties() {
		c.Env = append(c.Env, "PLATFORM_"+p.GetName()+"="+p.GetValue())
	}
	f.mu.Lock()
	f.started++
	output := f.outputs["log of "+name]
	f.mu.Unlock()
	c.WaitDelay = 10 * time.Second // for a process that the command left behind with its output open; a busy machine needs time to drain it
	c.Stdout, c.Stderr = output, output
	err = c.Run()
	out := output.end()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, status.Error(codes.Internal, err.Error())
	}
	res := &repb.ActionResult{ExitCode: int32(c.ProcessState.ExitCode()), ExecutionMetadata: &repb.ExecutedActionMetadata{Worker: "worker-" + strconv.Itoa(1)}}
	if len(out) > f.InlineMax {
		res.StdoutDigest = f.put(out)
	} else {
		res.StdoutRaw = out
	}
	answer := &repb.ExecuteResponse{Result: res}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		answer.Status = &rpcstatus.Status{Code: int32(codes.DeadlineExceeded), Message: "timeout"}
	}
	return answer, nil
}

func (f *Farm) materialise(d *repb.Digest, to string) error {
	var dir repb.Directory
	if err := proto.Unmarshal(f.get(d), &dir); err != nil {
		return err
	}
	for _, n := range dir.GetFiles() {
		mode := os.FileMode(0o644)
		if n.GetIsExecutable() {
			mode = 0o755
		}
		if err := os.WriteFile(filepath.Join(to, n.GetName()), f.get(n.GetDigest()), mode); err != nil {
			return err
		}
	}
	for _, n := range dir.GetSymlinks() {
		if err := os.Symlink(n.GetTarget(), filepath.Join(to, n.GetName())); err != nil {
			return err
		}
	}
	for _, n := range dir.GetDirectories() {
		sub := filepath.Join(to, n.GetName())
		if err := errors.Join(os.Mkdir(sub, 0o755), f.materialise(n.GetDigest(), sub)); err != nil {
			return err
		}
	}
	return nil
}

// CancelOperation records that a job was cancelled.
func (f *Farm) CancelOperation(_ context.Context, r *longrunning.CancelOperationRequest) (*emptypb.Empty, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancelled = append(f.cancelled, r.GetName())
	return &emptypb.Empty{}, nil
}
