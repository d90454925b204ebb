import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { takeOwnerLock } from '../../platform/owner-lock.ts'
import { temporaryFolder } from './postgres/embedded-fixture.ts'

test('a lock whose process is gone is taken over', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'lock')
  await writeFile(path, '4194304 long-gone\n')
  const lock = await takeOwnerLock(path)
  expect(await readFile(path, 'utf8')).toMatch(new RegExp(`^${process.pid} `))
  await lock.release()
})

test('a lock whose number now belongs to another process is taken over', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'lock')
  await writeFile(path, `${process.ppid} of-an-earlier-life\n`)
  await expect(takeOwnerLock(path)).resolves.toBeDefined()
})

test('a stale lock that many want at once is given to one', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'lock')
  await writeFile(path, '4194304 long-gone\n')
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => takeOwnerLock(path)))
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
})

test('a lock that was released can be taken again', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'lock')
  await (await takeOwnerLock(path)).release()
  await expect(takeOwnerLock(path)).resolves.toBeDefined()
})
