package reapi

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	bspb "google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Job is a gate's command and what it needs.
type Job struct {
	Command    string            `json:"command"` // run by sh -c
	Root       string            `json:"root"`    // project root on this machine
	Dir        string            `json:"dir"`     // working directory below it, slash-separated
	Files      []string          `json:"files"`   // inputs below it, slash-separated
	Env        map[string]string `json:"env,omitempty"`
	Platform   map[string]string `json:"platform,omitempty"` // properties of the worker
	TimeoutSec float64           `json:"timeoutSeconds"`
}

// Result is how a job ended.
type Result struct {
	ExitCode int    `json:"exitCode"`
	Worker   string `json:"worker"`
	TimedOut bool   `json:"timedOut,omitempty"`
}

// Farm is one server of the protocol.
type Farm struct {
	conn     *grpc.ClientConn
	instance string
	wait     Patience
}

// Patience is how long a farm may take, beside the time of the command itself. A farm that
// takes longer did not run the command, and it runs locally.
type Patience struct {
	Answer  time.Duration // to say which inputs it needs
	Upload  time.Duration // to take 3 MB of them at most
	Queue   time.Duration // until a worker begins
	Overrun time.Duration // beyond the command's own time, until the farm ends it
}

// Options say how to reach a farm.
type Options struct {
	Address  string // host:port
	Instance string
	Plain    bool   // no TLS, for loopback and private networks
	Token    string // bearer token, "" for none
	Wait     Patience
}

// patience is what a farm gets that is not configured otherwise.
func patience() Patience {
	return Patience{Answer: 10 * time.Second, Upload: time.Minute, Queue: time.Minute, Overrun: 5 * time.Second}
}

// Dial prepares a connection; the first call connects.
func Dial(o Options) (*Farm, error) {
	creds := credentials.NewClientTLSFromCert(nil, "")
	if o.Plain {
		creds = insecure.NewCredentials()
	}
	opts := []grpc.DialOption{grpc.WithTransportCredentials(creds)}
	if o.Token != "" {
		if o.Plain {
			return nil, errors.New("a token is not sent without TLS")
		}
		opts = append(opts, grpc.WithPerRPCCredentials(bearer(o.Token)))
	}
	conn, err := grpc.NewClient(o.Address, opts...)
	if err != nil {
		return nil, fmt.Errorf("build farm %s: %w", o.Address, err)
	}
	return &Farm{conn: conn, instance: o.Instance, wait: cmp.Or(o.Wait, patience())}, nil
}

// Close ends the connection.
func (f *Farm) Close() error { return f.conn.Close() }

type bearer string

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

func (bearer) RequireTransportSecurity() bool { return true }

// maxBatch stays below the 4 MB that gRPC servers accept in one message.
const maxBatch = 3 << 20

// Run uploads the inputs, executes the job and copies its output to log.
func (f *Farm) Run(ctx context.Context, job Job, log io.Writer) (Result, error) {
	root, blobs, err := tree(job.Root, job.Dir, job.Files)
	if err != nil {
		return Result{}, err
	}
	action, err := describe(job, root, blobs)
	if err != nil {
		return Result{}, err
	}
	if err := f.upload(ctx, blobs); err != nil {
		return Result{}, fmt.Errorf("upload: %w", err)
	}
	e := execution{farm: f, limit: job.limit(), log: &output{to: log}}
	return e.run(ctx, action)
}

// limit is the time of the command itself.
func (j Job) limit() time.Duration { return time.Duration(j.TimeoutSec * float64(time.Second)) }

// errSilent means that the farm accepted a connection and did not answer.
var errSilent = errors.New("the farm does not answer")

// within calls the farm with a bound on the time of its answer.
func within(ctx context.Context, bound time.Duration, call func(context.Context) error) error {
	bounded, done := context.WithTimeout(ctx, bound)
	defer done()
	err := call(bounded)
	if ctx.Err() == nil && (bounded.Err() != nil || status.Code(err) == codes.DeadlineExceeded) {
		return errSilent
	}
	return err
}

// describe adds command and action to the blobs and returns the action's digest.
func describe(job Job, root *repb.Digest, blobs map[string]blob) (*repb.Digest, error) {
	cmd := &repb.Command{Arguments: []string{"/bin/sh", "-c", job.Command}, WorkingDirectory: job.Dir}
	for _, name := range slices.Sorted(maps.Keys(job.Env)) {
		cmd.EnvironmentVariables = append(cmd.EnvironmentVariables, &repb.Command_EnvironmentVariable{Name: name, Value: job.Env[name]})
	}
	platform := &repb.Platform{}
	for _, name := range slices.Sorted(maps.Keys(job.Platform)) {
		platform.Properties = append(platform.Properties, &repb.Platform_Property{Name: name, Value: job.Platform[name]})
	}
	cmd.Platform = platform //nolint:staticcheck // older servers read it here, newer ones in the action
	cmdDigest, err := message(cmd, blobs)
	if err != nil {
		return nil, err
	}
	return message(&repb.Action{
		CommandDigest: cmdDigest, InputRootDigest: root, Platform: platform,
		Timeout: durationpb.New(job.limit()),
		// Proofs are stored under Gauntlet's own keys; the farm's cache is not used.
		DoNotCache: true,
	}, blobs)
}

