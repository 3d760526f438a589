package render

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// told are scripts of which the author has to hear something, and what: a value names or becomes what another
// program runs, or is a word of a program that nobody knows behind one that is known.
var told = []struct{ script, says string }{
	// They run a command in their words.
	{`systemd-run -- {{x}}`, "chooses which command systemd-run runs"},
	{`systemd-run --user -p {{x}} backup`, "configuration code"},
	{`nsenter -t 1 -m {{x}}`, "chooses which command nsenter runs"},
	{`unshare -r {{x}}`, "chooses which command unshare runs"},
	{`bwrap --bind / / --dev /dev {{x}}`, "chooses which command bwrap runs"},
	{`firejail --net=none {{x}}`, "chooses which command firejail runs"},
	{`chroot /srv {{x}}`, "chooses which command chroot runs"},
	{`singularity exec image.sif {{x}}`, "chooses which command singularity exec runs"},
	{`valgrind -q {{x}}`, "chooses which command valgrind runs"},
	{`xvfb-run -a {{x}}`, "chooses which command xvfb-run runs"},
	{`perf stat -e cycles {{x}}`, "chooses which command perf stat runs"},
	{`doppler run -- {{x}}`, "chooses which command doppler run runs"},
	{`aws-vault exec prod -- {{x}}`, "chooses which command aws-vault exec runs"},
	{`systemd-run mytool {{x}}`, "not known here what mytool does"},
	{`xvfb-run -s "-screen 0 800x600x24" mytool {{x}}`, "not known here what mytool does"},

	// They run something elsewhere.
	{`docker run -- {{x}}`, "the image that the value names is run"},
	{`docker run --rm -v {{x}}:/data alpine ls`, "hand what is the host's to the container"},
	{`docker container run alpine {{x}}`, "chooses which command"},
	{`docker compose exec web {{x}}`, "chooses which command"},
	{`docker compose -f {{x}} up -d`, "what the file says is run"},
	{`docker build -f {{x}} .`, "what the file says is run"},
	{`kubectl run pod --image=alpine -- {{x}}`, "chooses which command"},
	{`kubectl run pod --image {{x}}`, "the image that the value names is run"},
	{`gcloud compute ssh vm -- {{x}}`, "shell code"},
	{`vagrant ssh -c {{x}}`, "shell code"},
	{`heroku run -a app {{x}}`, "chooses which command"},
	{`multipass exec vm -- {{x}}`, "chooses which command"},
	{`minikube ssh -- {{x}}`, "shell code"},

	// They install packages, whose scripts run.
	{`python3 -m pip install {{x}}`, "scripts of the package"},
	{`pip download {{x}}`, "scripts of the package"},
	{`pip --proxy http://proxy:3128 install {{x}}`, "scripts of the package"},
	{`npm --loglevel error install {{x}}`, "scripts of the package"},
	{`npm pack {{x}}`, "scripts of the package"},
	{`yarn global add {{x}}`, "scripts of the package"},
	{`bun add {{x}}`, "scripts of the package"},
	{`cargo install {{x}}`, "scripts of the package"},
	{`poetry add {{x}}`, "scripts of the package"},
	{`uv pip install {{x}}`, "scripts of the package"},
	{`conda install -y {{x}}`, "scripts of the package"},

	// They obey the directory that they start in, and the value picks it.
	{`cd {{x}} && make`, "make obeys or runs files of the directory"},
	{`cd -- {{x}} && npm test`, "npm obeys or runs files of the directory"},
	{`cd "projects/{{x}}"; git status`, "git obeys or runs files of the directory"},
	{`pushd {{x}} && ./build.sh; popd`, "./build.sh obeys or runs"},
	{`cd {{x}} && python3 tool.py`, "tool.py obeys or runs"},
	{`cd {{x}}; bash -c 'cargo test'`, "cargo obeys or runs"},
	{`D={{x}}; cd "$D" && make`, "make obeys or runs"},
	{`bash -c 'cd "$1" && make' _ {{x}}`, "make obeys or runs"},
	{`f() { cd "$1"; }; f {{x}}; make`, "make obeys or runs"},
	{`b() { make; }; (cd {{x}} && b)`, "make obeys or runs"},
	{`for d in a b; do make; cd {{x}}; done`, "make obeys or runs"},
	{`env -C {{x}} make`, "make obeys or runs"},
	{`cd {{x}} && bash *.sh`, "bash obeys or runs"},
	{`cd {{x}}; for f in ./*.sh; do bash "$f"; done`, "bash obeys or runs"},
	{`cd {{x}} && python3 -c 'import json'`, "python3 obeys or runs"},
	{`cd {{x}} && node -e 'require("./a")'`, "node obeys or runs"},
	{`cd {{x}} && hugo`, "hugo obeys or runs"},
	{`PATH=.:$PATH; cd {{x}}; ls`, "ls obeys or runs"},
	{`find {{x}} -name '*.sh' -exec bash {} \;`, "has the files that it finds there run"},
	{`find . -name {{x}} -exec bash {} \;`, "has the files that it finds there run"},
	{`find {{x}} -type f -name 'run*' -execdir {} \;`, "has the files that it finds there run"},
	{`sudo -u build --chdir={{x}} npm test`, "npm obeys or runs"},
	{`uv --directory {{x}} run pytest`, "pytest obeys or runs"},

	// They write a file that the value names, or bring files that it picks, and one runs behind it.
	{`curl -o {{x}} https://example.com/a; bash install.sh`, "it could be install.sh, which bash runs"},
	{`echo {{y}} > {{x}}; bash run.sh`, "it could be run.sh, which bash runs"},
	{`echo {{y}} > "out/{{x}}"; bash out/run.sh`, "it could be out/run.sh"},
	{`tee "{{x}}.sh" < a; . ./env.sh`, "it could be ./env.sh"},
	{`cp -- a {{x}}; ./run`, "it could be ./run"},
	{`sort -o {{x}} f; make`, "which make runs or obeys"},
	{`dd of={{x}} if=a; python3 tool.py`, "it could be tool.py"},
	{`F={{x}}; echo hi > "$F"; bash -c 'npm test'`, "which npm runs or obeys"},
	{`wget https://example.com/{{x}}/install.sh && bash install.sh`, "which files wget brings"},
	{`curl -fsSLO "https://example.com/{{x}}.sh"; sh ./i.sh`, "which files curl brings"},
	{`curl --remote-name {{x}}; bash i.sh`, "which files curl brings"},
	{`git clone {{x}} repo && make -C repo`, "which files git clone brings"},
	{`unzip {{x}}; bash install.sh`, "which files unzip brings"},
	{`tar xzf {{x}} && ./configure`, "which files tar brings"},
	{`echo {{x}} | base64 -d | tar xz; make`, "which files tar brings"},
	{`git apply <<< {{x}}; make test`, "which files git apply brings"},
	{`printf %s {{x}} > x.patch; git apply x.patch; make`, "which files git apply brings"},
	{`printf %s {{x}} > x.patch; git apply < x.patch; make`, "which files git apply brings"},
	{`printf %s {{x}} > x.patch; patch -p1 -i x.patch && npm test`, "which files patch brings"},
	{`echo {{x}} | base64 -d > a.tar; tar xf a.tar; ./configure`, "which files tar brings"},
	{`cp -- {{x}} .; bash install.sh`, "which files cp brings"},
	{`scp host:{{x}} .; bash run.sh`, "which files scp brings"},

	// They write what runs later.
	{`echo {{x}} >> ~/.bashrc`, "goes into ~/.bashrc, which runs as code in your next shell"},
	{`printf '%s\n' {{x}} >> "$HOME/.profile"`, "goes into $HOME/.profile"},
	{`echo {{x}} | tee -a ~/.zshrc`, "goes into ~/.zshrc"},
	{"cat > .git/hooks/pre-commit <<END\necho {{x}}\nEND", "goes into .git/hooks/pre-commit"},
	{`V={{x}}; echo "$V" > .envrc`, "goes into .envrc"},
	{`cp -- {{x}} ~/.ssh/authorized_keys`, "goes into ~/.ssh/authorized_keys"},
	{`curl -o .vscode/tasks.json -- {{x}}`, "goes into .vscode/tasks.json"},
	{`echo {{x}} > AGENTS.md`, "goes into AGENTS.md"},
	{`jq --arg a {{x}} '.a=$a' .mcp.json > t && mv t .mcp.json`, "goes into .mcp.json"},

	// They obey what stands in their input, their variables or their words.
	{`kubectl apply -f - <<< {{x}}`, "runs in the cluster"},
	{`echo {{x}} | kubectl create -f -`, "runs in the cluster"},
	{`kubectl apply -f {{x}}`, "runs in the cluster"},
	{`kubectl patch deploy a -p {{x}}`, "runs in the cluster"},
	{`kubectl set image deploy/a c={{x}}`, "runs in the cluster"},
	{`docker build - <<< {{x}}`, "what the text says is run"},
	{`echo {{x}} | docker compose -f - up`, "what the text says is run"},
	{`adb shell <<< {{x}}`, "runs it as shell"},
	{`echo {{x}} | redis-cli`, "runs it as commands of Redis"},
	{`redis-cli {{x}}`, "commands of Redis code"},
	{`redis-cli eval {{x}} 0`, "lua code"},
	{`redis-cli config set dir {{x}}`, "write a file anywhere"},
	{`git update-ref --stdin <<< {{x}}`, "whatever refs the text names"},
	{`psql -v t={{x}} -f q.sql`, "as it is wherever that says :name"},
	{`psql --set=t={{x}} -f q.sql`, "as it is wherever that says :name"},
	{`sqlcmd -v t={{x}} -i q.sql`, "SQL code"},
	{`FLASK_APP={{x}} flask run`, "FLASK_APP"},
	{`export DJANGO_SETTINGS_MODULE={{x}}; python3 manage.py test`, "DJANGO_SETTINGS_MODULE"},
	{`COMPOSE_FILE={{x}} docker compose up`, "COMPOSE_FILE"},
	{`MAGICK_CONFIGURE_PATH={{x}} convert a b`, "MAGICK_CONFIGURE_PATH"},
	{`SPRING_CONFIG_LOCATION={{x}} java -jar a.jar`, "SPRING_CONFIG_LOCATION"},
	{`RAILS_ENV={{x}} rake`, "some variables of that family"},
	{`dotnet {{x}}`, "file of code"},
	{`dotnet run --project {{x}}`, "dotnet obeys or runs"},
	{`invoke {{x}}`, "chooses which command"},
	{`gulp {{x}}`, "chooses which command"},
	{`perl -i{{x}} -pe 's/a/b/' f`, "perl code"},
	{`perl -C{{x}} -e 1`, "perl code"},
	{`perl -F{{x}} -ane 1 f`, "perl code"},
	{`perl -I {{x}} script.pl`, "file of code"},
	{`exiftool -if {{x}} f`, "perl code"},
	{`git send-email --smtp-server={{x}} --to a@b.c p.patch`, "shell code"},
	{`git daemon --access-hook={{x}}`, "shell code"},
	{`git web--browse -b {{x}} a`, "shell code"},
	{`git checkout {{x}} && make`, "which files git checkout brings"},
	{`git pull origin {{x}} && npm test`, "which files git pull brings"},
	{`npm explore lodash -- {{x}}`, "shell code"},
	{`npm --userconfig={{x}} ls`, "file of code"},
	{`npm --browser={{x}} docs lodash`, "configuration code"},
	{`go test {{x}}`, "the tests of the package"},
	{`go generate {{x}}`, "//go:generate"},
	{`go env -w GOFLAGS={{x}}`, "go env -w keeps"},
	{`go tool {{x}}`, "chooses which command"},
	{`node --openssl-config={{x}} s.js`, "file of code"},
	{`curl -K- https://example.com <<< {{x}}`, "runs it as configuration"},
	{`sed -f- file <<< {{x}}`, "runs it as sed"},
	{`curl --libcurl {{x}} https://example.com; bash run.sh`, "it could be run.sh"},

	// They are known, and what they start is another matter.
	{`python3 -m mytool {{x}}`, "not known here what mytool does"},
	{`python3 -mmytool {{x}}`, "not known here what mytool does"},
	{`python3 -m timeit {{x}}`, "python code"},
	{`python3 -m cProfile {{x}}`, "file of code"},
	{`python3 -m coverage run {{x}}`, "file of code"},
	{`python3 -m unittest {{x}}`, "the module that the value names is imported"},
	{`npx mytool {{x}}`, "not known here what mytool does"},
	{`npm exec mytool -- {{x}}`, "not known here what mytool does"},
	{`npx --yes ts-node {{x}}`, "file of code"},

	// They read code from their input, or from an option.
	{"sftp host <<END\nput {{x}}\nEND", "shell"},
	{`irb <<< "puts '{{x}}'"`, "a program's"},
	{"R --vanilla <<END\nx <- '{{x}}'\nEND", "a program's"},
	{`ssh -J {{x}} host true`, "configuration code"},
	{`gh api user --jq {{x}}`, "jq code"},
	{`git difftool -y -t {{x}}`, "file of code"},
	{`openssl req -config {{x}}`, "file of code"},
	{`terraform init -plugin-dir={{x}}`, "file of code"},
	{`curl -G --data-urlencode {{x}} https://example.com`, "reads a local file"},

	// A line or a word of a value begins with what the value does not begin with.
	{`while read -r h; do ssh "$h" uptime; done <<< {{x}}`, "would then be an option of ssh"},
	{`printf '%s\n' {{x}} | while read -r h; do ssh "$h" uptime; done`, "would then be an option of ssh"},
	{`mapfile -t H <<< {{x}}; for h in "${H[@]}"; do ssh "$h" uptime; done`, "would then be an option of ssh"},
	{`IFS=, read -ra H <<< {{x}}; ssh "${H[0]}" uptime`, "would then be an option of ssh"},
	{`f() { read -r h; ssh "$h" uptime; }; f <<< {{x}}`, "would then be an option of ssh"},
	{"while read -r u; do mytool -- \"$u\"; done <<END\n{{x}}\nEND", "not known here what mytool does"},

	// A subcommand that nobody knows, of a program that is known.
	{`git mytool {{x}}`, "not known here what git mytool does"},
	{`npm test -- --globalSetup={{x}}`, "not known here what npm test does"},
	{`npm run build -- --config {{x}}`, "not known here what npm run does"},
	{`npm run build -- {{x}}`, "double quotes for a shell"},
	{`pnpm test {{x}}`, "double quotes for a shell"},
	{`npm run {{x}}`, "runs the script that the value names"},
	{`yarn test --setupFiles {{x}}`, "not known here what yarn test does"},
	{`pnpm run e2e --any={{x}}`, "not known here what pnpm run does"},
	{`gh extension exec {{x}}`, "not known here what gh extension does"},
	{`gh config set editor {{x}}`, "not known here what gh config does"},
	{`docker plugin install {{x}}`, "not known here what docker plugin does"},
	{`docker volume create -o device={{x}} v`, "not known here what docker volume create does"},
	{`podman unshare {{x}}`, "not known here what podman unshare does"},
	{`docker {{x}}`, "not known here what docker does"},
	{`kubectl config set-credentials u --exec-command={{x}}`, "not known here what kubectl config set-credentials does"},
	{`kubectl krew install {{x}}`, "not known here what kubectl krew does"},
	{`helm plugin install {{x}}`, "not known here what helm plugin does"},
	{`gcloud compute instances create a --metadata startup-script={{x}}`, "not known here what gcloud compute instances create does"},
	{`az extension add --source {{x}}`, "not known here what az extension does"},
	{`terraform console <<< {{x}}`, "not known here what terraform console does"},
	{`cargo rustc -- -C {{x}}`, "not known here what cargo rustc does"},
	{`pip config set global.index-url {{x}}`, "not known here what pip config does"},

	// What programs run, obey or open by their words.
	{`gh cs ssh -c a -- ls {{x}}`, "shell code that gh cs ssh runs"},
	{`gh api repos/o/r/issues -F title={{x}}`, "gh sends the file"},
	{`kubectl create job j --image=a -- {{x}}`, "chooses which command"},
	{`helm upgrade app ./chart --set image.tag={{x}}`, "takes a comma"},
	{`helm install app {{x}}`, "what the chart says runs"},
	{`terragrunt apply --terragrunt-tfpath {{x}}`, "would name a file"},
	{`fd a -x sh -c {{x}}`, "shell code that sh -c runs"},
	{`fd a -x mytool {{x}}`, "not known here what mytool does"},
	{`ip netns exec a {{x}}`, "chooses which command ip netns exec runs"},
	{`ip -batch {{x}}`, "would name a file"},
	{`install -s --strip-program={{x}} a b`, "chooses which command install"},
	{`start-stop-daemon --start --exec {{x}}`, "chooses which command"},
	{`mypy --python-executable {{x}} a`, "would name a file"},
	{`nix-shell -p {{x}}`, "nix code"},
	{`perf script -s {{x}}`, "would name a file"},
	{`jshell {{x}}`, "would name a file"},
	{`mongosh {{x}}`, "a file of that name is run"},
	{`mocha {{x}}`, "the file that the value names is run"},
	{`npx -p {{x}} tool`, "scripts of the package"},
	{`uv run --with {{x}} a.py`, "scripts of the package"},
	{`direnv allow {{x}}`, ".envrc"},
	{`magick -script {{x}}`, "would name a file"},
	{`convert a.png -draw "text 0,0 '{{x}}'" b.png`, "the value can open files"},
	{`ffmpeg -i a.mp4 -vf "scale={{x}}:-1" b.mp4`, "load libraries"},
	{`pip install -r <(echo {{x}})`, "scripts of the packages"},
	{`pip install -r /dev/stdin <<< {{x}}`, "scripts of the packages"},
	{`kubectl apply -f <(echo {{x}})`, "what the file says runs in the cluster"},
	{`python3 manage.py shell -c {{x}}`, "python code that manage.py shell -c runs"},
	{`uv run manage.py shell <<< {{x}}`, "runs it as python"},
	{`./manage.py mine {{x}}`, "not known here what manage.py mine does"},
	{`php artisan tinker --execute={{x}}`, "php code"},
	{`php artisan {{x}}`, "not known here what artisan does"},
	{`bundle exec rake {{x}}`, "chooses which command rake runs"},
	{`npx gulp {{x}}`, "chooses which command gulp runs"},
	{`pip install --index-url={{x}} a`, "packages come from the address"},
	// A program obeys the file that the value is written to.
	{`echo {{x}} > req/base.txt; pip install -r req/base.txt`, "scripts of the packages that the file names"},
	{`echo {{x}} > k.yaml; kubectl apply -f k.yaml`, "written to k.yaml, and what the file says runs in the cluster"},
	{`T=$(mktemp); echo {{x}} > "$T"; docker build -f "$T" .`, "what the file says is run"},
	{"cat > values.yaml <<END\nname: {{x}}\nEND\nhelm upgrade a b -f values.yaml", "what the file says runs in the cluster"},
	// What a rule asks about as run or obeyed.
	{`just --chooser={{x}} --choose`, "would name a file"},
	{`pnpm --pnpmfile={{x}} install`, "would name a file"},

	// Fixed code in another language that runs texts.
	{`python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import foo' {{x}}`, "can run texts by itself"},
	{`python3 -c 'import sys,yaml; yaml.load(sys.stdin)' <<< {{x}}`, "can run texts by itself"},
	{`node -e 'require(process.argv[1])' {{x}}`, "can run texts by itself"},
	{`ruby -e 'puts IO.read(ARGV[0])' {{x}}`, "can run texts by itself"},
	{`ruby -e 'Marshal.load(STDIN)' <<< {{x}}`, "can run texts by itself"},
	{`php -r 'include $argv[1];' {{x}}`, "can run texts by itself"},
	{`php -r '$f = $argv[1]; $f();' {{x}}`, "can run texts by itself"},
}

