// Package reapi runs a gate's command on a build farm that speaks the Remote
// Execution API v2: the inputs are uploaded as a Merkle tree, the command is
// executed, its output is streamed back. The farm's word about the exit code is
// taken; that it ran what was asked is what one trusts a farm for.
package reapi
