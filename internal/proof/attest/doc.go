// Package attest turns a proof into a signed statement and back: an in-toto Statement v1
// with the test-result predicate inside a DSSE envelope, signed in OpenSSH's signature
// format (SSHSIG), so that `ssh-keygen -Y verify` can check what Gauntlet signed. It also
// reads OpenSSH's allowed_signers files, which list the keys whose signatures count.
//
// Everything that is read here comes from an untrusted server: anything unexpected makes a
// statement invalid. The package opens no files and starts no processes; signing with
// ssh-keygen is a function that the caller passes in.
package attest
