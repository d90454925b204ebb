import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { embeddedBinaries } from '../../../platform/postgres/postgres-binaries.ts'
import { startEmbeddedPostgres } from '../../../platform/postgres/start-embedded-postgres.ts'
import { describeIf } from '../../support/run/skip.ts'
import { ask, silentLog, temporaryFolder } from './embedded-fixture.ts'

describe('the first start', () => {
  test('writes a password that only the owner can read', async () => {
    await using folder = await temporaryFolder()
    const dataDir = join(folder.path, 'data')
    const server = await startEmbeddedPostgres({ dataDir, log: silentLog() })
    await server.stop()
    const password = (await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim()
    expect((await stat(join(dataDir, 'postgres-password'))).mode & 0o777).toBe(0o600)
    expect(password.length).toBeGreaterThanOrEqual(32)
    expect(server.url).toContain(password)
  })

  test('goes on from one that was killed half-way', async () => {
    await using folder = await temporaryFolder()
    await mkdir(join(folder.path, 'postgres.new'))
    await writeFile(join(folder.path, 'postgres.new', 'PG_VERSION'), '18\n')
    await writeFile(join(folder.path, 'password.new'), 'half\n')
    const server = await startEmbeddedPostgres({ dataDir: folder.path, log: silentLog() })
    expect(await ask(server.url, 'select 1')).toBe(1)
    await server.stop()
  })

  test('works in a folder whose path is too long for a socket', async () => {
    await using folder = await temporaryFolder()
    const dataDir = join(folder.path, 'a'.repeat(100), 'data')
    const server = await startEmbeddedPostgres({ dataDir, log: silentLog() })
    const socket = decodeURIComponent(new URL(server.url).hostname)
    expect(await ask(server.url, 'select 1')).toBe(1)
    await server.stop()
    expect(socket.startsWith(dataDir)).toBe(false)
    await expect(stat(socket)).rejects.toThrow('ENOENT')
  })

  test('names DATABASE_URL where the platform has no binaries', async () => {
    await expect(embeddedBinaries('plan9-mips')).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('set DATABASE_URL'),
    })
  })
})

describe('data that cannot be used', () => {
  test('of another version is refused by name, and left alone', async () => {
    await using folder = await temporaryFolder()
    await mkdir(join(folder.path, 'postgres'))
    await writeFile(join(folder.path, 'postgres', 'PG_VERSION'), '17\n')
    const start = startEmbeddedPostgres({ dataDir: folder.path, log: silentLog() })
    await expect(start).rejects.toMatchObject({
      kind: 'unusable_data',
      message: expect.stringContaining('made by Postgres 17'),
    })
    expect(await readFile(join(folder.path, 'postgres', 'PG_VERSION'), 'utf8')).toBe('17\n')
  })

  test('recorded in a folder that is gone is not silently replaced by an empty database', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'embedded.json'), '{"home":"/nowhere/at/all"}')
    const start = startEmbeddedPostgres({ dataDir: folder.path, log: silentLog() })
    await expect(start).rejects.toMatchObject({
      kind: 'unusable_data',
      message: expect.stringContaining('/nowhere/at/all, which is missing'),
    })
  })

  test('whose record was lost is found, and recorded again', async () => {
    await using folder = await temporaryFolder()
    const options = { dataDir: join(folder.path, 'data'), log: silentLog() }
    const first = await startEmbeddedPostgres(options)
    await ask(first.url, 'create table kept as select 42 as answer')
    await first.stop()
    const record = join(options.dataDir, 'embedded.json')
    const before = await readFile(record, 'utf8')
    await rm(record)
    const second = await startEmbeddedPostgres(options)
    expect(await ask(second.url, 'select answer from kept')).toBe(42)
    await second.stop()
    expect(JSON.parse(await readFile(record, 'utf8'))).toEqual(JSON.parse(before))
  })

  test('whose password was lost is refused, and gets no new one', async () => {
    await using folder = await temporaryFolder()
    const options = { dataDir: join(folder.path, 'data'), log: silentLog() }
    await (await startEmbeddedPostgres(options)).stop()
    await rm(join(options.dataDir, 'postgres-password'))
    const before = await readdir(options.dataDir)
    await expect(startEmbeddedPostgres(options)).rejects.toMatchObject({
      kind: 'unusable_data',
      message: expect.stringContaining('postgres-password and the database in'),
    })
    expect(await readdir(options.dataDir)).toEqual(before)
  })

  test('with a damaged record is refused', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'embedded.json'), '{"home":')
    const start = startEmbeddedPostgres({ dataDir: folder.path, log: silentLog() })
    await expect(start).rejects.toMatchObject({ kind: 'unusable_data', message: expect.stringContaining('is damaged') })
  })

  test('does not keep the data directory locked', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'embedded.json'), '{"home":')
    await expect(startEmbeddedPostgres({ dataDir: folder.path, log: silentLog() })).rejects.toThrow('damaged')
    await rm(join(folder.path, 'embedded.json'))
    const server = await startEmbeddedPostgres({ dataDir: folder.path, log: silentLog() })
    await server.stop()
  })
})

