import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toResourceNames } from '../../core/custom-resource/names.ts'
import { armCases } from '../../test/crds/cases.ts'
import { MONITOR, SERP_MONITOR } from '../../test/crds/definition.ts'
import { monitorWith } from '../../test/crds/sample.ts'
import { DOC_BLOCKS } from '../../test/support/docs/doc-blocks.ts'
import { PROGRAM, pulumi, runProgram } from './program.ts'

const run = promisify(execFile)
const EXAMPLES = join(import.meta.dirname, '../examples')
const examples = readdirSync(EXAMPLES).map((name): [string, string] => [
  `examples/${name}`,
  readFileSync(join(EXAMPLES, name, 'index.ts'), 'utf8'),
])
const PAGES = ['pulumi.md', 'quickstart.md', '../pulumi/README.md']
const blocks = DOC_BLOCKS.filter(({ page, language }) => PAGES.includes(page) && language === 'ts').map(
  ({ page, number, text }): [string, string] => [`docs/${page}, block ${number}`, text],
)
const programs = [...examples, ...blocks]
/** The types of @pulumi/kubernetes take seconds to read, on a busy machine many. */
const COMPILER_MS = 240_000
const SETTINGS = { 'shop:chatAddress': 'https://hooks.example/1', 'shop:shopToken': 'Bearer 1' }

/** The address of a destination may come from a Secret instead, so types of a custom resource do not require it. */
const FROM_SECRET = /new tidemark\.\w+\(.*"deliveries":\[\{"type":"\w+"\}\]/

const fileOf = (title: string) => join(PROGRAM, 'programs', `${title.replaceAll(/\W+/g, '-')}.ts`)

/** Compiles files as a program of a user is compiled, and returns what the compiler says. */
async function compile(files: readonly string[], ...options: readonly string[]): Promise<string> {
  const tsc = join(PROGRAM, 'node_modules/typescript/bin/tsc')
  const args = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--types', 'node', ...options, ...files]
  return run(process.execPath, [tsc, ...args], { cwd: PROGRAM }).then(
    () => '',
    (error: unknown) => (error as { stdout: string }).stdout,
  )
}

describe('A program', () => {
  beforeAll(async () => {
    await mkdir(join(PROGRAM, 'programs'), { recursive: true })
    await Promise.all(programs.map(([title, text]) => writeFile(fileOf(title), text)))
  })
  afterAll(() => rm(join(PROGRAM, 'programs'), { recursive: true }))

  test('is among the examples and on the page', () => {
    expect(examples.map(([name]) => name)).toEqual(['examples/install', 'examples/kubernetes', 'examples/rest'])
    expect(blocks.length).toBeGreaterThanOrEqual(5)
    expect(new Set(blocks.map(([title]) => title.split(',')[0])).size).toBe(PAGES.length)
  })

  test.each(programs)('of %s registers what it declares', async (title) => {
    const { registered } = await runProgram(async () => {
      for (const [key, value] of Object.entries(SETTINGS)) pulumi.runtime.setConfig(key, value)
      await import(fileOf(title))
    })
    expect(registered.some(({ type }) => /Monitor$|Release$/.test(type))).toBe(true)
    const shown = registered.filter(({ type }) => !type.endsWith('Secret')).map(({ inputs }) => inputs)
    if (title !== 'examples/rest') expect(JSON.stringify(shown)).not.toMatch(/hooks\.example|Bearer 1/)
  })

  test.each([
    ['with the resolution of Node', ['--module', 'nodenext']],
    ['with the older one', ['--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '6.0']],
  ])(
    'compiles %s',
    async (_, options) => {
      expect(
        await compile(
          programs.map(([title]) => fileOf(title)),
          ...options,
        ),
      ).toBe('')
    },
    COMPILER_MS,
  )

  test(
    'compiles with every variant of the definitions, and with no other',
    async () => {
      const declare = (entry: string, kind: string, spec: unknown, index: number) =>
        `new ${entry}.${kind}('m${index}', ${JSON.stringify(spec)})`
      const lines = (valid: boolean) =>
        [MONITOR, SERP_MONITOR].flatMap((definition) => {
          const kind = definition === MONITOR ? 'Monitor' : 'SerpMonitor'
          const cases = armCases(definition).filter((each) => each.valid === valid)
          return cases.flatMap(({ place, value }, index) => {
            const spec = toResourceNames(definition, monitorWith(place, value, definition))
            return [declare('tidemark', kind, spec, index), declare('rest', kind, spec, index)]
          })
        })
      const head = "import * as tidemark from '@tidemark/pulumi'\nimport * as rest from '@tidemark/pulumi/rest'\n"
      const [right, wrong] = [fileOf('right'), fileOf('wrong')]
      await writeFile(right, `${head}${lines(true).join('\n')}\n`)
      expect(lines(true).length).toBeGreaterThan(50)
      // Rules of the API that types cannot say are not among these.
      await writeFile(wrong, `${head}${lines(false).join('\n')}\n`)
      expect(await compile([right], '--module', 'nodenext')).toBe('')
      const refused = new Set(
        [...(await compile([wrong], '--module', 'nodenext')).matchAll(/wrong\.ts\((\d+),/g)].map(([, line]) =>
          Number(line),
        ),
      )
      const missed = lines(false).filter((text, index) => !refused.has(index + 3) && !FROM_SECRET.test(text))
      expect(missed).toEqual([])
    },
    COMPILER_MS,
  )
})
