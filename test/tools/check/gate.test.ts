import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sourceFiles } from '../../../tools/check/source-file.ts'
import { format, generated, lint, types } from '../../../tools/check/tool-checks.ts'

const REPOSITORY = join(import.meta.dirname, '../../..')

/** Each fault in a file of its own, in a small repository that has our settings and nothing else. */
const PLANTED: Record<string, string> = {
  'core/a-type.ts': "export const size: number = 'many'\n",
  'core/floating.ts': 'async function work(): Promise<void> {}\n\nexport function start(): void {\n  work()\n}\n',
  'core/chicken.ts': "import { egg } from './egg.ts'\n\nexport const chicken = (): number => egg()\n",
  'core/egg.ts': "import { chicken } from './chicken.ts'\n\nexport const egg = (): number => chicken()\n",
  'core/by-default.ts': 'export default 1\n',
  'core/whatever.ts': 'export const whatever = (value: any): void => value\n',
  'core/from-outside.ts': "export const port = process.env['PORT']\n",
  'core/from-text.ts': "export const run = new Function('return 1')\n",
  'core/evaluated.ts': 'export const run = (text: string): unknown => eval(text)\n',
  'core/machine.ts': "import vm from 'node:vm'\n\nexport const machine = vm.createContext()\n",
  'core/fetched.ts': "export const page = fetch('https://example.com')\n",
  'core/untidy.ts': 'export const a = 1;\n',
  'dashboard/tsconfig.json':
    '{ "extends": "../tsconfig.json", "compilerOptions": { "types": [] }, "include": ["src"] }\n',
  'dashboard/src/a-type.tsx': "export const port: string = process.env['PORT']\n",
  'cli/settings.ts': "export const port = process.env['PORT']\n",
  'cli/tidemark.ts': "export const port = process.env['PORT']\n",
}

let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tidemark-gate-'))
  for (const name of ['tsconfig.json', '.oxlintrc.json', '.oxfmtrc.json', 'package.json'])
    await copyFile(join(REPOSITORY, name), join(root, name))
  await symlink(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'))
  for (const [path, text] of Object.entries(PLANTED)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  await writeFile(join(root, '.gitignore'), 'node_modules\nignored.ts\n')
  await writeFile(join(root, 'ignored.ts'), '')
  execFileSync('git', ['init', '-q'], { cwd: root })
})

afterAll(() => rm(root, { recursive: true, force: true }))

describe('the gate', () => {
  test('sees a wrong type, and where', async () => {
    const faults = await types.faults({ root, files: [] })
    expect(faults.join('\n')).toMatch(/core\/a-type\.ts\(1,14\): error TS2322/)
  })

  test('sees that the dashboard uses what a browser has not', async () => {
    const faults = await types.faults({ root, files: [] })
    expect(faults.join('\n')).toMatch(/dashboard\/src\/a-type\.tsx\(1,29\): error TS2591/)
  })

  test('sees what the linter is there for, and where', async () => {
    const faults = await lint.faults({ root, files: [] })
    const seen = (path: string): string => faults.filter((line) => line.includes(path)).join('\n')
    expect(seen('core/floating.ts')).toContain('no-floating-promises')
    expect(seen('core/chicken.ts')).toContain('no-cycle')
    expect(seen('core/by-default.ts')).toContain('no-default-export')
    expect(seen('core/whatever.ts')).toContain('no-explicit-any')
    expect(seen('core/from-outside.ts')).toContain('no-process-env')
    expect(seen('core/from-text.ts')).toContain('no-new-func')
    expect(seen('core/evaluated.ts')).toContain('no-eval')
    expect(seen('core/machine.ts')).toContain('no-restricted-imports')
    expect(seen('core/fetched.ts')).toContain('no-restricted-globals')
    expect(seen('cli/settings.ts')).toContain('no-restricted-globals')
    expect(seen('cli/tidemark.ts')).toBe('')
  })

  test('sees a file that is not formatted, and only that', async () => {
    const faults = await format.faults({ root, files: [] })
    expect(faults.filter((line) => line.startsWith('core/'))).toEqual(['core/untidy.ts'])
  })

  test('sees a generator that finds a difference', async () => {
    expect(await generated.faults({ root, files: [] })).toEqual([])
    await mkdir(join(root, 'tools'), { recursive: true })
    await writeFile(join(root, 'tools/generate.ts'), "console.log(process.argv[2], 'differs')\nprocess.exitCode = 1\n")
    expect(await generated.faults({ root, files: [] })).toEqual(['--check differs', 'ended with exit code 1'])
  })

  test('looks at what git has or would take', async () => {
    const paths = (await sourceFiles(root)).map(({ path }) => path)
    expect(paths).toContain('core/egg.ts')
    expect(paths).not.toContain('ignored.ts')
  })
})
