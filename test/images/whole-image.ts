import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ROOT_FILE_SYSTEMS } from '../../images/root-file-systems.ts'
import { openSite } from '../support/network/site.ts'
import { eventually } from '../support/run/eventually.ts'
import { runInRoot, startInRoot } from './containers.ts'

const { entrypoint, command, environment } = ROOT_FILE_SYSTEMS.tidemark.run
const LOOPBACK = { TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8' }
/** As an engine starts it, but that nobody else reaches it. */
const HERE = { ...environment, HOST: '127.0.0.1', PORT: '0', ...LOOPBACK }
const MONITOR = {
  name: 'kettle',
  schedule_interval_seconds: 86_400,
  extract_config: { method: 'css', fields: { price: '.price' } },
  diff_predicate: { type: 'any_field_changes' },
}

interface Whole {
  readonly root: string
  makeData(): Promise<string>
}

/** Tests of the image that has everything, whose root file system is made by then. */
export function describeWhole(made: () => Whole): void {
  /** Starts it, and returns how to call its API once it answers. */
  async function serve(root: string, data: string) {
    const container = startInRoot(root, {
      command: [...entrypoint, ...command],
      data,
      environment: HERE,
      hasNetwork: true,
    })
    const banner = await eventually(container.output, (text) => /is running at \S+\n/.test(text))
    const base = /is running at (\S+)/.exec(banner)?.[1] ?? ''
    const key = /API key\s+(svc_\w+)/.exec(banner)?.[1]
    return { container, base, key }
  }

  async function ask(base: string, key: string, path: string, body?: object) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await fetch(`${base}${path}`, {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: answer.status, text: await answer.text() }
  }

  test('has one shell, for the database, and no package manager', async () => {
    const { root } = made()
    const programs = ['bin', 'usr/bin', 'usr/local/bin'].map((folder) => readdir(join(root, folder)))
    expect((await Promise.all(programs)).map((names) => names.toSorted())).toEqual([
      ['sh'],
      ['tini'],
      ['node', 'tidemark'],
    ])
    expect(await readFile(join(root, 'usr/share/tidemark/chromium.json'), 'utf8')).toContain('SCMP_ACT_ERRNO')
  })

  test('calls the command by its name', async () => {
    const { root, makeData } = made()
    const { text } = await runInRoot(root, { command: ['/usr/local/bin/tidemark', '--help'], data: await makeData() })
    expect(text).toContain('tidemark serve')
    expect(text).not.toContain('./tidemark')
  })

  test('keeps everything when it is killed, and when a newer image takes over its data', async () => {
    const { root, makeData } = made()
    const data = await makeData()
    await using site = await openSite()
    const first = await serve(root, data)
    await using killed = first.container
    const key = first.key ?? ''
    const { status, text } = await ask(first.base, key, '/v1/monitors', { ...MONITOR, url: site.url })
    expect(status, text).toBe(201)
    const { id } = JSON.parse(text) as { readonly id: string }
    await eventually(
      () => ask(first.base, key, `/v1/monitors/${id}/runs`),
      (runs) => runs.text.includes('"success"'),
    )
    await killed.end('SIGKILL')
    expect(await readdir(data)).toContain('embedded.lock')
    expect(await readdir(join(data, 'postgres'))).toContain('postmaster.pid')

    const newer = await newerThan(root)
    try {
      const second = await serve(newer, data)
      await using upgraded = second.container
      expect(second.key).toBeUndefined()
      const monitor = await ask(second.base, key, `/v1/monitors/${id}`)
      expect(JSON.parse(monitor.text)).toMatchObject({ id, name: 'kettle' })
      // A database that was stopped has no process to remember. What is stopped in time says so with 0.
      expect(await upgraded.end('SIGTERM')).toBe(0)
      expect(upgraded.output()).toContain('"msg":"stopped"')
      expect(await readdir(data)).not.toContain('embedded.lock')
      expect(await readdir(join(data, 'postgres'))).not.toContain('postmaster.pid')
    } finally {
      await rm(newer, { recursive: true, force: true })
    }
  })

  test('renders nothing without the sandbox, but names the option, and the way by two containers', async () => {
    const { root, makeData } = made()
    await using site = await openSite()
    const check = ['/usr/local/bin/tidemark', 'check', site.url, '--browser', '--css', 'price=.price']
    const options = { command: check, data: await makeData(), hasNetwork: true }
    // The kernel gives no namespaces to a program whose root was changed.
    const { code, text } = await runInRoot(root, { ...options, environment: HERE })
    expect([code, text]).toEqual([expect.any(Number), expect.stringContaining('--security-opt seccomp=chromium.json')])
    expect(code).not.toBe(0)
    expect(site.requests).toEqual([])
    const auto = { ...HERE, TIDEMARK_CHROMIUM_SANDBOX: 'auto' }
    const alone = await runInRoot(root, { ...options, environment: auto })
    expect([alone.code, alone.text]).toEqual([1, expect.stringContaining('only with TIDEMARK_BROWSER_SOCKET')])
    const { data } = options
    const socket = { TIDEMARK_BROWSER_SOCKET: '/data/socket' }
    await using _browser = startInRoot(root, {
      command: [...entrypoint, 'browser'],
      data,
      environment: { ...HERE, ...socket },
      hasNetwork: true,
    })
    await eventually(() => existsSync(join(data, 'socket')), Boolean)
    const weaker = await runInRoot(root, { ...options, environment: { ...auto, ...socket } })
    expect([weaker.code, weaker.text]).toEqual([0, expect.stringContaining('$1')])
  })
}

/** Returns the root of a later version, which shares the files of this one. */
async function newerThan(root: string): Promise<string> {
  const newer = `${root}-newer`
  await promisify(execFile)('cp', ['-al', root, newer])
  const manifest = join(newer, 'opt/tidemark/package.json')
  const written = JSON.parse(await readFile(manifest, 'utf8')) as object
  await rm(manifest)
  await writeFile(manifest, JSON.stringify({ ...written, version: '99.0.0' }))
  return newer
}
