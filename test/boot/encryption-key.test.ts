import { chmod, chown, lchown, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  addKeyToFile,
  encryptionKey,
  followKeys,
  keepNewestInFile,
  keyFile,
} from '../../boot/settings/encryption-key.ts'
import { readSettings } from '../../boot/settings/read-config.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'

const OLD = 'the key that was there before'
const IS_ROOT = process.geteuid?.() === 0
/** The account `nobody`, where a test may give files away. */
const NOBODY = 65_534

async function dataFolder() {
  const folder = await temporaryFolder()
  const settings = readSettings({ TIDEMARK_DATA_DIR: folder.path })
  return { settings, file: keyFile(settings), path: folder.path, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] }
}

test('a key file that is too short begins no database', async () => {
  await using data = await dataFolder()
  for (const text of ['short', `${OLD},short`]) {
    await writeFile(data.file, `${text}\n`)
    await expect(encryptionKey(data.settings)).rejects.toThrow(
      `${data.file} has a key of fewer than 16 characters: remove the file, and the next start makes a key`,
    )
  }
  await writeFile(data.file, `${OLD}\n`)
  expect(await encryptionKey(data.settings)).toBe(OLD)
})

test('a rotated key file keeps its owner, its group and its mode', async () => {
  await using data = await dataFolder()
  await writeFile(data.file, `${OLD}\n`)
  await chmod(data.file, 0o640)
  if (IS_ROOT) await chown(data.file, NOBODY, NOBODY)
  const before = await stat(data.file)
  const list = await addKeyToFile(data.settings)
  expect(await readFile(data.file, 'utf8')).toBe(`${list}\n`)
  expect(list).toMatch(new RegExp(`^[\\w+/]{43}=,${OLD}$`))
  await keepNewestInFile(data.settings, list)
  expect(await readFile(data.file, 'utf8')).toBe(`${list.split(',')[0]}\n`)
  const { uid, gid, mode } = await stat(data.file)
  expect({ uid, gid, mode }).toEqual({ uid: before.uid, gid: before.gid, mode: before.mode })
  expect(await readdir(data.path)).toEqual(['encryption-key'])
})

test('a key file that is a symbolic link is replaced where it leads to', async () => {
  await using data = await dataFolder()
  await mkdir(join(data.path, 'mount'))
  await writeFile(join(data.path, 'mount', 'key'), OLD)
  await symlink('mount', join(data.path, 'current'))
  await symlink('current/key', data.file)
  const list = await addKeyToFile(data.settings)
  expect((await lstat(data.file)).isSymbolicLink()).toBe(true)
  expect(await readFile(join(data.path, 'mount', 'key'), 'utf8')).toBe(`${list}\n`)
})

test.runIf(IS_ROOT)('root does not follow a link that another account made', async () => {
  await using data = await dataFolder()
  const other = join(data.path, 'a file of root')
  await writeFile(other, OLD)
  await symlink(other, data.file)
  await lchown(data.file, NOBODY, NOBODY)
  await expect(addKeyToFile(data.settings)).rejects.toThrow(
    `${data.file} is a symbolic link that belongs to another account (65534); run this as that account`,
  )
  expect(await readFile(other, 'utf8')).toBe(OLD)
})

test('a key file that somebody changed during the rotation stays as it is', async () => {
  await using data = await dataFolder()
  await writeFile(data.file, OLD)
  const list = await addKeyToFile(data.settings)
  await writeFile(data.file, `another key,${list}`)
  await expect(keepNewestInFile(data.settings, list)).rejects.toThrow('was changed meanwhile and stays as it is')
  expect(await readFile(data.file, 'utf8')).toBe(`another key,${list}`)
})

test('a key that was replaced before the file is followed is taken up, and again when that failed once', async () => {
  await using data = await dataFolder()
  const faults: string[] = []
  const tries: string[] = []
  await writeFile(data.file, `new,${OLD}\n`)
  const keys = followKeys(data.file, {
    known: OLD,
    async takeUp(list) {
      tries.push(list)
      if (tries.length < 3) throw new Error('the store is away')
    },
    onFault: (fault) => faults.push(String(fault)),
  })
  await keys.look()
  expect(tries).toEqual([`new,${OLD}`])
  keys.follow()
  await eventually(
    async () => tries.length,
    (count) => count === 3,
  )
  await writeFile(data.file, 'new\n')
  await eventually(
    async () => tries.at(-1),
    (last) => last === 'new',
  )
  await keys.stop()
  expect(tries).toEqual([`new,${OLD}`, `new,${OLD}`, `new,${OLD}`, 'new'])
  expect(faults).toEqual(['Error: the store is away'])
})

test('a key that is being taken up is waited for when the process stops', async () => {
  await using data = await dataFolder()
  await writeFile(data.file, `new,${OLD}\n`)
  const begun = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const steps: string[] = []
  const keys = followKeys(data.file, {
    known: OLD,
    async takeUp() {
      begun.resolve()
      await goOn.promise
      steps.push('taken up')
    },
    onFault: (fault) => steps.push(String(fault)),
  })
  keys.follow()
  await begun.promise
  const stopped = keys.stop().then(() => steps.push('stopped'))
  goOn.resolve()
  await stopped
  expect(steps).toEqual(['taken up', 'stopped'])
})
