package room

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gauntlet/internal/proc"
)

// mayMount reports whether this user may mount in a name space of its own, by doing so.
func mayMount(ctx context.Context) bool {
	self, err := os.Executable()
	if err != nil {
		return false
	}
	return proc.Run(ctx, proc.Cmd{Args: []string{self, Command, "{}", "--", "true"}, Dir: "/", Private: true, Timeout: 5 * time.Second}).OK()
}

// Enter mounts a room at the project's path, in the name space that this process was started
// in, and becomes the command. It returns only if it cannot.
func Enter(args, environ []string) error {
	if len(args) < 3 || args[1] != "--" {
		return errors.New("room-exec is for Gauntlet itself")
	}
	var m mounting
	if err := json.Unmarshal([]byte(args[0]), &m); err != nil {
		return fmt.Errorf("room: %w", err)
	}
	if err := m.mount(); err != nil {
		return fmt.Errorf("room: %w", err)
	}
	if err := os.Chdir(cmp.Or(m.Dir, "/")); err != nil {
		return fmt.Errorf("room: %w", err)
	}
	if err := dropPrivileges(); err != nil {
		return fmt.Errorf("room: %w", err)
	}
	return fmt.Errorf("room: %w", proc.Become(args[2:], environ))
}

func (m mounting) mount() error {
	// What is mounted here must not appear outside.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	if m.Tree == "" {
		return nil // only whether this is allowed
	}
	if err := readOnly(m.Common, m.Show); err != nil {
		return err
	}
	for _, p := range m.Over {
		if err := m.over(p); err != nil {
			return err
		}
	}
	return bind(m.Tree, m.Root)
}

// over shows a directory of the work tree in the room. What the check writes there stays in
// the room; where the kernel cannot do that, it is read-only.
func (m mounting) over(p string) error {
	from, to := filepath.Join(m.Root, p), filepath.Join(m.Tree, p)
	own := filepath.Join(m.Upper, name(p))
	upper, work := filepath.Join(own, "upper"), filepath.Join(own, "work")
	for _, dir := range []string{upper, work} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	opts := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s,userxattr", escaped(from), escaped(upper), escaped(work))
	if unix.Mount("overlay", to, "overlay", 0, opts) == nil {
		return nil
	}
	return readOnly(from, to)
}

// escaped is a path in the options of an overlay.
func escaped(path string) string {
	return strings.NewReplacer(`\\`, `\\\\`, ",", `\\,`, ":", `\\:`).Replace(path)
}

func bind(from, to string) error {
	if err := unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("mount %s at %s: %w", from, to, err)
	}
	return nil
}

// readOnly shows a directory elsewhere, read-only. Flags of the mount it is on, such as
// nosuid, may not be taken away in a user's name space, so they are repeated.
func readOnly(from, to string) error {
	if err := bind(from, to); err != nil {
		return err
	}
	var st unix.Statfs_t
	if err := unix.Statfs(to, &st); err != nil {
		return fmt.Errorf("mount %s: %w", to, err)
	}
	flags := uintptr(unix.MS_BIND | unix.MS_REMOUNT | unix.MS_RDONLY)
	for st_, ms := range map[int64]uintptr{
		unix.ST_NOSUID: unix.MS_NOSUID, unix.ST_NODEV: unix.MS_NODEV, unix.ST_NOEXEC: unix.MS_NOEXEC,
		unix.ST_NOATIME: unix.MS_NOATIME, unix.ST_NODIRATIME: unix.MS_NODIRATIME, unix.ST_RELATIME: unix.MS_RELATIME,
	} {
		if st.Flags&st_ != 0 {
			flags |= ms
		}
	}
	if err := unix.Mount("", to, "", flags, ""); err != nil {
		return fmt.Errorf("read-only mount %s: %w", to, err)
	}
	return nil
}

// dropPrivileges gives up what the name space allowed: the check gets the rights that it has
// outside.
func dropPrivileges() error {
	if os.Geteuid() == 0 {
		return nil // root keeps root's rights, as outside
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("drop privileges: %w", err)
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&head, &none[0]); err != nil {
		return fmt.Errorf("drop privileges: %w", err)
	}
	return nil
}

// clone shares the blocks of a file with another one, where the file system can.
func clone(to, from *os.File) bool {
	return unix.IoctlFileClone(int(to.Fd()), int(from.Fd())) == nil
}
