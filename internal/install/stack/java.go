package stack

import (
	"io/fs"
	"path"
	"strings"
)

func (f folder) java() (Project, bool) {
	if _, inside := f.covered[Java]; inside {
		return Project{}, false // a module of the build above
	}
	switch {
	case f.has("pom.xml"):
		return f.maven(), true
	case f.has("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"):
		return f.gradle(), true
	}
	return Project{}, false
}

func (f folder) maven() Project {
	p := Project{Kind: Java, Tool: "maven", Manifest: f.where("pom.xml")}
	mvn := f.wrapper("mvnw", "mvn") + " -B -q"
	pom := f.read("pom.xml")
	switch {
	case strings.Contains(pom, "spotless-maven-plugin"):
		p.Commands = append(p.Commands, Command{Role: Lint, Run: mvn + " spotless:check", Why: "spotless in " + p.Manifest, Evidence: []string{"mvnw spotless:check", "mvn spotless:check"}})
	case strings.Contains(pom, "maven-checkstyle-plugin"):
		p.Commands = append(p.Commands, Command{Role: Lint, Run: mvn + " checkstyle:check", Why: "checkstyle in " + p.Manifest, Evidence: []string{"mvnw checkstyle:check", "mvn checkstyle:check"}})
	}
	p.Commands = append(p.Commands, Command{Role: Test, Run: mvn + " test", Why: p.Manifest, Evidence: mavenEvidence()})
	return p
}

func mavenEvidence() []string {
	return []string{"mvnw test", "mvnw verify", "mvn test", "mvn verify"}
}

func (f folder) gradle() Project {
	manifest := f.first("build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle")
	p := Project{Kind: Java, Tool: "gradle", Manifest: f.where(manifest)}
	task, build := "test", f.read(manifest)
	for _, plugin := range []string{"spotless", "checkstyle", "ktlint", "detekt", "pmd", "spotbugs"} {
		if mentions(build, plugin) || strings.Contains(build, "."+plugin) {
			task = "check" // runs the tests and what is configured beside them
		}
	}
	p.Commands = append(p.Commands, Command{Role: Test, Run: f.wrapper("gradlew", "gradle") + " " + task, Why: p.Manifest, Evidence: []string{"gradlew test", "gradlew check", "gradlew build", "gradle test", "gradle check", "gradle build"}})
	return p
}

// wrapper is how to start the build tool that the project brings along.
func (f folder) wrapper(script, tool string) string {
	if !f.has(script) {
		return tool
	}
	info, err := fs.Stat(f.fsys, path.Join(f.dir, script))
	if err == nil && info.Mode()&0o111 == 0 {
		return "sh ./" + script
	}
	return "./" + script
}
