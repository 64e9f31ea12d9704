module github.com/ncruces/go-sqlite3

go 1.26.0
