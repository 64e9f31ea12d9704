// Package reapi runs a gate's command on a build farm with the Remote Execution API v2: the
// inputs are uploaded as a Merkle tree, the command is executed, its output is streamed
// back. The farm's exit code is trusted: a user who configures a farm trusts it to run what
// was asked.
package reapi
