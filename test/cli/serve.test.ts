import { stat } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openSite } from '../support/network/site.ts'
import { runCli, startCli } from '../support/process/cli-process.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'

// Processes start, several in a test, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 240_000 })

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let environment: Record<string, string>
let key = ''
beforeAll(async () => {
  folder = await temporaryFolder()
  environment = {
    TIDEMARK_DATA_DIR: join(folder.path, 'data'),
    TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
    PORT: '0',
  }
})
afterAll(() => folder[Symbol.asyncDispose]())

const RUNNING = /Tidemark is running at (http:\/\/127\.0\.0\.1:[1-9]\d*)\n[\s\S]*\n\n/

const asking =
  (base: string) =>
  (path: string, init: RequestInit = {}) =>
    fetch(`${base}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })

test(
  'the first start prints the address and the first owner; it is healthy, ready and tells metrics; SIGTERM ends ' +
    'it with 0.',
  async () => {
    await using serve = startCli(['serve'], environment)
    const [banner = '', base = ''] = await serve.says(RUNNING)
    key = /API key\s+(svc_\w+)/.exec(banner)?.[1] ?? ''
    expect(banner).toMatch(/E-mail\s+\S+@\S+/)
    expect(banner).toMatch(/Password\s+\S{12,}/)
    const ask = asking(base)

    expect((await ask('/healthz')).status).toBe(200)
    const ready = await eventually(
      () => ask('/readyz'),
      (answer) => answer.status === 200,
    )
    expect(JSON.stringify(await ready.json())).toMatch(/moving/)
    expect(await (await ask('/metrics')).text()).toMatch(/^tidemark_checks_active 0$/m)
    expect((await ask('/v1/monitors')).status).toBe(200)
    // In the log, no secret: the banner is for the person alone.
    expect(serve.stderr + serve.stdout.replace(banner, '')).not.toContain(key)

    serve.signal('SIGTERM')
    expect(await serve.exited).toBe(0)
    expect(serve.stdout).toContain('"msg":"stopped"')
  },
)

test(
  'a second start prints no owner and its key still works; a check in flight does not keep it from ending in ' +
    'time.',
  async () => {
    await using site = await openSite()
    site.answer(() => {})
    await using serve = startCli(['serve'], environment)
    const [banner = '', base = ''] = await serve.says(RUNNING)
    expect(banner).not.toMatch(/svc_|Password/)
    const body = {
      name: 'Hangs',
      url: site.url,
      schedule_interval_seconds: 60,
      extract_config: { method: 'full_page' },
      diff_predicate: { type: 'any_field_changes' },
    }
    const made = await asking(base)('/v1/monitors', { method: 'POST', body: JSON.stringify(body) })
    expect(made.status).toBe(201)
    await eventually(
      () => site.requests.length,
      (n) => n > 0,
    )

    const started = performance.now()
    serve.signal('SIGTERM')
    // The group's signal, passed on by a parent as well.
    serve.signal('SIGTERM')
    const answers = async () => {
      const [ready, list] = await Promise.all([asking(base)('/readyz'), asking(base)('/v1/monitors')])
      return [ready.status, await ready.json(), list.status]
    }
    await eventually(
      () => serve.stdout,
      (said) => said.includes('"msg":"draining"'),
    )
    expect(await answers()).toEqual([503, { status: 'unavailable', checks: { process: 'stopping' } }, 200])
    expect(await serve.exited).toBe(0)
    expect(performance.now() - started).toBeLessThan(25_000)
    expect(performance.now() - started).toBeGreaterThan(2_000)
  },
)

test('every port that is taken is said so before anything is created', async () => {
  const taken: Server = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const PORT = String((taken.address() as AddressInfo).port)
  const dataDir = join(folder.path, 'never')
  const { code, stderr } = await runCli(['serve'], {
    PORT,
    TIDEMARK_RUNNER_API_PORT: PORT,
    TIDEMARK_METRICS_PORT: PORT,
    TIDEMARK_DATA_DIR: dataDir,
  })
  await new Promise((resolve) => taken.close(resolve))

  expect(code).toBe(1)
  expect(stderr).toContain(`  PORT is ${PORT}, but the port is in use on 127.0.0.1`)
  expect(stderr).toContain(`  TIDEMARK_RUNNER_API_PORT is ${PORT}, and so is PORT`)
  expect(stderr).toContain(`  TIDEMARK_METRICS_PORT is ${PORT}, and so is TIDEMARK_RUNNER_API_PORT`)
  expect(stderr).not.toContain('    at ')
  await expect(stat(dataDir)).rejects.toThrow('ENOENT')
})
