import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createLogger } from '../../../core/logger.ts'
import { unprivilegedUser } from '../../../platform/unprivileged-user.ts'
import { BROWSER_DIED } from '../../../runners/browser/browser-faults.ts'
import type { Browsers, BrowsersOptions } from '../../../runners/browser/browsers.ts'
import { startBrowserLauncher } from '../../../runners/browser/chromium/browser-launcher.ts'
import { chromiumProgram } from '../../../runners/browser/chromium/chromium-program.ts'
import { usageBelow } from '../../../runners/browser/chromium/process-usage.ts'
import { faultOf, htmlOf, renderOne, testBrowsers } from '../../support/browser/test-browsers.ts'
import { openSite, type Site, status } from '../../support/network/site.ts'
import { eventually } from '../../support/run/eventually.ts'
import { describeIf } from '../../support/run/skip.ts'

// A browser on a machine that does other things besides.
vi.setConfig({ testTimeout: 60_000 })

let folder: string
let socket: string
let site: Site
/** A Chromium that has no sandbox, as under the seccomp profile of containers. */
let refused: string
let launcher: Awaited<ReturnType<typeof startBrowserLauncher>>
const open: Browsers[] = []
const log: string[] = []
const dataDir = join(tmpdir(), `tidemark-test-${process.getuid?.() ?? 0}`)
const path = process.env['CHROMIUM_PATH'] ?? null

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-launcher-'))
  await chmod(folder, 0o755)
  socket = join(folder, 'socket')
  site = await openSite({ otherwise: status(404) })
  const user = await unprivilegedUser(['nobody'])
  const program = await chromiumProgram({ path, dataDir, user })
  const variables = Object.entries(program.environment).map(([name, value]) => `export ${name}='${value}'\n`)
  refused = join(folder, 'chromium')
  const script = `case "$*" in *--no-sandbox*) exec '${program.path}' "$@";; esac; echo 'No usable sandbox!' >&2\n`
  await writeFile(refused, `#!/bin/sh\n${variables.join('')}${script}exit 1\n`, { mode: 0o755 })
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((browsers) => browsers.close()))
  await launcher.close()
  log.splice(0)
})
afterAll(async () => {
  await site[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

async function browsers(program: string | null, options: Partial<BrowsersOptions> = {}): Promise<Browsers> {
  launcher = await startBrowserLauncher({ socket, path: program, dataDir, log: createLogger('silent') })
  const made = testBrowsers({
    socket,
    path: null,
    log: createLogger('warn', { write: (line) => void log.push(line) }),
    ...options,
  })
  open.push(made)
  return made
}

describeIf(process.platform === 'linux', 'needs /proc')('A browser that a launcher started', () => {
  test('renders as any other, and ends with the connection', async () => {
    const url = site.page('/', '<p id="p">sent</p><script>p.textContent = "come"</script>')
    const made = await browsers(path)
    expect(htmlOf(await renderOne(made, url))).toContain('come')
    const one = made.current()
    const pid = one?.pid ?? 0
    expect(pid).toBeGreaterThan(1)
    await eventually(
      () => one?.megabytes ?? 0,
      (megabytes) => megabytes > 10,
    )
    await made.close()
    await eventually(
      () => usageBelow(pid),
      (processes) => processes.length === 0,
    )
  })

  test('ends a page that needs too much memory', async () => {
    const url = site.page('/large', '<script>const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))</script>')
    const made = await browsers(path, { processMb: 256 })
    expect(faultOf(await renderOne(made, url))).toBe('render_failed')
  })

  test('ends when a page lets it say more than is read at once', async () => {
    const url = site.page('/loud', '<script>console.log("x".repeat(100_000_000))</script>')
    const made = await browsers(path)
    expect(htmlOf(await renderOne(made, site.page('/before', 'before')))).toContain('before')
    const pid = made.current()?.pid ?? 0
    expect(pid).toBeGreaterThan(1)
    expect(await renderOne(made, url)).toMatchObject({ ok: false, fault: { message: BROWSER_DIED.message } })
    await eventually(
      () => usageBelow(pid),
      (processes) => processes.length === 0,
    )
    expect(htmlOf(await renderOne(made, site.page('/after', 'still here')))).toContain('still here')
  })

  test('says in words that there is no launcher', async () => {
    const made = await browsers(path, { socket: join(folder, 'none') })
    const rendered = await renderOne(made, site.page('/none', 'x'))
    expect(rendered).toMatchObject({
      ok: false,
      fault: { code: 'not_available', message: expect.stringContaining('No launcher of browsers answers at') },
    })
  }, 90_000)

  test('survives a stranger at its socket', async () => {
    const made = await browsers(path)
    for (const text of ['{"start":1', '{"kill":1}\n', 'no channel\n', '{}\n{"usage":true}\n', 'x'.repeat(100_000)]) {
      const stranger = connect(socket)
      stranger.on('error', () => {})
      stranger.end(text)
    }
    expect(htmlOf(await renderOne(made, site.page('/after', 'still here')))).toContain('still here')
  })
})

describe('Where the kernel allows browsers no sandbox', () => {
  test('nothing is rendered, unless it is said that they may run without', async () => {
    const rendered = await renderOne(await browsers(refused), site.page('/no', 'x'))
    expect(rendered).toMatchObject({ fault: { code: 'not_available', message: expect.stringContaining('no sandbox') } })
  })

  test('each check gets a browser of its own, and that is said loudly', async () => {
    const told: boolean[] = []
    const made = await browsers(refused, { sandbox: 'auto', onSandbox: (isSandboxed) => void told.push(isSandboxed) })
    const url = site.page('/slow', '<script>setTimeout(() => document.body.append("come"), 500)</script>')
    const rendered = Promise.all(
      Array.from({ length: 3 }, (_, index) => renderOne(made, { url: `${url}?${index}`, waitFor: 'body' })),
    )
    for (const one of await rendered) expect(htmlOf(one)).toContain('script')
    expect(told).toEqual([false, false, false])
    expect(log.filter((line) => line.includes('BROWSERS RUN WITHOUT THEIR SANDBOX'))).toHaveLength(1)
    expect(made.current()).toBeNull()
  })

  test('the sandbox is used where it can be', async () => {
    const told: boolean[] = []
    const made = await browsers(path, { sandbox: 'auto', onSandbox: (isSandboxed) => void told.push(isSandboxed) })
    const page = site.page('/again', 'x')
    for (const _ of [1, 2]) htmlOf(await renderOne(made, page))
    // One browser showed both.
    expect(told).toEqual([true])
    expect(log.join('')).not.toContain('SANDBOX')
  })
})
