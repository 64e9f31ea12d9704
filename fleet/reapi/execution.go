package reapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	longrunning "cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	bspb "google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// lostStreams is how often a broken stream is resumed.
const lostStreams = 3

// cancelGrace is how long to wait for the name of a job that is cancelled right after its
// start: without its name it cannot be cancelled at the farm.
const cancelGrace = time.Second

// errQueued means that no worker began in time.
var errQueued = errors.New("no worker of the farm began in time")

// errOverrun means that the farm did not end the command when its time was over.
var errOverrun = errors.New("the command took too long")

// execution is one command at the farm.
type execution struct {
	farm  *Farm
	limit time.Duration
	log   *output

	stop    context.CancelCauseFunc
	timer   *time.Timer // calls stop when the farm takes too long
	queued  bool        // the farm has said so
	began   bool        // a worker has begun
	streams [2]*stream  // of the two outputs
	reading sync.WaitGroup

	mu   sync.Mutex
	name string // of the operation, "" until the farm has named it
}

// run executes the action and copies its output. When ctx ends, or the farm takes too long,
// the job is cancelled at the farm.
func (e *execution) run(ctx context.Context, action *repb.Digest) (Result, error) {
	var work context.Context
	work, e.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	defer e.reading.Wait()
	defer e.stop(nil)
	defer context.AfterFunc(ctx, func() {
		if e.operation() == "" {
			time.Sleep(cancelGrace)
		}
		e.stop(context.Cause(ctx))
	})()
	// Until the farm says whether the job waits or runs, it may do either.
	e.expire(e.limit+e.farm.wait.Overrun, errQueued)
	res, err := e.follow(work, action)
	e.timer.Stop()
	if cause := context.Cause(work); cause != nil {
		if name := e.operation(); name != "" {
			e.farm.cancel(context.WithoutCancel(ctx), name)
		}
		if errors.Is(cause, errOverrun) {
			return Result{TimedOut: true}, nil
		}
		return Result{}, cause
	}
	if err != nil {
		return Result{}, err
	}
	return e.finish(work, res)
}

// expire ends the job for a reason after a time, instead of the one set before.
func (e *execution) expire(after time.Duration, why error) {
	if e.timer != nil {
		e.timer.Stop()
	}
	e.timer = time.AfterFunc(after, func() { e.stop(why) })
}

func (e *execution) operation() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.name
}

// follow starts the action and waits for its end. A stream that breaks is resumed.
func (e *execution) follow(ctx context.Context, action *repb.Digest) (*repb.ExecuteResponse, error) {
	client := repb.NewExecutionClient(e.farm.conn)
	ops, err := client.Execute(ctx, &repb.ExecuteRequest{InstanceName: e.farm.instance, ActionDigest: action, SkipCacheLookup: true})
	for lost := 0; err == nil; {
		var op *longrunning.Operation
		op, err = ops.Recv()
		switch {
		case err == nil && op.GetDone():
			e.named(op)
			return response(op)
		case err == nil:
			e.named(op)
			e.progress(ctx, op)
		case e.operation() == "" || lost == lostStreams || status.Code(err) != codes.Unavailable && !errors.Is(err, io.EOF):
			return nil, err
		default:
			lost++
			ops, err = client.WaitExecution(ctx, &repb.WaitExecutionRequest{Name: e.operation()})
		}
	}
	return nil, err
}

func (e *execution) named(op *longrunning.Operation) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.name = op.GetName()
}

// progress adapts how long to wait to what the farm says, and begins to copy the output.
func (e *execution) progress(ctx context.Context, op *longrunning.Operation) {
	var said repb.ExecuteOperationMetadata
	if op.GetMetadata() == nil || op.GetMetadata().UnmarshalTo(&said) != nil {
		return
	}
	switch said.GetStage() {
	case repb.ExecutionStage_CACHE_CHECK, repb.ExecutionStage_QUEUED:
		if !e.queued && !e.began {
			e.queued = true
			e.expire(e.farm.wait.Queue, errQueued)
		}
	case repb.ExecutionStage_EXECUTING:
		if !e.began {
			e.began = true
			e.expire(e.limit+e.farm.wait.Overrun, errOverrun)
		}
	case repb.ExecutionStage_UNKNOWN, repb.ExecutionStage_COMPLETED:
	}
	for i, name := range []string{said.GetStdoutStreamName(), said.GetStderrStreamName()} {
		if name != "" && e.streams[i] == nil {
			e.streams[i] = &stream{}
			e.reading.Go(func() { e.streams[i].copied, _ = e.farm.read(ctx, name, 0, e.log) }) // the rest comes with the result
		}
	}
}

