import { readFile, stat } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { memoryBelow } from '../../../runners/browser/process-memory.ts'
import { describeIf } from '../../support/skip.ts'
import { openSite, type Site } from './site.ts'
import { renderOne, testBrowsers } from './test-browsers.ts'

let site: Site
let browsers: Browsers
let lines: string[][]
let pids: number[]

beforeAll(async () => {
  site = await openSite()
  browsers = testBrowsers()
  await renderOne(browsers, site.page('/', '<p>x</p>'))
  pids = (await memoryBelow(browsers.current()?.pid ?? 0)).map(({ pid }) => pid)
  lines = await Promise.all(pids.map(async (pid) => (await readFile(`/proc/${pid}/cmdline`, 'latin1')).split('\0')))
})

afterAll(async () => {
  await browsers.close()
  await site.close()
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
  ])('was started with %s (security.md §2.4).', (flag) => {
    expect(lines[0]).toContain(flag)
  })

  test('goes through the egress proxy.', () => {
    expect(lines[0]).toContain(`--proxy-server=${browsers.current()?.proxy.server}`)
  })

  test('has its sandbox: no flag of any of its processes takes it away, and its pages are in namespaces of their own.', async () => {
    for (const line of lines)
      expect(line.join(' ')).not.toMatch(
        /--no-sandbox|--disable-setuid-sandbox|--single-process|--disable-web-security|--disable-seccomp|--remote-debugging-port/,
      )
    const renderers = pids.filter((_, index) => lines[index]?.includes('--type=renderer'))
    expect(renderers.length).toBeGreaterThan(0)
    for (const pid of renderers) {
      const status = await readFile(`/proc/${pid}/status`, 'utf8')
      // Two filters of system calls would be fine too; none would not.
      expect(status).toMatch(/^Seccomp:\s*2$/m)
      // Its number within its own namespace stands behind the one here.
      expect(status).toMatch(/^NSpid:\s*\d+\s+\d+/m)
    }
  })

  test('runs as an account that is not root, with an environment that says nothing of ours.', async () => {
    for (const pid of pids) expect((await stat(`/proc/${pid}`)).uid === 0 && (await realUser(pid)) === 0).toBe(false)
    const environment = await readFile(`/proc/${pids[0]}/environ`, 'latin1')
    expect(
      environment
        .split('\0')
        .map((entry) => entry.split('=')[0])
        .filter((name) => name !== '')
        .toSorted(),
    ).toEqual(expect.arrayContaining(['HOME', 'TMPDIR']))
    expect(environment).not.toMatch(/TIDEMARK|DATABASE|KEY|SECRET|PATH=\/.*node/)
  })
})

async function realUser(pid: number): Promise<number> {
  return Number(/^Uid:\s*(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1])
}

describe('The program', () => {
  test('is never the one that lies in a shared temporary folder.', () => {
    expect(lines[0]?.[0]).not.toBe('/tmp/chromium')
  })
})
