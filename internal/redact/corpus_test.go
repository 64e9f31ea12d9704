package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// gen makes what looks like a secret but is not: random characters from a fixed seed, so
// that no scanner reports this file as a leak and every run is the same.
type gen struct{ *rand.Rand }

const (
	hex    = "0123456789abcdef"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	alnum  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	base64 = alnum + "+/"
	url64  = alnum + "_-"
)

func (g gen) of(set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[g.IntN(len(set))]
	}
	// Every kind of character at least once, as real ones have.
	if n >= 12 && strings.ContainsAny(set, "abc") {
		b[1], b[3], b[5] = '7', 'a', '2'
	}
	return string(b)
}

// corpus is one line per form: before, the secret, after.
func corpus(g gen) [][3]string {
	p := func(prefix, set string, n int) string { return prefix + g.of(set, n) }
	return [][3]string{
		{"", p("AKIA", upper, 16), " is the key id"},
		{"password: ", "correct-horse-battery", ""},
		{"facebook ", p("EAACEdEose0cBA", alnum, 120), ""},
		{"aws_access_key_id = ", p("ASIA", upper, 16), ""},
		{"aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY", ""},
		{"AWS_SECRET_ACCESS_KEY=", p("", base64, 40), ""},
		{"remote: ", p("ghp_", alnum, 36), ""},
		{"GH_TOKEN=", p("gho_", alnum, 36), ""},
		{"", p("github_pat_", alnum, 22) + "_" + g.of(alnum, 59), ""},
		{"token: ", p("glpat-", url64, 20), ""},
		{"runner ", p("glrt-", url64, 20), ""},
		{"key ", p("sk-ant-api03-", url64, 80), ""},
		{"OPENAI_API_KEY=", p("sk-proj-", url64, 60), ""},
		{"", p("sk-", alnum, 48), ""},
		{"", p("gsk_", alnum, 52), ""},
		{"", p("hf_", alnum, 34), ""},
		{"", p("r8_", alnum, 37), ""},
		{"", p("AIza", url64, 35), ""},
		{"", p("ya29.", url64, 60), ""},
		{"client_secret: ", p("GOCSPX-", url64, 28), ""},
		{"", p("xoxb-", "0123456789", 12) + "-" + g.of(alnum, 24), ""},
		{"", p("xapp-1-", upper, 11) + "-" + g.of(hex, 40), ""},
		{"https://hooks.slack.com/services/", "", ""}, // replaced below
		{"", p("123456789:AA", url64, 33), ""},
		{"", p("sk_live_", alnum, 24), ""},
		{"", p("sk_test_", alnum, 24), ""},
		{"", p("whsec_", alnum, 32), ""},
		{"", p("lin_api_", alnum, 40), ""},
		{"", p("npm_", alnum, 36), ""},
		{"//registry.npmjs.org/:_authToken=", p("", hex, 36), ""},
		{"", p("pypi-AgEIcHlwaS5vcmc", url64, 60), ""},
		{"", p("rubygems_", hex, 48), ""},
		{"", p("SG.", url64, 22) + "." + g.of(url64, 43), ""},
		{"", p("key-", hex, 32), ""},
		{"", p("SK", hex, 32), ""},
		{"", p("dop_v1_", hex, 64), ""},
		{"", p("hvs.", url64, 90), ""},
		{"", p("", alnum, 14) + ".atlasv1." + g.of(url64, 67), ""},
		{"", p("dapi", hex, 32), ""},
		{"", p("shpat_", hex, 32), ""},
		{"", p("ATATT3", url64, 180), ""},
		{"", p("figd_", url64, 40), ""},
		{"", p("sbp_", hex, 40), ""},
		{"", p("pul-", hex, 40), ""},
		{"", p("glsa_", alnum, 32) + "_" + g.of(hex, 8), ""},
		{"", p("dckr_pat_", url64, 27), ""},
		{"", p("tskey-auth-", alnum, 17) + "-" + g.of(alnum, 32), ""},
		{"", "eyJ" + g.of(url64, 30) + ".eyJ" + g.of(url64, 60) + "." + g.of(url64, 43), ""},
		{"", "AGE-SECRET-KEY-1" + g.of(upper, 58), ""},
		{"AccountName=x;AccountKey=", p("", base64, 86) + "==", ";EndpointSuffix=core.windows.net"},
		{"https://x.blob.core.windows.net/c?sv=2024&sig=", p("", alnum, 43) + "%3D", "&se=2026"},
		{"PGPASSWORD=", p("", alnum, 14), " psql -h db"},
		{"DB_PASS=", p("", alnum, 12), ""},
		{"export DATABASE_PASSWORD='", p("", alnum, 16), "'"},
		{"MYSQL_PWD=", p("", alnum, 10), " mysqldump"},
		{"mysql --password ", p("", alnum, 14), " -h db"},
		{"vault login --token=", p("", alnum, 26), ""},
		{"curl -s -u admin:", p("", alnum, 12), " https://example.com"},
		{"curl --user bob:", p("", alnum, 12), " https://example.com"},
		{"machine example.com login bob password ", p("", alnum, 12), ""},
		{`{"auths":{"x":{"auth":"`, p("", base64, 32), `"}}}`},
		{"Cookie: session=", p("", alnum, 40), ""},
		{"< Set-Cookie: sid=", p("", alnum, 40) + "; HttpOnly", ""},
		{"Authorization: Bearer ", p("", url64, 40), ""},
		{"Authorization: Basic ", p("", base64, 24) + "==", ""},
		{"using Bearer ", p("", url64, 40), " for it"},
		{"X-Api-Key: ", p("", alnum, 32), ""},
		{"postgres://app:", p("", alnum, 16), "@db.example.com/app"},
		{"redis://:", p("", alnum, 20), "@cache:6379/0"},
		{"https://bob:p@ss/", p("", alnum, 8), "@example.com/x"},
		{`"api_key": "`, p("", hex, 32), `",`},
		{"password: ", p("", alnum, 18), ""},
		{"clientSecret: '", p("", alnum, 32), "'"},
		{"-----BEGIN OPENSSH PRIVATE KEY-----\n", g.of(base64, 64) + "\n" + g.of(base64, 64), "\n-----END OPENSSH PRIVATE KEY-----"},
		{"-----BEGIN PGP PRIVATE KEY BLOCK-----\n", g.of(base64, 64), ""},
		{"", p("sk-svcacct-", url64, 60), ""},
		{"", p("sk-ant-admin01-", url64, 80), ""},
		{"", p("sk-ant-oat01-", url64, 80), ""},
		{"", p("sk-or-v1-", hex, 64), ""},
		{"", p("AQ.Ab8", url64, 44), " for Gemini"},
		{"", p("gloas-", hex, 64), ""},
		{"", p("glrtr-", url64, 22), ""},
		{"", p("xoxc-", "0123456789", 12) + "-" + g.of(alnum, 40), ""},
		{"", p("xoxe.xoxp-1-", alnum, 60), ""},
		{"", p("ABSK", base64, 108) + "=", ""},
		{"", p("tgp_v1_", url64, 43), ""},
		{"", p("fw_", alnum, 24), ""},
		{"", p("lsv2_pt_", hex, 32) + "_" + g.of(hex, 10), ""},
		{"", p("tvly-dev-", alnum, 32), ""},
		{"", p("pcsk_", alnum, 6) + "_" + g.of(alnum, 62), ""},
		{"", p("jina_", alnum, 60), ""},
		{"", p("sk_", hex, 48), ""},
		{"", p("vcp_", alnum, 56), ""},
		{"", p("sb_secret_", url64, 31), ""},
		{"", p("napi_", alnum, 64), ""},
		{"", p("rnd_", alnum, 28), ""},
		{"", p("cfut_", alnum, 48), ""},
		{"", p("phx_", alnum, 43), ""},
		{"", p("hcaik_", alnum, 58), ""},
		{"", p("re_", alnum, 8) + "_" + g.of(alnum, 24), ""},
		{"", p("xkeysib-", hex, 64) + "-" + g.of(alnum, 16), ""},
		{"", p("", hex, 32) + "-us12", " for the mailing list"},
		{"", p("rzp_live_", alnum, 14), ""},
		{"", p("access-production-", hex, 8) + "-1234-4abc-8def-" + g.of(hex, 12), ""},
		{"bot ", "M" + g.of(alnum, 25) + "." + g.of(url64, 6) + "." + g.of(url64, 38), ""},
		{"", p("AKCp", alnum, 69), ""},
		{"", p("dp.st.prd.", alnum, 43), ""},
		{"", p("LTAI", alnum, 20), ""},
		{"", p("pat-na1-", hex, 8) + "-1234-4abc-8def-" + g.of(hex, 12), ""},
		{"", p("dt0c01.", upper, 24) + "." + g.of(upper, 64), ""},
		{"", p("CFPAT-", url64, 43), ""},
		{"", p("pat", alnum, 14) + "." + g.of(hex, 64), ""},
		{"", p("PMAK-", hex, 24) + "-" + g.of(hex, 34), ""},
		{"", p("EZAK", hex, 54), ""},
		{"", p("sk.eyJ", url64, 60) + "." + g.of(url64, 22), ""},
		{"", g.of(alnum, 3) + "8Q~" + g.of(url64, 34), " of the application"},
		{"cloudinary://123456789012345:", p("", url64, 27), "@demo"},
		{"GET /v1/x?access_token=", p("", alnum, 40), "&page=2 HTTP/1.1"},
		{"GET /v1/x?api_key=", p("", hex, 32), " HTTP/1.1"},
		{"Proxy-Authorization: Basic ", p("", base64, 24), ""},
		{"curl -H 'Authorization: token ", p("", hex, 40), "' https://example.com"},
		{"PRIVATE-TOKEN: ", p("", alnum, 20), ""},
		{"X-Vault-Token: ", p("", alnum, 26), ""},
		// escaped and encoded
		{`{\"password\": \"`, p("", alnum, 18), `\"}`},
		{`{\"api_key\":\"`, p("", hex, 32), `\"}`},
		{`log: \u0022client_secret\u0022: \u0022`, p("", alnum, 32), `\u0022`},
		{"body: password%3D", p("", alnum, 18), "%26user%3Dbob"},
		{"callback?next=%2F&access_token%3D", p("", alnum, 40), "%26x"},
		{"postgres%3A%2F%2Fapp%3A", p("", alnum, 16), "%40db.example.com"},
		{`"private_key": "-----BEGIN PRIVATE KEY-----\n`, g.of(base64, 64) + `\n` + g.of(base64, 64), `\n-----END PRIVATE KEY-----\n"`},
		{"PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n", g.of(base64, 48), "\nPrivate-MAC: 1"},
		{"", g.of(base64, 64) + "\n" + g.of(base64, 40), "\n-----END RSA PRIVATE KEY-----"},
		{"-----BEGIN ENCRYPTED PRIVATE KEY-----\n", g.of(base64, 64), "\n-----END ENCRYPTED PRIVATE KEY-----"},
		{"<add key=\"Password\" value=\"", p("", alnum, 16), "\" />"},
		{"Server=db;User Id=sa;Password=", p("", alnum, 16), ";Encrypt=true"},
		{"spring.datasource.password=", p("", alnum, 16), ""},
		{"SECRET_KEY = 'django-insecure-", p("", alnum, 50), "'"},
		{"sshpass -p ", p("", alnum, 12), " ssh host"},
		{"mysql -uroot -p", p("", alnum, 12), " app"},
		{"docker login -u bob -p ", p("", alnum, 14), " registry.example.com"},
		{"aws configure set aws_session_token ", p("IQoJb3JpZ2luX2Vj", base64, 200), ""},
	}
}