// upload sends the blobs that the farm does not have.
func (f *Farm) upload(ctx context.Context, blobs map[string]blob) error {
	cas := repb.NewContentAddressableStorageClient(f.conn)
	var all []*repb.Digest
	for _, b := range blobs {
		all = append(all, b.digest)
	}
	for part := range slices.Chunk(all, 10000) {
		var missing *repb.FindMissingBlobsResponse
		if err := within(ctx, f.wait.Answer, func(ctx context.Context) (err error) {
			missing, err = cas.FindMissingBlobs(ctx, &repb.FindMissingBlobsRequest{InstanceName: f.instance, BlobDigests: part})
			return err
		}); err != nil {
			return err
		}
		if err := f.send(ctx, cas, missing.GetMissingBlobDigests(), blobs); err != nil {
			return err
		}
	}
	return nil
}

func (f *Farm) send(ctx context.Context, cas repb.ContentAddressableStorageClient, missing []*repb.Digest, blobs map[string]blob) error {
	batch := &repb.BatchUpdateBlobsRequest{InstanceName: f.instance}
	size := int64(0)
	flush := func() error {
		if len(batch.GetRequests()) == 0 {
			return nil
		}
		var res *repb.BatchUpdateBlobsResponse
		if err := within(ctx, f.wait.Upload, func(ctx context.Context) (err error) {
			res, err = cas.BatchUpdateBlobs(ctx, batch)
			return err
		}); err != nil {
			return err
		}
		for _, r := range res.GetResponses() {
			if c := codes.Code(r.GetStatus().GetCode()); c != codes.OK {
				return status.Error(c, r.GetStatus().GetMessage())
			}
		}
		batch.Requests, size = nil, 0
		return nil
	}
	for _, d := range missing {
		b, known := blobs[d.GetHash()]
		if !known {
			return fmt.Errorf("the farm asks for %s, which is not part of the job", d.GetHash())
		}
		data, err := b.bytes()
		if err != nil {
			return err
		}
		if len(data) > maxBatch {
			if err := f.stream(ctx, d, data); err != nil {
				return err
			}
			continue
		}
		if size+int64(len(data)) > maxBatch {
			if err := flush(); err != nil {
				return err
			}
		}
		batch.Requests = append(batch.Requests, &repb.BatchUpdateBlobsRequest_Request{Digest: d, Data: data})
		size += int64(len(data))
	}
	return flush()
}

// stream uploads one large blob, as long as the farm keeps taking it.
func (f *Farm) stream(ctx context.Context, d *repb.Digest, data []byte) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	idle := time.AfterFunc(f.wait.Upload, func() { stop(errSilent) })
	defer idle.Stop()
	err := f.write(ctx, d, data, func() { idle.Reset(f.wait.Upload) })
	if errors.Is(context.Cause(ctx), errSilent) {
		return errSilent
	}
	return err
}

// write sends a blob in parts and calls sent after each.
func (f *Farm) write(ctx context.Context, d *repb.Digest, data []byte, sent func()) error {
	w, err := bspb.NewByteStreamClient(f.conn).Write(ctx)
	if err != nil {
		return err
	}
	var id [16]byte
	_, _ = rand.Read(id[:]) // crypto/rand never fails on a supported platform
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	h := hex.EncodeToString(id[:])
	name := fmt.Sprintf("uploads/%s-%s-%s-%s-%s/blobs/%s/%d", h[:8], h[8:12], h[12:16], h[16:20], h[20:], d.GetHash(), d.GetSizeBytes())
	if f.instance != "" {
		name = f.instance + "/" + name
	}
	const chunk = 1 << 20
	for at := 0; ; at += chunk {
		end := min(at+chunk, len(data))
		err := w.Send(&bspb.WriteRequest{ResourceName: name, WriteOffset: int64(at), Data: data[at:end], FinishWrite: end == len(data)})
		if errors.Is(err, io.EOF) || end == len(data) {
			break // the server has it already, or all was sent
		}
		if err != nil {
			return err
		}
		sent()
	}
	_, err = w.CloseAndRecv()
	return err
}

// Down reports whether an error means that the farm runs no job at present, not only this
// one.
func Down(err error) bool {
	if errors.Is(err, errSilent) || errors.Is(err, errQueued) {
		return true
	}
	switch status.Code(err) { //nolint:exhaustive // all others are about the job, or end it
	case codes.Unavailable, codes.Unimplemented, codes.Unauthenticated, codes.PermissionDenied:
		return true
	}
	return false
}

// Unreachable reports whether an error means that the farm did not run the job, so that it
// may run locally instead.
func Unreachable(err error) bool {
	if errors.Is(err, errSilent) || errors.Is(err, errQueued) {
		return true
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	switch status.Code(err) {
	case codes.Unavailable, codes.Unimplemented, codes.ResourceExhausted, codes.Unauthenticated, codes.PermissionDenied,
		codes.FailedPrecondition, codes.Internal, codes.Unknown, codes.InvalidArgument, codes.NotFound, codes.Aborted, codes.DataLoss:
		return true
	case codes.OK, codes.Canceled, codes.DeadlineExceeded, codes.AlreadyExists, codes.OutOfRange:
	}
	return false
}
