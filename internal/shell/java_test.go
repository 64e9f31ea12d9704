package shell

import "testing"

func TestMavenAndGradle(t *testing.T) {
	for _, tt := range []struct {
		pattern, line string
		want          bool
	}{
		{"mvn test", "./mvnw -q test", true},
		{"./mvnw test", "mvn -B -pl core -am clean test", true},
		{"mvn test", "mvn clean verify", true},
		{"mvn test", "mvn clean compile", false},
		{"mvn test", "mvn verify -DskipTests", false},
		{"mvn verify", "mvn test", false},
		{"mvn -Pci test", "mvn test", false},
		{"mvn -Pci test", "mvn test -Pci", true},
		{"./gradlew test", "gradle :app:test --tests A", true},
		{"./gradlew test", "./gradlew clean build", true},
		{"./gradlew test", "./gradlew build -x test", false},
		{"./gradlew test", "./gradlew -x test build", false},
		{"./gradlew test", "./gradlew build -x check", false},
		{"./gradlew test", "./gradlew assemble", false},
		{"./gradlew test", "./gradlew test --dry-run", false},
		{"./gradlew test", "./gradlew -m test", false},
		{"./gradlew :app:test", "./gradlew :lib:test", false},
		{"gradle", "./gradlew assemble", true},
		{"bats test", "bats test/", true},
		{"phpunit", "php -d memory_limit=1G vendor/bin/phpunit --filter A", true},
		{"phpunit", "php -l vendor/bin/phpunit", false},
	} {
		if got := Patterns(tt.pattern)[0].Match(Parse(tt.line).Commands[0]); got != tt.want {
			t.Errorf("%s matches %s: %v, want %v", tt.line, tt.pattern, got, tt.want)
		}
	}
}
