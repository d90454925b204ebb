import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestServer, systemPostgres, type TestServer } from '../support/database/test-server.ts'
import { runOn, withDatabase } from '../support/database/test-template.ts'
import { DOC_BLOCKS } from '../support/docs/doc-blocks.ts'
import { openSite, type Site } from '../support/network/site.ts'
import { type Environment, startCli } from '../support/process/cli-process.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 })

const run = promisify(execFile)
const RUNNING = /Tidemark is running at (http:\/\/127\.0\.0\.1:[1-9]\d*)\n[\s\S]*\n\n/
const hasEmbedded = process.platform === 'linux' && process.arch === 'x64'

/** The commands of docs/backup.md: of the embedded Postgres, and of one's own, to back up and to restore. */
const [COPY = '', PUT_BACK = '', DUMP = '', RESTORE = ''] = DOC_BLOCKS.filter(
  ({ page, language }) => page === 'backup.md' && language === 'sh',
).map(({ text }) => text)

interface Run {
  readonly id: string
  readonly status: string
  readonly extracted: object
}

type Ask = (path: string, body?: object) => Promise<Response>

/** Starts Tidemark, lets `work` ask it, and stops it. */
async function whileRunning<T>(settings: Environment, known: { key: string }, work: (ask: Ask) => Promise<T>) {
  await using serve = startCli(['serve'], { TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8', PORT: '0', ...settings })
  const [banner = '', base = ''] = await serve.says(RUNNING)
  known.key = /API key\s+(svc_\w+)/.exec(banner)?.[1] ?? known.key
  const result = await work((path, body) =>
    fetch(path.startsWith('http') ? base + new URL(path).pathname : base + path, {
      headers: { authorization: `Bearer ${known.key}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    }),
  )
  serve.signal('SIGTERM')
  expect(await serve.exited).toBe(0)
  return result
}

/** Makes a monitor with a picture and a signing secret, waits for its first run, and returns all that is kept of it. */
async function madeIn(ask: Ask, site: Site) {
  site.price('$20')
  const made = await ask('/v1/monitors', {
    name: 'Kettle',
    url: site.url,
    schedule_interval_seconds: 86_400,
    extract_config: { method: 'css', fields: { price: '.price' } },
    diff_predicate: { type: 'any_field_changes' },
    visual_config: { enabled: true },
    deliveries: [{ type: 'webhook', url: 'https://hooks.example.com/' }],
  })
  const { id } = (await made.json()) as { id: string }
  const first = await eventually(
    async () => ((await (await ask(`/v1/monitors/${id}/runs`)).json()) as { data: readonly Run[] }).data[0],
    (found) => found !== undefined && found.status !== 'running',
    { forMs: 120_000 },
  )
  expect(first).toMatchObject({ status: 'success', extracted: { price: '$20' } })
  const kept = await keptOf(ask, id, first?.id ?? '')
  expect(kept.picture.length).toBeGreaterThan(500)
  expect(kept.secret).toMatch(/^[0-9a-f]{64}$/)
  return { id, runId: first?.id ?? '', kept }
}

async function keptOf(ask: Ask, id: string, runId: string) {
  const { secret } = (await (await ask(`/v1/monitors/${id}/signing-secret`)).json()) as { secret: string }
  const { extracted } = (await (await ask(`/v1/runs/${runId}`)).json()) as Run
  const images = (await (await ask(`/v1/run-images/${runId}`)).json()) as { regions: readonly { afterUrl: string }[] }
  const picture = await ask(images.regions[0]?.afterUrl ?? '')
  expect(picture.status).toBe(200)
  return { secret, extracted, picture: Buffer.from(await picture.arrayBuffer()).toString('base64') }
}

describeIf(hasEmbedded, 'there is no embedded browser for this platform')('A backup of the data folder', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let site: Site
  const known = { key: '' }
  const data = () => join(folder.path, '.tidemark')
  const settings = () => ({ TIDEMARK_DATA_DIR: data() })
  const shell = (text: string) =>
    run('sh', ['-ec', text], { cwd: folder.path, env: { ...process.env, BACKUP: join(folder.path, 'backup') } })
  beforeAll(async () => {
    folder = await temporaryFolder()
    // Else the database of root's is in a folder of the machine, and not in that of the data.
    await chmod(folder.path, 0o711)
    await mkdir(join(folder.path, 'backup'))
    site = await openSite()
  })
  afterAll(async () => {
    await site[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  test('is copied while nothing runs, and has runs, pictures and secrets again where it is put back', async () => {
    const before = await whileRunning(settings(), known, (ask) => madeIn(ask, site))
    expect(await readdir(data())).toContain('postgres')
    await shell(COPY)
    // A copy into a folder that is there would be below it, and nobody would miss it until it is needed.
    await expect(shell(COPY)).rejects.toThrow('exists')
    await expect(shell(PUT_BACK)).rejects.toThrow('exists')
    await rm(data(), { recursive: true })
    await shell(PUT_BACK)
    const after = await whileRunning(settings(), known, (ask) => keptOf(ask, before.id, before.runId))
    expect(after).toEqual(before.kept)
  })

  test('without its key is refused at the start, with what to do', async () => {
    await rename(join(data(), 'encryption-key'), join(folder.path, 'encryption-key'))
    await using serve = startCli(['serve'], { ...settings(), PORT: '0' })
    expect(await serve.exited).not.toBe(0)
    expect(serve.stderr).toMatch(/encryption/i)
    expect(serve.stderr).not.toMatch(/^\s+at /m)
  })
})

const debian = systemPostgres(15)
describeIf(hasEmbedded && debian !== null, 'install postgresql-15')('A backup of a database of your own', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let server: TestServer
  let site: Site
  const known = { key: '' }
  const settings = (name: string) => ({
    DATABASE_URL: withDatabase(server.url, name),
    TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a test of backups',
    TIDEMARK_DATA_DIR: join(folder.path, `data of ${name}`),
  })
  const shell = (text: string, name: string) =>
    run('sh', ['-ec', text], {
      env: {
        ...settings(name),
        BACKUP: join(folder.path, 'backup'),
        PATH: `${debian?.folder}/bin:${process.env['PATH']}`,
      },
    })
  beforeAll(async () => {
    folder = await temporaryFolder()
    await mkdir(join(folder.path, 'backup'))
    site = await openSite()
    server = await startTestServer(debian ?? undefined)
    for (const name of ['first', 'second', 'third'])
      await runOn(server.url, `create database ${name} template template0`)
  })
  afterAll(async () => {
    await server.stop()
    await site[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  test('is made while everything runs, and has runs, pictures and secrets again in an empty database', async () => {
    const before = await whileRunning(settings('first'), known, async (ask) => {
      const made = await madeIn(ask, site)
      // The second replaces the first.
      await shell(DUMP, 'first')
      await shell(DUMP, 'first')
      expect(await readdir(join(folder.path, 'backup', 'images'))).not.toContain('images')
      return made
    })
    await rm(settings('first').TIDEMARK_DATA_DIR, { recursive: true })
    await runOn(server.url, 'drop database first')

    await shell(RESTORE, 'second')
    await whileRunning(settings('second'), known, async (ask) => {
      expect(await keptOf(ask, before.id, before.runId)).toEqual(before.kept)
      // What is restored goes on: a check finds a change against the restored reading.
      site.price('$10')
      const { run_id: id } = (await (await ask(`/v1/monitors/${before.id}/run`, {})).json()) as { run_id: string }
      const next = await eventually(
        async () => (await (await ask(`/v1/runs/${id}`)).json()) as Run & { readonly diff: object },
        ({ status }) => status !== 'running',
        { forMs: 120_000 },
      )
      expect(next).toMatchObject({ status: 'success', diff: { before: { price: '$20' }, after: { price: '$10' } } })
    })
  })

  test('is refused at the start with another key, with what to do', async () => {
    await shell(RESTORE, 'third')
    await using serve = startCli(['serve'], {
      ...settings('third'),
      TIDEMARK_ENCRYPTION_KEY: 'another key, which is as long as the first',
      PORT: '0',
    })
    expect(await serve.exited).not.toBe(0)
    expect(serve.stderr).toMatch(/encryption/i)
    expect(serve.stderr).not.toMatch(/^\s+at /m)
  })
})
