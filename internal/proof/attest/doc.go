// Package attest turns a proof into a signed statement and back: an in-toto
// Statement v1 with the test-result predicate inside a DSSE envelope, signed in
// OpenSSH's signature format (SSHSIG), so that `ssh-keygen -Y verify` can check
// what Gauntlet signed. It also reads OpenSSH's allowed_signers files, which say
// whose signatures count.
//
// Everything that is read here comes from a server nobody vouches for: what is
// odd in any way is not a valid statement. The package opens no file and starts
// no process; whoever signs with ssh-keygen hands in a function.
package attest
