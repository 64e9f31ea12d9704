// Package slots decides how many runs of gates may use this machine at once, across all
// projects of a user. A slot is a kernel lock on a file in the state home, so that the
// kernel frees it when its holder dies. A run that waits has a ticket, which is a locked
// file, too. A run waits only while every slot is taken and the machine is busy, and never for
// long: whatever goes wrong here, it runs without a slot. Ring 1.
package slots
