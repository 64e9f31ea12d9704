// Package safefile is the one way to touch files that others may have placed or may read
// meanwhile: opened only when regular, bounded and not a link to somewhere else; replaced
// in one step, so that a reader sees the old content or the new, never a part of either;
// locked by the kernel, so that a lock is gone the moment its holder is. Ring 0: standard
// library and x/sys only.
package safefile
