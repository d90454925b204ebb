import { execFile, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { replacePrivateFile, tryToReplace } from '../../platform/private-file.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { describeIf } from '../support/run/skip.ts'

const execute = promisify(execFile)
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let file: string
beforeEach(async () => {
  folder = await temporaryFolder()
  file = join(folder.path, 'token')
  await writeFile(file, 'before\n')
})
afterEach(() => folder[Symbol.asyncDispose]())

test('a file is replaced only where that is still right when the text is on the disk', async () => {
  let names: string[] = []
  const isStillRight = () => {
    names = readdirSync(folder.path)
    return false
  }
  expect(await replacePrivateFile(file, 'next\n', isStillRight)).toBe(false)
  expect(names).toHaveLength(2)
  expect([await readFile(file, 'utf8'), await readdir(folder.path)]).toEqual(['before\n', ['token']])
  expect(await replacePrivateFile(file, 'next\n')).toBe(true)
  expect([await readFile(file, 'utf8'), await readdir(folder.path)]).toEqual(['next\n', ['token']])
})

test('a try changes nothing, and removes the drafts that killed processes left', async () => {
  const draft = (digit: string) => `token.${digit.repeat(8)}-0000-4000-8000-000000000000`
  const others = [draft('1'), 'token.of-somebody', 'other.00000000-0000-4000-8000-000000000000']
  for (const name of [...others, draft('2')]) await writeFile(join(folder.path, name), '')
  for (const name of [...others.slice(1), draft('2')]) await utimes(join(folder.path, name), 0, 0)
  await tryToReplace(file)
  expect((await readdir(folder.path)).toSorted()).toEqual([...others, 'token'].toSorted())
  expect(await readFile(file, 'utf8')).toBe('before\n')
  await tryToReplace(join(folder.path, 'new'))
  expect(await readdir(folder.path)).not.toContain('new')
})

const MOUNTS = ['--user', '--map-root-user', '--mount']
const canMount = spawnSync('unshare', [...MOUNTS, 'true']).status === 0

describeIf(canMount, 'allow namespaces of users', { isBeyondCi: true })('a file that is mounted alone', () => {
  test('is found by the try, not by the first replacement', async () => {
    const module = new URL('../../platform/private-file.ts', import.meta.url)
    const script = `
      import { replacePrivateFile, tryToReplace } from '${module.href}'
      const codes = [tryToReplace, (file) => replacePrivateFile(file, 'next')].map((one) =>
        one(process.argv[1]).catch(({ code }) => code))
      process.stdout.write((await Promise.all(codes)).join())`
    const mount = join(folder.path, 'mounted')
    await writeFile(mount, 'from elsewhere\n')
    const node = [process.execPath, '--input-type=module', '--eval', script, file]
    const command = ['sh', '-c', 'mount --bind "$0" "$1" && shift && exec "$@"', mount, file, ...node]
    const { stdout } = await execute('unshare', [...MOUNTS, ...command])
    expect(stdout).toBe('EXDEV,EBUSY')
    expect((await readdir(folder.path)).toSorted()).toEqual(['mounted', 'token'])
  })
})
