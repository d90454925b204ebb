import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readQuietFolder } from '../../manifests/read-folder.ts'
import { temporaryFolder } from '../cli/temporary-folder.ts'

test('a file that is written in several steps is read when it is complete', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'all.yaml')
  await writeFile(file, 'first\n')
  const read = readQuietFolder(folder.path, 500)
  // A writer that takes its time.
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
