package driver

const Name = "sqlite3"
