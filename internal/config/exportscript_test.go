package config

import "testing"

func TestCredentialNamedIn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ script, want string }{
		{`curl -u admin:hunter2 https://a`, "-u"},
		{`curl -uadmin:hunter2 https://a`, "-u"},
		{`curl -sSu "admin:hunter2" https://a`, "-sSu"},
		{`curl --user=admin:hunter2 https://a`, "--user"},
		{`curl --proxy-user p:hunter2 https://a`, "--proxy-user"},
		{`curl -H 'X-Api-Key: hunter2' https://a`, "X-Api-Key"},
		{`curl -d '{"password": "hunter2"}' https://a`, "password"},
		{`curl -d "user=a&password=hunter2" https://a`, "password"},
		{`curl "https://a/?token=hunter2&a=b"`, "token"},
		{`curl --oauth2-bearer hunter2 https://a`, "--oauth2-bearer"},
		{`MYSQL_PWD=hunter2 mysql`, "MYSQL_PWD"},
		{`export TOKEN=hunter2`, "TOKEN"},
		{`PGPASSWORD=postgres psql`, "PGPASSWORD"},
		{"API_KEY='hunter2'", "API_KEY"},
		{`mysql --password=hunter2`, "--password"},
		{`gpg --passphrase hunter2 -d f`, "--passphrase"},
		{`psql "host=h password=hunter2"`, "password"},
		{`kubectl create secret generic s --from-literal=password=hunter2`, "password"},
		{`aws configure set aws_secret_access_key hunter2`, ""}, // no sign of a value

		{`curl -u "$USER:$TOKEN" https://a`, ""},
		{`curl -u admin:{{password}} https://a`, ""},
		{`curl -H "X-Api-Key: $API_KEY" -H 'Authorization: Bearer '"$TOKEN" https://a`, ""},
		{`PGPASSWORD="$DB_PASSWORD" psql`, ""},
		{`PGPASSWORD=$(pass show db) psql`, ""},
		{`TOKEN={{token}} gh api user`, ""},
		{`docker run -u 1000:1000 alpine; docker run -u app:app alpine`, ""},
		{`sort --key=2,2n -t: f; jq '{key: .name, token: .t}'`, ""},
		{`--password-file=/run/secret; openssl enc -pass file:/x; gpg --passphrase-file f`, ""},
		{`echo "token: string, password: required"`, ""},
		{`git config user.signingkey ABCDEF0123; ssh-add ~/.ssh/id; kubectl get secret db-2024`, ""},
		{`curl --cookie-jar c.txt https://a; TOKEN=./token.txt`, ""},
	} {
		want := ""
		if row.want != "" {
			want = "what stands behind " + row.want
			if row.want[0] == '-' && row.want != "--oauth2-bearer" && row.want != "--password" && row.want != "--passphrase" {
				want = "what stands behind the user of " + row.want
			}
		}
		if got := credentialNamedIn(row.script); got != want {
			t.Errorf("%s: got %q, want %q", row.script, got, want)
		}
	}
}