func TestTold(t *testing.T) {
	t.Parallel()
	for _, row := range told {
		_, findings := Compile(row.script, standardRequired(), Options{})
		if len(findings) == 0 || !strings.Contains(report(findings), row.says) {
			t.Errorf("%s\n  no finding says %q:\n%s", row.script, row.says, report(findings))
		}
	}
}

// standardRequired is standard with every parameter required, so that no finding is about those that are not.
func standardRequired() []tool.Parameter {
	all := standard()
	for i := range all {
		all[i].Required = true
	}
	return all
}

// The same programs with values where they belong say nothing.
func TestToldNothing(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		`cd {{x}} && ls && wc -l a`, `make -C sub; cd -- {{x}}`, `(cd {{x}} && cat -- a); make`, `cd sub && make; cat -- {{x}}`,
		`cd {{x}} | make`, `env -C {{x}} ls`, `mkdir -p {{x}}; bash /opt/tools/run.sh`,
		`bash run.sh; echo hi > {{x}}`, `curl -o data.json -- {{x}}; bash run.sh`, `echo {{y}} > "out/{{x}}"; bash run.sh`,
		`echo {{y}} > "{{x}}.csv"; make`, `sort -o "{{x}}.csv" f; python3 tool.py`, `cp -- {{x}} data.json; bash run.sh`,
		`wget -O data.json {{x}} && python3 tool.py data.json`, `tar xzf a.tgz && make`, `git clone {{x}} repo`,
		`echo {{x}} >> notes.md`, `echo date > ~/.bashrc; echo {{x}}`, `echo {{x}} > config.yaml; cat ~/.bashrc`,
		`redis-cli get {{x}}`, `redis-cli -x set a <<< {{x}}`, `kubectl apply -f app.yaml -n {{x}}`, `dotnet run -- {{x}}`,
		`go test ./... -run {{x}}`, `find {{x}} -name '*.sh' -exec cat {} \;`, `perl -i.bak -F, -ane 's/a/b/' f; echo {{x}}`,
		`cd {{x}} && python3 -c 'print(1)'`, `git checkout {{x}}`, `systemctl status {{x}}`, `convert {{x}} out.png`,
		`git push origin {{x}}`, `adb shell ls <<< ''; echo {{x}}`, `rm -rf "cache/{{x}}"`,
		`docker run --rm alpine echo {{x}}`, `docker exec web cat -- {{x}}`, `docker compose exec -T web cat -- {{x}}`,
		`docker compose logs {{x}}`, `docker compose -p app ps`, `docker build -t {{x}} .`,
		`kubectl exec pod -- cat {{x}}`, `kubectl get pods -l {{x}}`, `kubectl logs -f {{x}}`,
		`gcloud compute instances list --filter {{x}}`, `heroku logs -a {{x}}`, `systemd-run --user cat -- {{x}}`,
		`xvfb-run -a cat {{x}}`, `valgrind -q cat {{x}}`, `nsenter -t {{n}} -m cat {{x}}`,
		`python3 -m json.tool {{x}}`, `python3 -m venv {{x}}`, `python3 -m http.server --directory {{x}}`,
		`npx eslint {{x}}`, `npm view {{x}}`, `cargo test {{x}}`, `cargo add {{x}}`,
		`git commit -m {{d}}`, `git tag -a v1 -m {{d}}`, `git switch -c {{x}}`, `git clone -b {{x}} {{y}}`,
		`git log -n {{n}} {{x}}`, `make -j {{n}}`, `make -j{{n}}`, `gh api user --jq .login`, `R --version`,
		`git lfs track {{x}}`, `git --no-pager log --author {{d}}`, `kubectl config use-context {{x}}`, `helm uninstall {{x}}`,
		`docker volume rm {{x}}`, `docker buildx build -t {{x}} .`, `terraform apply -var "name={{x}}"`,
		`pip uninstall -y {{x}}`, `cargo run -- {{x}}`, `ip addr show {{x}}`, `fd {{x}} -x wc -l`,
		`while read -r l; do echo "$l"; done <<< {{x}}`, `while read -r f; do cat -- "$f"; done <<< {{x}}`,
		`find {{x}} -name '*.c' | while read -r f; do wc -l "$f"; done`, `start-stop-daemon --start --exec /bin/a -- {{x}}`,
		`python3 manage.py loaddata {{x}}`, `python manage.py test {{x}}`, `php artisan make:model {{x}}`,
		`echo {{x}} > note.txt; kubectl apply -f k.yaml`, `echo {{x}} > a.json; curl -d @a.json https://example.com`,
		`ffmpeg -i a.mp4 -metadata title={{x}} b.mp4`, `convert a.png -resize {{x}} b.png`,
		`node -e 'const fs = require("fs"); console.log(process.argv[1])' -- {{x}}`,
		`perl -e 'print "@ARGV"' -- {{x}}`, `node -e 'console.log(process.argv[1])' -- {{x}}`,
	} {
		if template, findings := Compile(script, standardRequired(), Options{}); template == nil || len(findings) > 0 {
			t.Errorf("%s:\n%s", script, report(findings))
		}
	}
}
