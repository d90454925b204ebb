import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { record, recordFaults } from '../../../tools/public/record.ts'
import { released } from '../../../tools/public/released.ts'
import { temporaryFolder } from '../../support/process/temporary-folder.ts'

const run = promisify(execFile)

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const write = async (path: string, text: string) => {
  await mkdir(dirname(join(folder.path, path)), { recursive: true })
  await writeFile(join(folder.path, path), text)
}
const git = (...args: readonly string[]) =>
  run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder.path })

beforeAll(async () => {
  folder = await temporaryFolder()
  await git('init', '--quiet')
  await write('api/openapi.json', '{"paths": {"/a": {"get": {"summary": "A", "parameters": []}}}}')
  await write('charts/tidemark/values.schema.json', '{"properties": {"description": {"description": "X"}}}')
  await write('store/migrations/000001-a.sql', 'select 1;\n')
  await write('crds/tidemark.dev_a.yaml', 'spec: {group: a, versions: []}\n')
})
afterAll(() => folder[Symbol.asyncDispose]())

test('a record has what is public, without texts for readers, and is outdated when that changes', async () => {
  expect(await record(folder.path, '0.1.0')).toBe(null)
  const at = join(folder.path, 'releases/0.1.0')
  expect((await readdir(at)).toSorted()).toEqual([
    ...['command-line.json', 'crds', 'errors.json', 'metrics.json', 'migrations.json', 'openapi.json'],
    ...['settings.json', 'values.json'],
  ])
  const jsonOf = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(at, name), 'utf8'))
  expect(await jsonOf('openapi.json')).toEqual({ paths: { '/a': { get: { parameters: [] } } } })
  expect(await jsonOf('values.json')).toEqual({ properties: { description: {} } })
  expect(await recordFaults(folder.path, '0.1.0')).toEqual([])
  await write('store/migrations/000002-b.sql', 'select 2;\n')
  expect(await recordFaults(folder.path, '0.1.0')).toEqual([
    'releases/0.1.0 is not what is public in this tree (migrations.json). Write it, and commit it: ' +
      'npm run release -- --record 0.1.0',
  ])
  expect(await record(folder.path, '0.1.0')).toBe(null)
  expect(await recordFaults(folder.path, '0.1.0')).toEqual([])
})

test('the record of a version with a tag stays', async () => {
  await git('commit', '--quiet', '--allow-empty', '--message', 'a')
  await git('tag', '--no-sign', 'v0.1.0')
  expect(await record(folder.path, '0.1.0')).toBe('0.1.0 is released: what it has is written down, and stays.')
})

test('the newest version is the one that semantic versions say', () => {
  const versions = ['0.9.0', '0.10.0', '1.0.0-rc.2', '1.0.0-rc.10', '1.0.0']
  const files = versions.map((version) => ({ path: `releases/${version}/errors.json`, text: '{}' }))
  expect(released(files).map(([version]) => version)).toEqual(versions.toReversed())
})
