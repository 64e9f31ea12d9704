// Package checkpoint is the context-aware checkpoint: what a turn changed, what is still
// owed for it, what was sent about it before. The caller passes in the facts;
// checkpoint/rules decides what they mean, values in, values out. Ring 3: imports rings 0
// to 2.
package checkpoint
