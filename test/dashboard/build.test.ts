import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildDashboard } from '../../tools/build/build-dashboard.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const SOURCE = join(ROOT, 'dashboard')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-dashboard-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Returns the files of a build by their paths. */
async function build(name: string, source = SOURCE): Promise<ReadonlyMap<string, Buffer>> {
  const target = join(folder, name)
  await buildDashboard(source, target)
  const entries = await readdir(target, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    await Promise.all(
      paths.toSorted().map(async (path) => [path.slice(target.length + 1), await readFile(path)] as const),
    ),
  )
}

const hashOf = (files: ReadonlyMap<string, Buffer>) => /assets\/([\w-]+)\//.exec([...files.keys()].join('\n'))?.[1]

describe('the build of the dashboard', () => {
  test('is byte for byte the same twice, and has another hash when anything in it is different', async () => {
    const first = await build('first')
    // Within the repository, where the packages are found.
    const copy = await mkdtemp(join(ROOT, 'node_modules/.cache/dashboard-'))
    try {
      await cp(SOURCE, copy, { recursive: true, filter: (path) => !path.endsWith('/dist') })
      // The one of the repository says the same, and is not looked for beyond a folder of packages.
      await writeFile(join(copy, 'package.json'), '{ "type": "module" }')
      const second = await build('second', copy)
      expect([...second.keys()]).toEqual([...first.keys()])
      for (const [path, content] of first) expect(content.equals(second.get(path) ?? Buffer.alloc(0)), path).toBe(true)
      expect([...first.keys()]).toContain(`assets/${hashOf(first)}/app.js.gz`)
      await writeFile(join(copy, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"></svg>')
      expect(hashOf(await build('other', copy))).not.toBe(hashOf(first))
    } finally {
      await rm(copy, { recursive: true, force: true })
    }
  })

  test('ends with success and one line where its packages are not installed', async () => {
    const elsewhere = join(folder, 'elsewhere')
    await cp(join(ROOT, 'tools/build'), join(elsewhere, 'tools/build'), { recursive: true })
    await cp(join(ROOT, 'tools/build-dashboard.ts'), join(elsewhere, 'tools/build-dashboard.ts'))
    await cp(join(ROOT, 'tools/check/border-table.ts'), join(elsewhere, 'tools/check/border-table.ts'))
    // npm installs what other packages name as optional, without the rest.
    await mkdir(join(elsewhere, 'node_modules'))
    for (const name of ['vite', 'react', 'react-dom'])
      await symlink(join(ROOT, 'node_modules', name), join(elsewhere, 'node_modules', name))
    await writeFile(join(elsewhere, 'package.json'), '{ "type": "module" }')
    const { stdout, stderr } = await run(process.execPath, [join(elsewhere, 'tools/build-dashboard.ts')])
    expect([stdout, stderr]).toEqual(['The dashboard is not built: the packages for it are not installed.\n', ''])
  })
})
