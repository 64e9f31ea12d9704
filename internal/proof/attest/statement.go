package attest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// The names of the formats, as their specifications write them.
const (
	payloadType   = "application/vnd.in-toto+json"
	statementType = "https://in-toto.io/Statement/v1"
	predicateType = "https://in-toto.io/attestation/test-result/v0.1"
	resultPassed  = "PASSED"
	keySubject    = "gauntlet-key"
	treeSubject   = "git-tree"
)

// Proof is the content of a statement: this gate passed for this key.
type Proof struct {
	Key        string        // hex SHA-256 of everything the outcome depends on
	Tree       string        // git tree that was judged, "" when unknown
	Gate       string        // the gate's name
	Command    string        // what was run
	Platform   string        // os/arch
	Tools      []string      // versions that belong to the key
	Where      string        // machine or CI job that ran it
	FinishedAt time.Time     // when it ended
	Took       time.Duration // how long it ran
	LogDigest  string        // hex SHA-256 of the redacted log in the CAS, "" without one
	LogSize    int64
}

type statement struct {
	Type          string    `json:"_type"`
	Subject       []subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     predicate `json:"predicate"`
}

type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

type predicate struct {
	Result        string   `json:"result"`
	Configuration []config `json:"configuration"`
	PassedTests   []string `json:"passedTests"`
	Run           run      `json:"gauntlet"`
}

type config struct {
	Name        string            `json:"name"`
	Digest      map[string]string `json:"digest,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// run contains what the predicate has no field for.
type run struct {
	Command    string   `json:"command"`
	Platform   string   `json:"platform"`
	Tools      []string `json:"tools,omitempty"`
	Where      string   `json:"where,omitempty"`
	FinishedAt string   `json:"finishedAt"`
	DurationMS int64    `json:"durationMs"`
	LogSHA256  string   `json:"logSha256,omitempty"`
	LogSize    int64    `json:"logSize,omitempty"`
}

type envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     string      `json:"payload"`
	Signatures  []signature `json:"signatures"`
}

type signature struct {
	KeyID string `json:"keyid"`
	Sig   string `json:"sig"`
}

// Sign puts the proof into a signed envelope. sign returns an SSHSIG blob over
// the bytes it is given, and the fingerprint of its key.
func Sign(p Proof, sign func(message []byte) (blob []byte, keyID string, err error)) ([]byte, error) {
	st := statement{
		Type:          statementType,
		Subject:       []subject{{Name: keySubject, Digest: map[string]string{"sha256": p.Key}}},
		PredicateType: predicateType,
		Predicate: predicate{
			Result: resultPassed, PassedTests: []string{p.Gate},
			Configuration: []config{{Name: "gate " + p.Gate, Digest: map[string]string{"sha256": p.Key}}},
			Run: run{
				Command: p.Command, Platform: p.Platform, Tools: p.Tools, Where: p.Where,
				FinishedAt: p.FinishedAt.UTC().Format(time.RFC3339), DurationMS: p.Took.Milliseconds(),
				LogSHA256: p.LogDigest, LogSize: p.LogSize,
			},
		},
	}
	if p.Tree != "" {
		st.Subject = append(st.Subject, subject{Name: treeSubject, Digest: map[string]string{"gitTree": p.Tree}})
	}
	payload, err := json.Marshal(st)
	if err != nil {
		return nil, fmt.Errorf("statement: %w", err)
	}
	blob, keyID, err := sign(pae(payload))
	if err != nil {
		return nil, err
	}
	return json.Marshal(envelope{
		PayloadType: payloadType, Payload: base64.StdEncoding.EncodeToString(payload),
		Signatures: []signature{{KeyID: keyID, Sig: base64.StdEncoding.EncodeToString(blob)}},
	})
}

// pae is DSSE's pre-authentication encoding: the type is signed with the text.
func pae(payload []byte) []byte {
	var b bytes.Buffer
	b.WriteString("DSSEv1 " + strconv.Itoa(len(payloadType)) + " " + payloadType + " " + strconv.Itoa(len(payload)) + " ")
	b.Write(payload)
	return b.Bytes()
}

// ErrUnsigned means that no allowed key has signed the envelope.
var ErrUnsigned = errors.New("not signed by an allowed key")

// Verify reads an envelope: the proof it contains, and which of the signers signed it. It
// accepts only a statement that passed, that is well formed to the last field and whose
// signer is valid both when it was made and now.
func Verify(text []byte, signers Signers, now time.Time) (Proof, Signer, error) {
	var env envelope
	if err := strict(text, &env); err != nil || env.PayloadType != payloadType {
		return Proof{}, Signer{}, errors.New("not a DSSE envelope with an in-toto statement")
	}
	payload, err := base64.StdEncoding.DecodeString(env.Payload)
	if err != nil {
		return Proof{}, Signer{}, errors.New("envelope payload is not base64")
	}
	signer, err := whoSigned(env.Signatures, pae(payload), signers)
	if err != nil {
		return Proof{}, Signer{}, err
	}
	p, err := parseStatement(payload)
	if err != nil {
		return Proof{}, Signer{}, err
	}
	valid, ok := signers.Find(signer.Key, p.FinishedAt, now)
	if !ok {
		return Proof{}, Signer{}, fmt.Errorf("the key of %s has expired, or was not valid yet", signer.Name())
	}
	return p, valid, nil
}

// maxSignatures bounds the work that a hostile envelope can cause.
const maxSignatures = 8

func whoSigned(sigs []signature, message []byte, signers Signers) (Signer, error) {
	for _, s := range sigs[:min(len(sigs), maxSignatures)] {
		blob, err := base64.StdEncoding.DecodeString(s.Sig)
		if err != nil {
			continue
		}
		key, err := VerifySSH(blob, message)
		if err != nil {
			continue
		}
		if signer, ok := signers.Find(key); ok {
			return signer, nil
		}
	}
	return Signer{}, ErrUnsigned
}

func parseStatement(payload []byte) (Proof, error) {
	var st statement
	if err := strict(payload, &st); err != nil || st.Type != statementType || st.PredicateType != predicateType {
		return Proof{}, errors.New("not a test-result statement")
	}
	if st.Predicate.Result != resultPassed || len(st.Predicate.PassedTests) != 1 {
		return Proof{}, errors.New("the statement is not about one gate that passed")
	}
	r := st.Predicate.Run
	at, err := time.Parse(time.RFC3339, r.FinishedAt)
	if err != nil {
		return Proof{}, errors.New("the statement has no time")
	}
	p := Proof{
		Gate: st.Predicate.PassedTests[0], Command: r.Command, Platform: r.Platform, Tools: r.Tools, Where: r.Where,
		FinishedAt: at, Took: time.Duration(r.DurationMS) * time.Millisecond, LogDigest: r.LogSHA256, LogSize: r.LogSize,
	}
	for _, s := range st.Subject {
		switch s.Name {
		case keySubject:
			p.Key = s.Digest["sha256"]
		case treeSubject:
			p.Tree = s.Digest["gitTree"]
		}
	}
	if p.Key == "" || p.Gate == "" {
		return Proof{}, errors.New("the statement names no key or no gate")
	}
	return p, nil
}

// strict decodes one JSON value and nothing after it.
func strict(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(into); err != nil {
		return err
	}
	if dec.More() {
		return errors.New("text after the value")
	}
	return nil
}
