// Package remote shares proofs through a server of the Bazel remote cache protocol over
// HTTP: bazel-remote, nginx with WebDAV PUT, the HTTP front ends of build farms. A proof is
// an ActionResult under /ac/<key> with the signed envelope as an inline output file; its
// log, if any, is a blob under /cas.
//
// A server is never trusted: what it returns is bounded, checked for its form and hashed
// before it is used, and the envelope's signature is checked by proof/attest. Every
// unexpected answer is a miss.
package remote
