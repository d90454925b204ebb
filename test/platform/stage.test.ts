import { chmod, chown, mkdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runProgram } from '../../platform/run-program.ts'
import { ensureTrustedFolder, stageForUnprivileged } from '../../platform/stage.ts'
import { unprivilegedUser } from '../../platform/unprivileged-user.ts'
import { describeIf } from '../support/run/skip.ts'
import { temporaryFolder } from './postgres/embedded-fixture.ts'

describe('a folder of programs', () => {
  test('is used where it is by ourselves', async () => {
    await using folder = await temporaryFolder(0o700)
    expect(await stageForUnprivileged(folder.path, { folder: '/nowhere', name: 'copy', user: null })).toBe(folder.path)
  })
})

describeIf(process.geteuid?.() === 0, 'run as root')('a folder of programs for another user', () => {
  async function programs(parent: string): Promise<string> {
    const source = join(parent, 'programs')
    await mkdir(join(source, 'bin'), { recursive: true })
    await writeFile(join(source, 'bin/hello'), '#!/bin/sh\ncat "$(dirname "$0")/greeting"\n')
    await chmod(join(source, 'bin/hello'), 0o700)
    await writeFile(join(source, 'bin/words'), 'hello', { mode: 0o600 })
    await symlink('words', join(source, 'bin/greeting'))
    return source
  }

  test('is used where it is when that user can reach it', async () => {
    await using folder = await temporaryFolder()
    const source = await programs(folder.path)
    await chmod(source, 0o755)
    const user = await unprivilegedUser(['nobody'])
    expect(await stageForUnprivileged(source, { folder: '/nowhere', name: 'copy', user })).toBe(source)
  })

  test('is copied out of a closed folder, links and all, so that the user can run but not change it', async () => {
    await using closed = await temporaryFolder(0o700)
    await using open = await temporaryFolder()
    const user = await unprivilegedUser(['nobody'])
    const staged = await stageForUnprivileged(await programs(closed.path), { folder: open.path, name: 'copy', user })
    expect(staged).toBe(join(open.path, 'copy'))
    expect(await readlink(join(staged, 'bin/greeting'))).toBe('words')
    expect(await runProgram({ program: join(staged, 'bin/hello'), args: [], user })).toEqual({
      ok: true,
      output: 'hello',
    })
    const change = await runProgram({ program: '/bin/sh', args: ['-c', `echo evil > ${staged}/bin/words`], user })
    expect(change.ok).toBe(false)
    expect((await stat(staged)).uid).toBe(0)
  })

  test('is copied once', async () => {
    await using closed = await temporaryFolder(0o700)
    await using open = await temporaryFolder()
    const user = await unprivilegedUser(['nobody'])
    const source = await programs(closed.path)
    const staged = await stageForUnprivileged(source, { folder: open.path, name: 'copy', user })
    await rm(join(source, 'bin/words'))
    expect(await stageForUnprivileged(source, { folder: open.path, name: 'copy', user })).toBe(staged)
    expect(await readFile(join(staged, 'bin/words'), 'utf8')).toBe('hello')
  })

  test('is never put into a folder that somebody else made first', async () => {
    await using folder = await temporaryFolder()
    const taken = join(folder.path, 'taken')
    await mkdir(taken, { mode: 0o711 })
    await chown(taken, 65_534, 65_534)
    await expect(ensureTrustedFolder(taken)).rejects.toThrow('only its owner')
  })

  test('is never put behind a link', async () => {
    await using folder = await temporaryFolder()
    await mkdir(join(folder.path, 'real'))
    await symlink('real', join(folder.path, 'link'))
    await expect(ensureTrustedFolder(join(folder.path, 'link'))).rejects.toThrow('only its owner')
  })
})
