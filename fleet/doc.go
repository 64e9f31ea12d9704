// Package fleet is the command `gauntlet-fleet`: what many machines share and
// what is too heavy for the hook. It drains the history spool to PostgreSQL
// (fleet/postgres) and to an OpenTelemetry collector (fleet/otlp), and runs
// gates on a build farm (fleet/reapi). Nothing of it is linked into `gauntlet`.
package fleet
