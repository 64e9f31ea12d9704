// Package postgres keeps the history of many machines in one PostgreSQL database: one table
// of records as they were written, exactly once each, and the columns that queries use.
// Migrations are numbered and go forward only.
package postgres
