/** What a newcomer does, and what has to be on the screen then. */
export interface Task {
  readonly title: string
  readonly text: string
  /** `on`: it runs until it is stopped, in a terminal of its own. */
  readonly runs: 'here' | 'on'
  readonly shows: RegExp
}

const on = (title: string, text: string): Task => ({ title, text, shows: /^/, runs: 'on' })
const here = (title: string, shows: RegExp, text: string): Task => ({ title, text, shows, runs: 'here' })

const manifest = (name: string, destination: string) => `apiVersion: tidemark.dev/v1
kind: Monitor
metadata:
  name: ${name}
spec:
  name: The ${name}
  url: http://127.0.0.1:8181/
  scheduleIntervalSeconds: 3600
  extractConfig:
    method: css
    fields:
      price: .price
  diffPredicate:
    type: field_changes
    field: price
  deliveries:
    - ${destination}
`
/** The page to practise on is on this machine. */
const OPEN = 'TIDEMARK_ALLOW_PRIVATE_CIDRS=127.0.0.0/8'
const WEBHOOK = '{ type: webhook, url: http://127.0.0.1:8181/hook }'
const SLIPS = manifest('Kettle', '{ type: webhook, urlFrom: { secretKeyRef: { name: hooks, key: url } } }')
  .replace('spec:', '  namspace: shop\nspec:')
  .replace('scheduleIntervalSeconds:', 'schedule_interval_seconds:')
const JOBS = 'url: https://example.com/\nfilter:\n- css: h1\n---\nname: disk\ncommand: df\n'

const file = (path: string, text: string) => `mkdir -p "$(dirname "$HOME/${path}")"
cat > "$HOME/${path}" <<'END'
${text.trimEnd()}
END
`

