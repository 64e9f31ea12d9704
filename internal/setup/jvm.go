package setup

import (
	"io/fs"
	"path"
	"strings"
)

func (d *directory) maven() {
	if !d.has("pom.xml") || d.above("pom.xml") {
		return
	}
	mvn := d.wrapper("mvnw", "mvn") + " -B -q"
	pom := d.read("pom.xml")
	offer := func(role Role, goal, why string) {
		d.offer(found{dir: d.dir, run: mvn + " " + goal, why: why, source: FromTasks, role: role, kind: Java})
	}
	switch {
	case strings.Contains(pom, "spotless-maven-plugin"):
		offer(Lint, "spotless:check", "spotless in "+d.where("pom.xml"))
	case strings.Contains(pom, "maven-checkstyle-plugin"):
		offer(Lint, "checkstyle:check", "checkstyle in "+d.where("pom.xml"))
	}
	offer(Test, "test", d.where("pom.xml"))
}

func (d *directory) gradle() {
	manifest := d.first("build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle")
	if manifest == "" || d.has("pom.xml") || d.above("settings.gradle.kts", "settings.gradle", "build.gradle", "build.gradle.kts") {
		return
	}
	task, build := "test", d.read(manifest)
	for _, plugin := range []string{"spotless", "checkstyle", "ktlint", "detekt", "pmd", "spotbugs"} {
		if mentions(build, plugin) || strings.Contains(build, "."+plugin) {
			task = "check" // runs the tests and what is configured beside them
		}
	}
	d.offer(found{dir: d.dir, run: d.wrapper("gradlew", "gradle") + " " + task, why: d.where(manifest), source: FromTasks, role: Test, kind: Java})
}

// wrapper is how to start the build tool that the project includes.
func (d *directory) wrapper(script, tool string) string {
	if !d.has(script) {
		return tool
	}
	info, err := fs.Stat(d.fsys, path.Join(d.dir, script))
	if err == nil && info.Mode()&0o111 == 0 {
		return "sh ./" + script
	}
	return "./" + script
}
