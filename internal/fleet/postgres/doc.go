// Package postgres keeps the history of many machines in one PostgreSQL
// database: one table of records as they were written, exactly once each, and
// the columns that questions are asked about. Migrations are numbered and go
// forward only.
package postgres
