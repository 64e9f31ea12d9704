// Package ui is the page that `gauntlet ui` serves: what stops cost and caught, at a
// glance. Everything is rendered by the server from templates and plots of its own; a small
// script keeps it up to date. It loads nothing from outside and changes nothing except
// through the actions it is given.
//
// Ring 5.
package ui
