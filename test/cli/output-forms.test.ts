import { type Command, CommanderError } from 'commander'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { commandLine, loadCommands } from '../../cli/command-line.ts'
import { WITHOUT_FORMS } from '../../cli/output-options.ts'
import { OUTPUT_FORMS } from '../../cli/output.ts'
import { table } from '../../tools/generate/markdown.ts'
import { quietNow } from '../support/api/quiet-now.ts'
import { freePort } from '../support/network/free-port.ts'
import { status } from '../support/network/site.ts'
import { runCli } from '../support/process/cli-process.ts'
import { runHere } from '../support/process/run-here.ts'
import { givenUp, type RemoteServer, startRemoteServer } from './remote/remote-server.ts'

// There are many lines, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

const program = commandLine(process, '')
await loadCommands(
  process,
  program,
  program.commands.map((command) => command.name()),
)

/** Every command that does something, by the words that call it. */
const all = new Map(program.commands.flatMap((command) => leavesOf(command, '')))
function leavesOf(command: Command, before: string): (readonly [string, Command])[] {
  const words = `${before}${command.name()}`
  const below = command.commands.flatMap((one) => leavesOf(one, `${words} `))
  return below.length === 0 || words === 'check' ? [[words, command], ...below] : below
}

const ADMIN = '--email owner@tidemark.local'
const NEW = 'admin create-owner > log --email'

/** How each command is called, without the form. `#` is another number in each call. */
const LINES: Readonly<Record<string, string>> = {
  migrate: 'migrate',
  doctor: 'doctor',
  'smoke-test': 'smoke-test',
  check: 'check page.html --css title=h1',
  import: 'import urlwatch urls.yaml',
  templates: 'templates',
  validate: 'import urlwatch urls.yaml > log.yaml && ./tidemark validate -f log.yaml',
  login: 'login --profile a#',
  logout: 'login --profile b# > log && ./tidemark logout --profile b#',
  profiles: 'profiles',
  token: 'token',
  teams: 'teams --profile me',
  switch: 'switch "Team of owner" --profile me',
  apply: 'apply -f teapot.json',
  diff: 'diff -f other.json',
  get: 'get kettle',
  describe: 'describe kettle',
  runs: 'runs kettle',
  changes: 'changes kettle',
  deliveries: 'deliveries kettle',
  delivery: 'delivery $(./tidemark deliveries kettle --limit 1 -o name)',
  replay: 'replay $(./tidemark deliveries kettle --given-up --limit 1 -o name)',
  release: 'release --drop $(./tidemark deliveries oven --status pending --limit 1 -o name)',
  'test-delivery': 'test-delivery bell',
  pause: 'pause kettle',
  resume: 'resume kettle',
  mute: 'mute bell --for 1h',
  unmute: 'unmute bell',
  run: 'run kettle',
  delete: 'delete gone#',
  export: 'export kettle',
  tail: 'tail kettle --count 1',
  backtest: 'backtest kettle',
  'verify-webhook': 'verify-webhook kettle --test --count 1',
  'admin create-owner': 'admin create-owner --email a#@example.com',
  'admin create-key': `admin create-key ${ADMIN} --name a`,
  'admin list-keys': `admin list-keys ${ADMIN}`,
  'admin revoke-key':
    `admin create-key ${ADMIN} --name b -o name > id && ` + `./tidemark admin revoke-key ${ADMIN} --id $(cat id)`,
  'admin set-email': `${NEW} b#@example.com && ./tidemark admin set-email --email b#@example.com --to c#@example.com`,
  'admin delete-account': `${NEW} d#@example.com && ./tidemark admin delete-account --email d#@example.com --yes`,
  'admin link': `admin link ${ADMIN}`,
  'admin set-plan': `admin set-plan ${ADMIN} --plan unlimited`,
  'admin grant-credits': `admin grant-credits ${ADMIN} --runs 5`,
  'admin disk': 'admin disk',
  'admin list-clusters': 'admin list-clusters',
  'admin list-released': 'admin list-released',
  'admin release-cluster': 'admin release-cluster --cluster none#',
  'admin create-runner-token': 'admin create-runner-token --job a',
  'admin revoke-runner-token': 'admin revoke-runner-token --job a',
  'admin rotate-key': 'admin rotate-key',
  'admin unread-page': 'admin unread-page',
  'admin sync-billing': 'admin sync-billing',
}
/** What these say where there is nothing for them to do. */
const REFUSED: Readonly<Record<string, string>> = {
  'admin sync-billing': 'STRIPE_SECRET_KEY is not set',
  'admin release-cluster': 'no monitor is declared by a cluster',
}
/** Lists that are empty here. */
const EMPTY: ReadonlySet<string> = new Set([
  'migrate',
  'admin disk',
  'admin list-clusters',
  'admin list-released',
  'admin unread-page',
])
/** One writer makes YAML of what is written as JSON. These change nothing, so that both are of the same state. */
const IN_YAML = ['get', 'deliveries', 'admin list-keys']
/** Other tests run these: the first needs a browser and a search engine, the others an API server. */
const ELSEWHERE = ['check serp', 'cluster-secret keys', 'cluster-secret owner']
const without = (words: string) => WITHOUT_FORMS[words]?.forms ?? []
const WITH_NONE = [...all.keys()].filter((words) => without(words).length === OUTPUT_FORMS.length)