func forms(t testing.TB) [][3]string {
	t.Helper()
	g := gen{rand.New(rand.NewPCG(1, 2))}
	all := corpus(g)
	for i, f := range all {
		if f[0] == "https://hooks.slack.com/services/" {
			all[i][1] = "T" + g.of(upper, 9) + "/B" + g.of(upper, 9) + "/" + g.of(alnum, 24)
		}
	}
	return all
}

// wide is a text in two bytes per character, as programs for Windows print it.
func wide(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte(s[i])
		b.WriteByte(0)
	}
	return b.String()
}

func TestCorpusOfSecrets(t *testing.T) {
	all := forms(t)
	if len(all) < 120 {
		t.Fatalf("only %d forms", len(all))
	}
	for _, f := range all {
		line := f[0] + f[1] + f[2]
		// As programs print it: plain, coloured in the middle, in a sentence, indented.
		half := len(f[1]) / 2
		for name, text := range map[string]string{
			"plain":    line,
			"coloured": f[0] + f[1][:half] + "\x1b[01;31m\x1b[K" + f[1][half:] + "\x1b[m" + f[2],
			"indented": "ok\n    " + line + "\nok",
			"wide":     wide(line),
			"marked":   f[0] + f[1][:half] + "\u200b\u2060" + f[1][half:] + f[2],
		} {
			got := String(text)
			for _, part := range strings.FieldsFunc(f[1], func(r rune) bool { return r == '\n' || r == ';' || r == ' ' }) {
				if len(part) >= 8 && strings.Contains(got, part) {
					t.Errorf("%s: %q is left in %q", name, part, got)
				}
			}
			if !strings.Contains(got, "[redacted]") {
				t.Errorf("%s: nothing redacted in %q", name, got)
			}
		}
		if len(Find(line)) == 0 {
			t.Errorf("not found: %q", line)
		}
	}
}

