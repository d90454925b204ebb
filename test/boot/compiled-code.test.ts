import { execFile } from 'node:child_process'
import { chmod, chown, copyFile, lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { describeIf } from '../support/run/skip.ts'

const SOURCE = join(import.meta.dirname, '../../boot/process/lean-start.ts')
const OTHER = 65_534

let root = ''
let home = ''
beforeEach(async () => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  await chmod(folder.path, 0o755)
  root = join(folder.path, 'tidemark')
  home = join(folder.path, 'home')
  for (const path of [join(root, 'boot/process'), join(root, 'node_modules'), home])
    await mkdir(path, { recursive: true })
  await copyFile(SOURCE, join(root, 'boot/process/lean-start.ts'))
  await chown(home, OTHER, OTHER)
})

/** Returns the folder that a start of this account keeps compiled code in; null: none. */
async function cacheOf(account: number): Promise<string | null> {
  const file = JSON.stringify(join(root, 'boot/process/lean-start.ts'))
  const script = `
    const { cacheCompiledCode } = await import(${file})
    process.setegid(${account})
    process.seteuid(${account})
    cacheCompiledCode(() => ${JSON.stringify(home)})
    const { getCompileCacheDir } = await import('node:module')
    console.log(getCompileCacheDir() ?? '')`
  const args = ['--input-type=module', '-e', script]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: {} })
  return stdout.trim() === '' ? null : join(stdout.trim(), '..')
}

const inProgram = (account: number) => join(root, `node_modules/.cache/tidemark-${account}`)
const inHome = () => join(home, '.cache/tidemark')

describeIf(process.geteuid?.() === 0, 'run as root')('compiled code', () => {
  test('of root is beside the program; another account, which cannot write there, has its own at home', async () => {
    expect(await cacheOf(0)).toBe(inProgram(0))
    expect((await lstat(inProgram(0))).mode & 0o777).toBe(0o700)
    expect((await lstat(join(root, 'node_modules/.cache'))).mode & 0o777).toBe(0o755)
    expect(await cacheOf(OTHER)).toBe(inHome())
    const { uid, mode } = await lstat(inHome())
    expect([uid, mode & 0o777]).toEqual([OTHER, 0o700])
  })

  test('of the account that owns the program is beside it, and so is that of root', async () => {
    await chown(join(root, 'node_modules'), OTHER, OTHER)
    expect(await cacheOf(OTHER)).toBe(inProgram(OTHER))
    expect(await cacheOf(0)).toBe(inProgram(0))
  })

  test('is never read from a folder that another account has made or can exchange', async () => {
    await mkdir(inProgram(0), { recursive: true, mode: 0o700 })
    await chown(inProgram(0), OTHER, OTHER)
    await chown(home, 0, 0)
    expect(await cacheOf(0)).toBe(inHome())
    await chmod(join(home, '.cache'), 0o777)
    expect(await cacheOf(0)).toBeNull()
  })

  test('is not kept where an account has neither', async () => {
    await chown(home, 0, 0)
    expect(await cacheOf(OTHER)).toBeNull()
  })
})