test('every command is called by a test of its forms', () => {
  expect([...Object.keys(LINES), ...ELSEWHERE, ...WITH_NONE].toSorted()).toEqual([...all.keys()].toSorted())
  expect(Object.keys(WITHOUT_FORMS).filter((words) => !all.has(words))).toEqual([])
})

describe('a form that a command has not is refused, with why', () => {
  const lines = Object.entries(WITHOUT_FORMS).flatMap(([words, { forms, why }]) => [
    ...forms.map((form) => [`${words} -o ${form}`, words, why] as const),
    ...(forms.includes('json') ? [[`${words} --json`, words, why] as const] : []),
  ])
  test.each(lines)('%s', (line, words, why) => {
    const { code, said } = spoken(line)
    expect([code, said]).toEqual([1, expect.stringContaining(`: ${why}.`)])
    // A search has the options of a check.
    expect(said).toContain(`${words.replace(' serp', '')} has no `)
  })

  test('help and completion of such a command do not show it', async () => {
    expect(spoken('serve --help').said).not.toMatch(/--json|--output/)
    const check = spoken('check --help').said.replaceAll(/\s+/g, ' ')
    expect(check).toContain('--output <form> the form of what is printed (choices: "table", "wide", "json", "yaml"')
    expect((await runHere(['completion', 'bash'])).stdout).toMatch(
      /^ {4}serve\) words='--config --config-team --prune --help'/m,
    )
  })
})

test('a form that is none is refused, and so are two of them', async () => {
  const none = await runCli(['import', 'urlwatch', 'urls.yaml', '-o', 'monitors/'])
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('Allowed choices are table, wide, name')])
  expect(none.stderr).toContain('Files are written by --dir.')
  expect(spoken('profiles --json -o name').said).toContain('cannot be used with option')
})

