import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { usageBelow } from '../../../runners/browser/chromium/process-usage.ts'
import { testBrowsers } from '../../support/browser/test-browsers.ts'
import { openSite, type Site, status } from '../../support/network/site.ts'
import { eventually } from '../../support/run/eventually.ts'
import { describeIf } from '../../support/run/skip.ts'

// A browser on a machine that does other things besides.
vi.setConfig({ testTimeout: 60_000 })

let site: Site
let browsers: Browsers
let lines: string[][]
let pids: number[]
let statuses: string[]
let environment: string
const over = new AbortController()

const UNSAFE_FLAGS = [
  '--no-sandbox',
  '--disable-setuid-sandbox',
  '--single-process',
  '--disable-web-security',
  '--disable-seccomp',
  '--remote-debugging-port',
]

/** While a page is open: its process is gone with it. */
beforeAll(async () => {
  site = await openSite({ otherwise: status(404) })
  browsers = testBrowsers()
  site.page('/never', () => {})
  const url = site.page('/', '<p>x</p><script src="/never"></script>')
  const open = browsers.render({ url, headers: null, visual: null }, { signal: over.signal })
  const processes = await eventually(
    async () => {
      const below = await usageBelow(browsers.current()?.pid ?? 0)
      const found = await Promise.all(
        below.map(async ({ pid }) => ({ pid, line: await commandLine(pid), status: await statusOf(pid) })),
      )
      // Helpers come and go while the browser starts.
      return found.filter(({ status }) => status !== '')
    },
    (found) => site.requests.length > 1 && found.some(({ line }) => line.includes('--type=renderer')),
  )
  pids = processes.map(({ pid }) => pid)
  lines = processes.map(({ line }) => line)
  statuses = processes.map(({ status }) => status)
  environment = await readFile(`/proc/${pids[0]}/environ`, 'latin1')
  over.abort()
  await open
})

/** What Chromium's zygote starts writes its arguments anew, with spaces between them. */
async function commandLine(pid: number): Promise<string[]> {
  return (await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')).split(/[\0 ]/)
}

async function statusOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
}

afterAll(async () => {
  await browsers.close()
  await site[Symbol.asyncDispose]()
})

describeIf(process.platform === 'linux', 'needs /proc')('The running browser', () => {
  test.each([
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    '--dns-prefetch-disable',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--proxy-bypass-list=<-loopback>',
    '--remote-debugging-pipe',
  ])('was started with %s', (flag) => {
    expect(lines[0]).toContain(flag)
  })

  test('goes through the egress proxy', () => {
    expect(lines[0]).toContain(`--proxy-server=${browsers.current()?.proxy.server}`)
  })

  test(
    'has its sandbox: no flag of any of its processes takes it away, and its pages are in namespaces of their ' +
      'own.',
    () => {
      for (const line of lines) for (const flag of UNSAFE_FLAGS) expect(line.join(' ')).not.toContain(flag)
      const renderers = statuses.filter((_, index) => lines[index]?.includes('--type=renderer'))
      expect(renderers.length).toBeGreaterThan(0)
      for (const status of renderers) {
        // System calls are filtered, and its number within a namespace of its own stands behind the one here.
        expect(status).toMatch(/^Seccomp:\s*2$/m)
        expect(status).toMatch(/^NSpid:\s*\d+\s+\d+/m)
      }
    },
  )

  test('runs as an account that is not root, with an environment that says nothing of ours', () => {
    for (const status of statuses) expect(status).not.toMatch(/^Uid:(\s+0)+$/m)
    expect(environment).not.toMatch(/TIDEMARK|DATABASE|KEY|SECRET|NODE|(?:^|\0)PATH=/)
  })
})

describe('the program', () => {
  test('is never the one that lies in a shared temporary folder', () => {
    expect(lines[0]?.[0]).not.toBe('/tmp/chromium')
  })
})
