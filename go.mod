module gauntlet

go 1.26.0
