// Package markdown finds the block structure of a document line by line, as
// CommonMark has it, and replaces the body of one section. Every byte outside
// that body stays: line ends, byte order mark, final newline, bytes that are no
// UTF-8. Headings inside fences, comments, other raw HTML, quotes and list items
// are text. Ring 1: standard library only.
//
// Deliberately left out is everything inline, and link reference definitions:
// a paragraph that holds nothing else counts as a paragraph.
package markdown