/** Returns what a command line says that ends before its command runs. */
function spoken(line: string): { readonly code: number; readonly said: string } {
  let said = ''
  const write = (text: string) => void (said += text)
  const quiet = (command: Command): Command => {
    command.exitOverride().configureOutput({ writeOut: write, writeErr: write })
    command.commands.forEach(quiet)
    return command
  }
  try {
    quiet(commandLine(process, '')).parse(line.split(' '), { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return { code: error.exitCode, said }
    throw error
  }
  throw new Error(`${line} was not refused`)
}

describe('every other command prints', () => {
  let remote: RemoteServer
  let settings: Record<string, string>
  let count = 0
  beforeAll(async () => {
    remote = await startRemoteServer()
    settings = { DATABASE_URL: remote.databaseUrl, TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a test' }
    // One for each form in which they are sent again.
    const hooks = ['/a', '/b', '/c'].map((path) => remote.site.page(path, status(400)))
    await remote.watch('kettle', { deliveries: hooks.map((url) => ({ type: 'webhook', url })) })
    const quiet_hours = quietNow()
    await remote.watch('oven', { deliveries: hooks.map((url) => ({ type: 'webhook', url, quiet_hours })) })
    await remote.watch('bell', { deliveries: [{ type: 'webhook', url: remote.site.page('/taken', status(204)) }] })
    const spec = { url: remote.site.url, schedule_interval_seconds: 3600, extract_config: { method: 'full_page' } }
    const gone = { ...spec, diff_predicate: { type: 'any_field_changes' } }
    for (const nth of [1, 2]) await remote.ask('POST', '/v1/monitors?paused=true', { ...gone, name: `gone${nth}` })
    // A change, for the backtest.
    remote.site.price('$2')
    await remote.sh('./tidemark run kettle --wait')
    await remote.sh('./tidemark run oven --wait')
    await givenUp(remote, hooks.length)
    for (const name of ['teapot', 'other'])
      await writeFile(
        join(remote.folder, `${name}.json`),
        JSON.stringify({
          apiVersion: 'tidemark.dev/v1',
          kind: 'Monitor',
          metadata: { name },
          spec: {
            name,
            url: remote.site.url,
            scheduleIntervalSeconds: 3600,
            extractConfig: { method: 'full_page' },
            diffPredicate: { type: 'any_field_changes' },
          },
        }),
      )
    await remote.sh(`echo '${remote.password}' | ./tidemark login --email owner@tidemark.local --profile me`)
    await writeFile(join(remote.folder, 'page.html'), '<h1>A kettle</h1>')
    await writeFile(join(remote.folder, 'urls.yaml'), 'url: https://example.com/\n')
  }, 120_000)
  afterAll(() => remote[Symbol.asyncDispose]())

  /** Calls a command with a form. */
  async function called(words: string, form: string): Promise<string> {
    count += 1
    const port = words === 'verify-webhook' ? ` --port ${await freePort()}` : ''
    const nth = words === 'delete' ? (form === '--json' ? 1 : 2) : count
    const line = LINES[words]?.replaceAll('#', String(nth))
    const { code, stdout, stderr } = await remote.sh(`./tidemark ${line}${port} ${form}`, settings)
    const refused = REFUSED[words]
    const expected = refused === undefined ? (words === 'diff' ? 1 : 0) : 1
    expect([code, stderr]).toEqual([expected, expect.stringContaining(refused ?? '')])
    return stdout
  }

  const working = Object.keys(LINES).filter((words) => REFUSED[words] === undefined)
  test.each(working)('%s: as JSON for programs', async (words) => {
    expect(typeof JSON.parse(await called(words, '--json'))).toBe('object')
  })

  test.each(IN_YAML)('%s: the same as YAML', async (words) => {
    expect(parse(await called(words, '-o yaml'))).toEqual(JSON.parse(await called(words, '--json')))
  })

  test.each(working.filter((words) => !without(words).includes('name')))('%s: as names', async (words) => {
    const lines = (await called(words, '-o name')).split('\n')
    expect(lines.pop()).toBe('')
    if (!EMPTY.has(words)) expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(line).toMatch(/^\S+$/)
  })

  test.each(Object.keys(REFUSED))('%s: nothing but why it is refused', async (words) => {
    for (const form of ['--json', '-o name']) expect(await called(words, form)).toBe('')
  })

  test('the same names after the first apply and after the second one', async () => {
    const { stdout } = await remote.sh('for n in 1 2; do ./tidemark apply -f other.json -o name; done')
    const [first, second] = stdout.split('\n')
    expect(first).toMatch(/^monitor\/[-0-9a-f]{36}$/)
    expect(second).toBe(first)
  })
})

test('docs/command-line.md has every form that a command has not', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/command-line.md'), 'utf8')
  const rows = Object.entries(WITHOUT_FORMS).map(([words, { forms, why }]) => {
    const names = forms.length === OUTPUT_FORMS.length ? 'any form' : forms.map((form) => `\`-o ${form}\``).join(', ')
    return [`\`${words}\``, names, why]
  })
  expect(page).toContain(table(['Command', 'Has no', 'Why'], rows))
})