// TestLookAlikesStay: text that only resembles a secret.
func TestLookAlikesStay(t *testing.T) {
	stays := []string{
		"commit 3f9a1c2b4d5e6f708192a3b4c5d6e7f801234567",
		"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"id: 123e4567-e89b-12d3-a456-426614174000",
		"--- FAIL: TestTokenizer/password_reset (0.01s)",
		"tokens.go:123: got 17 tokens, want 18",
		"MAX_TOKENS=4096", "TOKEN_COUNT=123456", "token_limit: 200000", "max_output_tokens=8192", "CONTEXT_TOKEN=200000",
		"password = getPasswordFromVault()", "const token = await fetchToken(request)", "token := lexer.NextToken()",
		"if err := checkPassword(user, pass); err != nil {", "secret = os.environ[\"SECRET\"]", "apiKey: process.env.API_KEY,",
		"API_KEY=$API_KEY", "API_KEY=${{ secrets.API_KEY }}", "PASSWORD=<your password>", "TOKEN=xxxxxxxxxxxx", "SECRET=********",
		"DB_PASSWORD=changeme", "password: required", "secret: true", "token: [redacted]",
		"the secret of the castle: a very long corridor", "key: value", "keyboard: qwertz-layout-105",
		"https://example.com:8080/path@v1.2.3/password", "https://example.com/a@b/c", "http://localhost:3000/@vite/client",
		"git@github.com:owner/repository.git", "ssh://git@example.com/x.git", "see https://example.com:443/user@host",
		"npm ERR! code E404", "npm_config_registry=https://registry.npmjs.org/", "npm install --save-dev typescript",
		"sk-learn is a library name, task-1234567890abcdef is an id", "class sk_live_view: pass", "risk-assessment-of-the-whole-department-in-2026",
		"SG.1 and SG.2 are chapters", "hf_hub_download(repo_id)", "ghp_ is a prefix", "xoxo, your friend", "AKIA is a prefix of four letters",
		"eyJ is how encoded objects begin", "AIza", "glpat-", "Bearer of bad news arrived yesterday evening", "bearer authentication is used",
		"cookie: yes", "Cookies are baked", "auth: none", "\"auth\": \"none\"", "curl -u alice https://example.com", "curl -sSfL https://example.com/install.sh",
		"--token-file /run/secrets/token", "--password-stdin", "--secret id=npm", "docker run --env-file .env", "--api-key-name main",
		"-----BEGIN CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKq person@host",
		"BYPASS=enabled-for-all", "COMPASS=north-north-west", "PUBLIC_KEY=/etc/keys/public.asc", "PWD=/home/user/project", "OLDPWD=/home/user",
		"PASS  TestEverything (12.34s)", "PASS: 120, FAIL: 3", "primary_key=identifier", "foreign_key: orders.customer_id", "cache_key: build-linux-amd64",
		"private_key_path: config/keys/deploy", "password_hash_algorithm: argon2id-v19", "token_endpoint: /oauth2/token", "credentials: include", "credentials: same-origin",
		"re_export_of_all_names", "patch-1234 and path/to/pattern.go", "Access-Control-Allow-Origin: *", "access-production-logs", "docker login registry.example.com", `docker login -u bob -p "$PASSWORD"`,
		"sshpass -p $PASS ssh host", "mysql -u root -p app", "mysql --protocol=tcp --port=3306", "mysql-server-8.0 is already the newest version", "fw_update_of_the_whole_firmware", "locale sk_SK.UTF-8",
		"hcaptcha_site", "sb_secretary", "rnd_seed=42", `<input name="password" value="">`, `<input name="csrf_token" value="x">`, "d41d8cd98f00b204e9800998ecf8427e-us-east-1", "AQ.1 and AQ.2 are questions",
		"robots.txt allows MNO", "secret_key: <your key>", "secret-key-ring: trusted", "Private-Lines: 4", "private-token: none", "password%3D", "https%3A%2F%2Fexample.com%3A8080%2Fx", "jina_embeddings", "tvly- is a prefix",
		`{\"password\": \"required\"}`, `\u0022token\u0022: null`, "phx_new generates a project", "LTAI", "vcp_is_a_name", "cfk_ and cfut_ begin tokens", "bot MNOPQRSTUVWXYZ", "dt0c01.short", "zażółć\tgęślą jaźń 👩‍👧",
		"mariadb -u root -p app", "config.auth.v2.token.refresh.window16 = 300", "expected token: 'identifier', got 'number'", "secretKeyRef: {name: db, key: password}",
	}
	if len(stays) < 120 {
		t.Fatalf("only %d look-alikes", len(stays))
	}
	for _, s := range stays {
		if got := String(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestValuesOfTheEnvironment(t *testing.T) {
	v := Environment([]string{
		"DEPLOY_PASSWORD=correct horse battery", "SERVICE_TOKEN=Zz9-plain", "PATH=/usr/bin:/bin", "SSH_AUTH_SOCK=/tmp/ssh-agent.1", "SECRET_NAME=production1",
		"API_TOKEN=short", "PASSWORD=password", "SIGNING_KEY=/etc/keys/signing", "DEBUG_TOKEN=production", "GH_TOKEN=123456",
	}, []string{"EXTRA_SECRET=a1b2c3d4e5"})
	in := "login with correct horse battery, Zz9-plain, a1b2c3d4\x1b[1me5\x1b[m; /tmp/ssh-agent.1 production1 short password /etc/keys/signing production 123456"
	want := "login with [redacted], [redacted], [redacted]; /tmp/ssh-agent.1 production1 short password /etc/keys/signing production 123456"
	if got := v.String(in); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestSecretFiles(t *testing.T) {
	for name, want := range map[string]bool{
		".env": true, "a/.env.local": true, ".env.production": true, "deploy/key.pem": true, ".ssh/id_rsa": true, "id_ed25519": true, "id_deploy": true, "keys/id_rsa.pub": true,
		".netrc": true, "x/.npmrc": true, "credentials": true, "credentials.json": true, ".aws/credentials": true, "credentials.yml.enc": true, `a\\.env`: true, "Credentials.CSV": true,
		"env.go": false, "environment.ts": false, "id_map.go": false, "src/id_token.py": false, "credentials_test.go": false, "credentials.md": false, "identity.txt": false,
		"pem.go": false, "npmrc": false, "valid_ids.txt": false,
	} {
		if got := SecretFile(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func BenchmarkString(b *testing.B) {
	line := strings.Repeat("ok  \tgauntlet/internal/run\t0.123s coverage: 81.2% of statements\n", 1000)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		String(line)
	}
}

func FuzzString(f *testing.F) {
	for _, form := range forms(f) {
		f.Add(form[0] + form[1] + form[2])
	}
	f.Add("\x1b]0;title\x07 \xff\x00 password=")
	f.Fuzz(func(t *testing.T, s string) {
		once := String(s)
		if strings.ContainsRune(once, 0x1b) {
			t.Fatalf("escape sequence left: %q", once)
		}
		_ = Find(s)
		_ = Line(s, 80)
		_ = Environment([]string{s}).String(s)
	})
}
