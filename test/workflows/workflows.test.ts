import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { JUDGES_ADVICE, JUDGES_PYTHON } from '../support/judges/python.ts'
import { describeIf, hasProgram } from '../support/run/skip.ts'

const ROOT = join(import.meta.dirname, '../..')
const WORKFLOWS = '.github/workflows'
const BUILT = join(ROOT, 'node_modules/.cache/release-tools')
const run = promisify(execFile)

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

interface Job {
  readonly container?: string | { readonly image: string }
  readonly permissions?: Readonly<Record<string, string>>
  readonly 'timeout-minutes'?: number
  readonly steps: readonly Step[]
}

interface Workflow {
  readonly permissions?: object
  readonly concurrency?: { readonly group: string }
  readonly jobs: Readonly<Record<string, Job>>
}

const textOf = (path: string) => readFile(join(ROOT, path), 'utf8')
const paths = globSync(`${WORKFLOWS}/*`, { cwd: ROOT }).toSorted()
const workflows = await Promise.all(
  paths.map(async (path) => {
    const text = await textOf(path)
    return { path, text, workflow: parse(text) as Workflow }
  }),
)
const jobs = workflows.flatMap(({ path, workflow }) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ title: `${path}: ${name}`, job })),
)
const { scripts } = JSON.parse(await textOf('package.json')) as { readonly scripts: Readonly<Record<string, string>> }

/** Returns the scripts of npm that a text calls. */
const calledIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(/\bnpm run (?:-\S+ )*([\w:-]+)/g), ([, name = '']) => name)

describe('The workflows', () => {
  test('call the gate with the tests, the release, its publication and the search for vulnerabilities', () => {
    const called = workflows.map(({ path, text }) => [path.slice(WORKFLOWS.length + 1), calledIn(text)])
    expect(Object.fromEntries(called)).toEqual({
      'ci.yaml': [],
      'release.yaml': ['release', 'release-tools', 'publish-release'],
      'vulnerabilities.yaml': ['release', 'vulnerabilities'],
    })
    expect(workflows[0]?.workflow.jobs['test']?.steps.at(-1)).toEqual({
      run: 'bash .ci/run "$PART"',
      env: { PART: "${{ github.event_name == 'schedule' && 'all' || '' }}" },
    })
  })

  test('call scripts that exist', () => {
    for (const name of workflows.flatMap(({ text }) => calledIn(text))) expect(scripts).toHaveProperty([name])
  })

  test('start with no permission at all, and one at a time', () => {
    for (const { path, workflow } of workflows) {
      expect([path, workflow.permissions]).toEqual([path, {}])
      expect([path, workflow.concurrency?.group]).toEqual([path, expect.any(String)])
    }
  })
})

test.each(jobs)('$title has permissions, an end, and actions and images by hash', ({ job }) => {
  expect(job.permissions).toMatchObject({ contents: 'read' })
  expect(job['timeout-minutes']).toBeGreaterThan(0)
  const image = typeof job.container === 'object' ? job.container.image : job.container
  expect(image).toMatch(/@sha256:[0-9a-f]{64}$/)
  for (const { uses, run: line } of job.steps) {
    expect(uses ?? `@${'0'.repeat(40)}`).toMatch(/@[0-9a-f]{40}$/)
    // A value in a line of a shell is code in it. It is read from the environment.
    expect(line ?? '').not.toContain('${{')
  }
  const checkouts = job.steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
  expect(checkouts.map((step) => step.with)).toEqual([{ 'persist-credentials': false }])
})

test('only the job that publishes may write, and it runs no script of a package', () => {
  const writing = jobs.filter(({ job }) => Object.values(job.permissions ?? {}).includes('write'))
  expect(writing.map(({ title }) => title)).toEqual([`${WORKFLOWS}/release.yaml: publish`])
  for (const { job } of writing)
    for (const { run: line } of job.steps) expect(line ?? '').not.toMatch(/\bnpm (?:ci|i)\b/)
})

test('each action is named with its version behind the hash', () => {
  for (const { text } of workflows)
    for (const line of text.match(/^.*\buses: .*$/gm) ?? []) expect(line).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

test('updates are looked for where packages, actions and judges are named', async () => {
  const { updates } = parse(await textOf('.github/dependabot.yml')) as {
    readonly updates: readonly { readonly directory?: string; readonly directories?: readonly string[] }[]
  }
  const folders = updates.flatMap(({ directory, directories }) => directories ?? directory ?? [])
  expect(folders.toSorted()).toEqual(['/', '/', '/pulumi', '/test/support/judges'])
  for (const file of ['pulumi/package.json', 'test/support/judges/requirements.txt'])
    expect(existsSync(join(ROOT, file))).toBe(true)
})

/** Returns what a judge says of the workflows: nothing. */
async function judged(program: string, args: readonly string[]): Promise<string> {
  try {
    return (await run(program, args, { cwd: ROOT })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
    return `${stdout}${stderr}`
  }
}

const zizmor = join(dirname(JUDGES_PYTHON ?? ''), 'zizmor')
describeIf(existsSync(zizmor), JUDGES_ADVICE)('The workflows as zizmor reads them', () => {
  test('are safe, in its strict mode too', async () => {
    const args = ['--offline', '--pedantic', '--quiet', '--format', 'plain', '--color', 'never', '.github']
    expect(await judged(zizmor, args)).toMatch(/^No findings to report\./)
  })
})

const actionlint = [join(BUILT, 'actionlint')].find((path) => existsSync(path)) ?? 'actionlint'
describeIf(
  existsSync(actionlint) || hasProgram('actionlint'),
  'run npm run release-tools -- actionlint, which needs Go',
)('The workflows as actionlint reads them', () => {
  test('are valid', async () => {
    expect(await judged(actionlint, ['-no-color', '-shellcheck=', '-pyflakes=', ...paths])).toBe('')
  })
})
