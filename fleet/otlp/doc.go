// Package otlp turns records of the history into OpenTelemetry's OTLP/HTTP JSON and sends
// it to a collector: a trace per stop with a span per gate, delta metrics, and one log
// event per verdict. It is written by hand, because the SDK is made for programs that run,
// not for records of what ran; tests check it with the collector's own decoder.
package otlp
