import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Config } from '../../schema/config/config.ts'
import { DOC_BLOCKS } from '../support/docs/doc-blocks.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { openReader, type Reader } from './follow-page.ts'
import { describeShell, SHELL_NAMES, type ShellName } from './shells.ts'

const ROOT = join(import.meta.dirname, '../..')
const README = await readFile(join(ROOT, 'README.md'), 'utf8')

/** A block of shell in the README. */
interface Block {
  /** `on`: it runs until it is stopped, in a terminal of its own. `no`: the test cannot run it; the page says why. */
  readonly runs: 'here' | 'on' | 'no'
  readonly text: string
}

const BLOCK = /(?:<!-- (?<mark>runs on|not run)[^>]*-->\s*)?^ *```sh\n(?<text>.*?)^ *```$/gms
const RUNS = { 'runs on': 'on', 'not run': 'no' } as const
const BLOCKS = Array.from(README.matchAll(BLOCK), ({ groups }): Block => {
  const mark = groups?.['mark'] as keyof typeof RUNS | undefined
  return { runs: mark ? RUNS[mark] : 'here', text: groups?.['text'] ?? '' }
})

/** Pages that go on where the README ends, with its page, its receiver and its variables. */
const GOES_ON = ['visual.md', 'sign-in.md'].flatMap((name) =>
  DOC_BLOCKS.filter(({ page, marker }) => page === name && marker?.endsWith('another test follows this page')),
)

describe('every block of the README', () => {
  test('can be pasted into zsh and bash: it holds no comment', () => {
    expect(BLOCKS.length).toBeGreaterThan(10)
    for (const { text } of BLOCKS) expect(text).not.toMatch(/(?:^|\s)#/m)
  })

  test('gives no variable of its own the name of a setting, which the next start would read', () => {
    const names = BLOCKS.flatMap(({ text }) => Array.from(text.matchAll(/^(\w+)=\S*$/gm), ([, name = '']) => name))
    expect(names).toContain('API')
    for (const name of names) expect(Object.keys(Config.properties)).not.toContain(name)
  })

  test('calls the command by its path, so that npx fetches no package of this name', () => {
    expect(README).not.toMatch(/npx (?:tidemark|node)/)
  })
})

// The visual monitor needs the embedded browser.
const hasEmbedded = process.platform === 'linux' && process.arch === 'x64'

describeIf(hasEmbedded, 'there is no embedded browser for this platform')(
  'The README and the pages that go on from it, followed from the top',
  () => {
    for (const name of SHELL_NAMES) describeShell(name, `in ${name}`, () => doesWhatItSays(name))
  },
)

function doesWhatItSays(name: ShellName): void {
  let reader: Reader
  beforeAll(async () => {
    reader = await openReader(name)
  })
  afterAll(() => reader[Symbol.asyncDispose]())

  test('each block does what the page says', async () => {
    const said: string[] = []
    for (const { runs, text } of BLOCKS) if (runs !== 'no') said.push(await reader.follow({ runs, text }))
    for (const { text } of GOES_ON) said.push(await reader.follow({ runs: 'here', text }))
    const all = said.join('\n')
    expect(all).toContain('  price   "$19.99"\n  title   "Hearth kettle, 0.9 litres"\n')
    expect(all).toContain("extracted: { price: '$19.99' }")
    expect(all).toContain('queued: true')
    expect(all).toMatch(/diffUrl: 'http/)
    expect(all).toContain('grace@example.com team.member_joined\n')
    expect(all).toContain('owner@tidemark.local team.member_invited\n')
    const received = await eventually(
      () => reader.received(),
      (output) => output.includes('"change_pct"') && output.includes('"after": {\n      "price": "$17.49"'),
    )
    expect(received).toContain('received, verified:\n')
    // The tests of Mattermost and of ntfy.
    expect(received).toContain('"text": "`Test: Kettle`')
    expect(received).toContain('"topic": "kettle"')
    expect(received).not.toContain('not verified')
    const [stated] = DOC_BLOCKS.flatMap(({ page, text }) =>
      page === 'visual.md' ? (/"change_pct": ([\d.]+)/.exec(text)?.[1] ?? []) : [],
    )
    expect(received).toContain(`"change_pct": ${stated}`)
  }, 180_000)
}
