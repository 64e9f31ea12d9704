module example.com/unowned

go 1.26.0