describeIf(process.geteuid?.() === 0, 'run as root')('as root', () => {
  test('the server runs as another user, in a folder that others may enter', async () => {
    await using folder = await temporaryFolder()
    const dataDir = join(folder.path, 'data')
    const server = await startEmbeddedPostgres({ dataDir, log: silentLog() })
    expect((await stat(join(dataDir, 'postgres'))).uid).not.toBe(0)
    expect((await stat(dataDir)).mode & 0o777).toBe(0o711)
    await server.stop()
  })

  test('data in a folder closed to others goes to a folder of its own, and is found again', async () => {
    await using closed = await temporaryFolder(0o700)
    await using systemHomes = await temporaryFolder()
    const options = { dataDir: join(closed.path, 'data'), systemHomes: systemHomes.path, log: silentLog() }
    const first = await startEmbeddedPostgres(options)
    expect(await ask(first.url, 'show data_directory')).toContain(systemHomes.path)
    await ask(first.url, 'create table kept as select 42 as answer')
    await first.stop()
    // Its record is lost, and the data directory opened to others meanwhile: the data stays where it was.
    await rm(join(options.dataDir, 'embedded.json'))
    await chmod(closed.path, 0o755)
    const second = await startEmbeddedPostgres(options)
    expect(await ask(second.url, 'select answer from kept')).toBe(42)
    await second.stop()
  })

  test('a removed data directory starts afresh; what it had is set aside each time, and reported', async () => {
    await using closed = await temporaryFolder(0o700)
    await using systemHomes = await temporaryFolder()
    const lines: string[] = []
    let home = ''
    const options = { dataDir: join(closed.path, 'data'), systemHomes: systemHomes.path, log: silentLog(lines) }
    for (const name of ['first', 'second', null]) {
      const server = await startEmbeddedPostgres(options)
      home = server.data.replace(/\/postgres$/, '')
      expect(await ask(server.url, 'show data_directory')).toBe(server.data)
      await server.stop()
      if (name) await rename(options.dataDir, join(closed.path, name))
    }
    const kept = (await readdir(systemHomes.path)).filter((name) => join(systemHomes.path, name) !== home).sort()
    expect(kept).toHaveLength(2)
    for (const name of kept) expect((await stat(join(systemHomes.path, name, 'postgres'))).isDirectory()).toBe(true)
    expect(lines.filter((line) => line.includes('is set aside in')).map((line) => line.split('/').at(-1))).toEqual(kept)

    // Its data directory comes back: what is the matter and how to mend it are told, and mending it so works.
    await rename(options.dataDir, join(closed.path, 'third'))
    await rename(join(closed.path, 'first'), options.dataDir)
    await expect(startEmbeddedPostgres(options)).rejects.toMatchObject({
      kind: 'unusable_data',
      message: expect.stringContaining(
        `${options.dataDir}/postgres-password and the database in ${home}/postgres do not match`,
      ),
    })
    await rename(home, `${home}.third`)
    await rename(join(systemHomes.path, kept[0] ?? ''), home)
    await (await startEmbeddedPostgres(options)).stop()
  })

  test('a folder for data that others can write to is refused', async () => {
    await using closed = await temporaryFolder(0o700)
    await using systemHomes = await temporaryFolder(0o777)
    const options = { dataDir: join(closed.path, 'data'), systemHomes: systemHomes.path, log: silentLog() }
    await expect(startEmbeddedPostgres(options)).rejects.toThrow('only its owner')
  })
})