// stream is output that is copied while the command runs.
type stream struct{ copied int64 }

// cancel asks the farm to end the job; its answer does not matter.
func (f *Farm) cancel(ctx context.Context, operation string) {
	ctx, done := context.WithTimeout(ctx, time.Second)
	defer done()
	_, _ = longrunning.NewOperationsClient(f.conn).CancelOperation(ctx, &longrunning.CancelOperationRequest{Name: operation})
}

func response(op *longrunning.Operation) (*repb.ExecuteResponse, error) {
	if e := op.GetError(); e != nil {
		return nil, status.Error(codes.Code(e.GetCode()), e.GetMessage())
	}
	res := &repb.ExecuteResponse{}
	if err := op.GetResponse().UnmarshalTo(res); err != nil {
		return nil, fmt.Errorf("the farm's answer: %w", err)
	}
	return res, nil
}

// finish copies the output that was not streamed and reads how the job ended.
func (e *execution) finish(ctx context.Context, res *repb.ExecuteResponse) (Result, error) {
	r := res.GetResult()
	out := Result{ExitCode: int(r.GetExitCode()), Worker: r.GetExecutionMetadata().GetWorker()}
	if st := res.GetStatus(); st != nil && codes.Code(st.GetCode()) != codes.OK {
		if codes.Code(st.GetCode()) != codes.DeadlineExceeded {
			return out, status.Error(codes.Code(st.GetCode()), st.GetMessage())
		}
		out.TimedOut = true
	}
	if r == nil && !out.TimedOut {
		return out, errors.New("the farm's answer contains no result")
	}
	err := within(ctx, e.farm.wait.Answer, func(ctx context.Context) error {
		ended := make(chan struct{})
		go func() { e.reading.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-ctx.Done(): // a stream that the farm does not end
			return ctx.Err()
		}
		return errors.Join(
			e.rest(ctx, 0, r.GetStdoutRaw(), r.GetStdoutDigest()),
			e.rest(ctx, 1, r.GetStderrRaw(), r.GetStderrDigest()))
	})
	if errors.Is(err, errSilent) {
		_, err = io.WriteString(e.log, "\n[the farm did not send the rest of the output]\n")
	}
	if err != nil {
		return out, fmt.Errorf("output: %w", err)
	}
	return out, nil
}

// rest copies what was not streamed of one output.
func (e *execution) rest(ctx context.Context, i int, raw []byte, d *repb.Digest) error {
	have := int64(0)
	if s := e.streams[i]; s != nil {
		have = s.copied
	}
	if len(raw) > 0 {
		_, err := e.log.Write(raw[min(have, int64(len(raw))):])
		return err
	}
	if d.GetSizeBytes() <= have {
		return nil
	}
	name := fmt.Sprintf("blobs/%s/%d", d.GetHash(), d.GetSizeBytes())
	if e.farm.instance != "" {
		name = e.farm.instance + "/" + name
	}
	_, err := e.farm.read(ctx, name, have, e.log)
	return err
}

// read copies what the farm has under a name, and returns how much.
func (f *Farm) read(ctx context.Context, name string, offset int64, to io.Writer) (n int64, err error) {
	ctx, done := context.WithCancel(ctx)
	defer done()
	r, err := bspb.NewByteStreamClient(f.conn).Read(ctx, &bspb.ReadRequest{ResourceName: name, ReadOffset: offset})
	if err != nil {
		return 0, err
	}
	for {
		part, err := r.Recv()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if _, err := to.Write(part.GetData()); err != nil {
			return n, err
		}
		n += int64(len(part.GetData()))
	}
}

// output is where both outputs go.
type output struct {
	mu sync.Mutex
	to io.Writer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.to.Write(p)
}
