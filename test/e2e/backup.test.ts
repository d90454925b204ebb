import { execFile } from 'node:child_process'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startCli } from '../cli/cli-process.ts'
import { temporaryFolder } from '../cli/temporary-folder.ts'
import { eventually } from '../support/eventually.ts'
import { describeIf } from '../support/skip.ts'
import { openSite, type Site } from '../support/site.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 })

const run = promisify(execFile)
const RUNNING = /Tidemark is running at (http:\/\/127\.0\.0\.1:[1-9]\d*)\n[\s\S]*\n\n/
const hasEmbedded = process.platform === 'linux' && process.arch === 'x64'

interface Run {
  readonly id: string
  readonly status: string
  readonly extracted: object
}

describeIf(hasEmbedded, 'there is no embedded browser for this platform')('A backup of the data folder', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let site: Site
  let key = ''
  beforeAll(async () => {
    folder = await temporaryFolder()
    site = await openSite()
    site.price('$20')
  })
  afterAll(async () => {
    await site[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  const data = () => join(folder.path, 'data')
  const environment = () => ({
    TIDEMARK_DATA_DIR: data(),
    TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
    PORT: '0',
  })

  /** Starts Tidemark, lets `work` ask it, and stops it. */
  async function whileRunning<T>(work: (ask: (path: string, body?: object) => Promise<Response>) => Promise<T>) {
    await using serve = startCli(['serve'], environment())
    const [banner = '', base = ''] = await serve.says(RUNNING)
    key = /API key\s+(svc_\w+)/.exec(banner)?.[1] ?? key
    const result = await work((path, body) =>
      fetch(path.startsWith('http') ? base + new URL(path).pathname : base + path, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      }),
    )
    serve.signal('SIGTERM')
    expect(await serve.exited).toBe(0)
    return result
  }

  test('is copied while nothing runs, and has runs, pictures and secrets again where it is put back', async () => {
    const before = await whileRunning(async (ask) => {
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
      return { id, run: first, ...(await keptOf(ask, id, first?.id ?? '')) }
    })
    expect(before.run).toMatchObject({ status: 'success', extracted: { price: '$20' } })
    expect(before.picture.length).toBeGreaterThan(500)
    expect(before.secret).toMatch(/^[0-9a-f]{64}$/)

    const backup = join(folder.path, 'backup')
    // As the page has it: with owners and modes.
    await run('cp', ['-a', data(), backup])
    await rm(data(), { recursive: true })
    await run('cp', ['-a', backup, data()])
    const after = await whileRunning((ask) => keptOf(ask, before.id, before.run?.id ?? ''))
    expect(after).toEqual({ secret: before.secret, picture: before.picture })
  })

  test('without its key is refused at the start, with what to do', async () => {
    await rename(join(data(), 'encryption-key'), join(folder.path, 'encryption-key'))
    await using serve = startCli(['serve'], environment())
    expect(await serve.exited).not.toBe(0)
    expect(serve.stderr).toMatch(/encryption/i)
    expect(serve.stderr).not.toMatch(/^\s+at /m)
  })

  async function keptOf(ask: (path: string) => Promise<Response>, id: string, runId: string) {
    const { secret } = (await (await ask(`/v1/monitors/${id}/signing-secret`)).json()) as { secret: string }
    const images = (await (await ask(`/v1/run-images/${runId}`)).json()) as {
      regions: readonly { afterUrl: string }[]
    }
    const picture = await ask(images.regions[0]?.afterUrl ?? '')
    expect(picture.status).toBe(200)
    return { secret, picture: Buffer.from(await picture.arrayBuffer()).toString('base64') }
  }
})
