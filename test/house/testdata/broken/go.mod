module gauntlet

go 1.26.0

require (
	example.com/unowned v0.0.0
	github.com/ncruces/go-sqlite3 v0.0.0
	github.com/spf13/cobra v0.0.0
)

replace (
	example.com/unowned => ./stub/unowned
	github.com/ncruces/go-sqlite3 => ./stub/sqlite
	github.com/spf13/cobra => ./stub/cobra
)
