package install

import "io/fs"

func owner(fs.FileInfo) (uid, gid int) { return -1, -1 }

func giveBack(string, int, int) {}