/** In the order in which somebody meets them. Each takes what those before it have left. */
export const TASKS: readonly Task[] = [
  on('start', `${OPEN} npm start`),
  here('the address in a browser', /Sign in/, 'curl -sfL http://127.0.0.1:8080/'),
  here('a first check', /price {3}"\$19\.99"/, './tidemark check examples/kettle.html --css price=.price'),
  on('the page to practise on', 'node_modules/.bin/node examples/changing-page.ts'),
  here(
    'a login with a key',
    /Logged in to http/,
    `KEY=$(./tidemark admin create-key --email owner@tidemark.local --name new --scope read write -o json | node -p \
'JSON.parse(fs.readFileSync(0)).key')
echo $KEY | ./tidemark login http://127.0.0.1:8080 2>&1`,
  ),
  here(
    'a file from a template',
    /1 manifest is valid/,
    `./tidemark templates --from-template sitemap-new-urls --url https://example.com/map.xml > "$HOME/map.yaml"
./tidemark validate -f "$HOME/map.yaml" 2>&1`,
  ),
  here(
    'the faults of a file',
    /:4:3: metadata\.name must [^]*:5:3: .*"namespace"[^]*:9:3: .*"schedule[^]*:18:\d+: .*SECRET_HOOKS_[^]*exit 1/,
    `${file('slips.yaml', SLIPS)}./tidemark validate -f "$HOME/slips.yaml" 2>&1 || echo "exit $?"`,
  ),
  here(
    'a first monitor',
    /created monitor default\/kettle[^]*The kettle +\d+s +success/,
    `${file('kettle.yaml', manifest('kettle', WEBHOOK))}${OPEN} ./tidemark check --monitor "$HOME/kettle.yaml"
./tidemark apply -f "$HOME/kettle.yaml"
./tidemark run default/kettle --wait`,
  ),
  here(
    'one whose chat is gone',
    /created monitor default\/chat[^]*success/,
    `${file('chat.yaml', manifest('chat', '{ type: slack, webhookUrl: http://127.0.0.1:8181/gone }'))}
./tidemark apply -f "$HOME/chat.yaml"
./tidemark run default/chat --wait`,
  ),
  here(
    'a change',
    /success.* yes +yes +price: \$19\.99 → \$17\.49 \(−12\.5 %\)[^]*fired[^]*price: \$19\.99 → \$17\.49/,
    `curl -s -X POST http://127.0.0.1:8181/change
./tidemark run default/kettle --wait
until ./tidemark get default/kettle | grep -q ' yes '; do sleep 0.2; done
./tidemark runs default/kettle --limit 1
./tidemark changes default/kettle`,
  ),
  here(
    'its delivery',
    /success +- +200[^]*Status: +success[^]*was delivered[^]*exit 1/,
    `./tidemark deliveries default/kettle
ID=$(./tidemark deliveries default/kettle -o name)
./tidemark delivery $ID
./tidemark replay $ID 2>&1 || echo "exit $?"`,
  ),
  here(
    'a delivery that was given up',
    /failed +given up +404[^]*The chat: the last message did not arrive/,
    `./tidemark run default/chat --wait
until ./tidemark deliveries default/chat --given-up | grep '404'; do sleep 0.2; done
./tidemark get default/chat 2>&1`,
  ),
  here(
    'jobs of another tool',
    /is not what changedetection writes, but of urlwatch[^]*disk: a command [^]*1 monitor of 2 imported, .*1 left out/,
    `${file('jobs.yaml', JOBS)}./tidemark import changedetection "$HOME/jobs.yaml" 2>&1 || echo "exit $?"
./tidemark import urlwatch "$HOME/jobs.yaml" 2>&1`,
  ),
  here(
    'deletions of a set',
    /- delete monitor default\/kettle9[^]*11 monitors would be deleted[^]*exit 2[^]*deleted monitor default\/kettle9/,
    `mkdir -p "$HOME/many"
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
  sed "s/name: kettle/name: kettle$n/" "$HOME/kettle.yaml" > "$HOME/many/$n.yaml"
done
./tidemark apply -f "$HOME/many" --set many > /dev/null
find "$HOME/many" -name '*.yaml' ! -name 12.yaml -delete
./tidemark diff -f "$HOME/many" --set many --prune || true
./tidemark apply -f "$HOME/many" --set many --prune < /dev/null 2>&1 || echo "exit $?"
./tidemark apply -f "$HOME/many" --set many --prune --yes`,
  ),
  here(
    'a login with a password',
    /Logged in to .* as owner@tidemark\.local[^]*Team of owner +yes/,
    `pick() { node -p "JSON.parse(fs.readFileSync(0)).$1"; }
LINK=$(./tidemark admin link --email owner@tidemark.local --json | pick token)
curl -sf http://127.0.0.1:8080/auth/reset-password --json '{"token": "'$LINK'", "newPassword": "kettles and fog"}'
echo 'kettles and fog' | ./tidemark login http://127.0.0.1:8080 --email owner@tidemark.local --profile owner 2>&1
./tidemark teams --profile owner`,
  ),
  here(
    'a second member',
    /You act for the team Team of owner of .*tidemark switch <team>[^]*The kettle[^]*Team of owner +yes/,
    `./tidemark admin create-owner --email grace@example.com --password 'fog and kettles' -o name
echo 'fog and kettles' | ./tidemark login http://127.0.0.1:8080 --email grace@example.com --profile grace 2>&1
curl -sf http://127.0.0.1:8080/v1/team/members/invite -H "Authorization: Bearer $(./tidemark token --profile owner)" \
--json '{"email": "grace@example.com"}'
INVITATION=$(./tidemark admin link --email grace@example.com --json | pick 'invitations[0].token')
curl -sf http://127.0.0.1:8080/v1/team/accept -H "Authorization: Bearer $(./tidemark token --profile grace)" \
--json '{"token": "'$INVITATION'"}'
./tidemark get --profile grace 2>&1
./tidemark teams --profile grace`,
  ),
  here(
    'another encryption key',
    /old_keys_may_be_removed +true[^]*Team of owner +yes/,
    './tidemark admin rotate-key 2>&1\n./tidemark teams --profile owner',
  ),
  here('a folder', /^/, file('folder/pot.yaml', manifest('pot', WEBHOOK))),
  on('a start with the folder', `${OPEN} ./tidemark serve --config "$HOME/folder" --prune`),
  here(
    'a monitor of the folder',
    /The pot +\d+s +success[^]*in the file pot\.yaml[^]*exit 1[^]*declared by the file pot\.yaml[^]*exit 1/,
    `until ./tidemark get default/pot 2> /dev/null; do sleep 0.2; done
./tidemark run default/pot --wait
./tidemark delete default/pot 2>&1 || echo "exit $?"
./tidemark apply -f "$HOME/folder" 2>&1 || echo "exit $?"`,
  ),
  here(
    'its deletion by its file',
    /there is no monitor "default\/pot"/,
    `${file('folder/lamp.yaml', manifest('lamp', WEBHOOK))}rm "$HOME/folder/pot.yaml"
while ./tidemark get default/pot 2>&1; do sleep 0.5; done`,
  ),
]
