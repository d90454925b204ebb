import { appendFile, mkdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { fileFault } from '../../manifests/places.ts'
import { readFolder, readQuietFolder } from '../../manifests/read-folder.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'

test('a file that is written in several steps is read when it is complete', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'all.yaml')
  await writeFile(file, 'first\n')
  const read = readQuietFolder(folder.path, 2_000)
  // A writer that takes its time. A busy machine may take much longer between two lines.
  for (const line of ['second', 'third', 'last']) {
    await pause(100)
    await appendFile(file, `${line}\n`)
  }
  expect(await read).toMatchObject({ texts: [{ file: 'all.yaml', text: 'first\nsecond\nthird\nlast\n' }], faults: [] })
})

test('a file that is written without a pause is read all the same', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'all.yaml')
  let isRead = false
  const write = async () => {
    while (!isRead) {
      await appendFile(file, 'more\n')
      await pause(5)
    }
  }
  const writing = write()
  await pause(10)
  const { texts } = await readQuietFolder(folder.path, 50)
  isRead = true
  await writing
  expect(texts).toHaveLength(1)
})

test('what editors leave beside a file is no manifest', async () => {
  await using folder = await temporaryFolder()
  const left = [
    '.a.yaml.swp',
    '.a.yaml.swx',
    'a.yaml~',
    '#a.yaml#',
    '4913',
    'a.yaml.tmp',
    'a.yaml___jb_tmp___',
    '._a.yaml',
  ]
  for (const name of ['a.yaml', ...left]) await writeFile(join(folder.path, name), 'kind: Monitor\n')
  // The lock of another editor is a link that leads nowhere.
  await symlink('me@host.1234', join(folder.path, '.#a.yaml'))
  const { texts, faults } = await readFolder(folder.path)
  expect([texts.map(({ file }) => file), faults]).toEqual([['a.yaml'], []])
})

test('a file that is too large, a file that is given for the folder, and a link to itself are named', async () => {
  await using folder = await temporaryFolder()
  const inner = join(folder.path, 'monitors')
  await mkdir(inner)
  await writeFile(join(inner, 'a.yaml'), '')
  await truncate(join(inner, 'a.yaml'), 3 * 1024 ** 3)
  await symlink('b.yaml', join(inner, 'b.yaml'))
  const { texts, faults } = await readFolder(inner)
  expect([texts, faults]).toEqual([
    [],
    [fileFault('a.yaml', 'is larger than 64 MB'), fileFault('b.yaml', 'cannot be read: ELOOP')],
  ])
  await writeFile(join(folder.path, 'one.yaml'), '')
  expect((await readFolder(join(folder.path, 'one.yaml'))).faults).toMatchObject([
    { message: 'is a file, and not a folder: name the folder that it is in' },
  ])
})
