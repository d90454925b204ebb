import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '../../core/logger.ts'
import type { Lookup } from '../../egress/dns-lookup.ts'
import { startEgressProxy } from '../../egress/egress-proxy.ts'
import { createGuardedAgent } from '../../egress/guarded-agent.ts'
import { createPolicy } from '../../egress/policy.ts'
import { createResolver } from '../../egress/resolve.ts'
import { createBrowsers } from '../../runners/browser/browsers.ts'
import { check, type CheckPorts } from '../../runners/check/check.ts'
import type { PageTask } from '../../runners/check/task.ts'
import { createExtractor } from '../../runners/extract/pool/extractor.ts'
import { createPageReader as createListReader } from '../../runners/fetch/paging/page-reader.ts'

/** Reads pages as checks do, in every way that is compared. */
export interface PageReader {
  /** Returns whether `fetch_mode` `auto` renders the page whatever the rule is. */
  isRenderedToday(url: string): Promise<boolean>
  /** Asks for a response that is known by the first 16 bytes of its SHA-256. Throws where it is another one. */
  unchanged(url: string, bodyHash: Uint8Array): Promise<void>
  /** Returns the hash of the response as it was sent. Throws where it cannot be read. */
  sent(url: string): Promise<string>
  /** Returns the hash of its readable text. Throws where it cannot be read. */
  text(url: string): Promise<string>
  /** Returns the hash of the text of the rendered page; the fault where it cannot be read. */
  rendered(url: string): Promise<{ readonly hash: string | null; readonly fault: string | null }>
  close(): Promise<void>
}

const DATA_DIR = join(tmpdir(), `tidemark-bench-${process.getuid?.() ?? 0}`)
const NO_NAMES: Lookup = () => Promise.reject(Object.assign(new Error('no names here'), { code: 'ENOTFOUND' }))
/** Every address but those of loopback. */
const ALL_OTHERS = '0/2 64/3 96/4 112/5 120/6 124/7 126/8 128/1'
  .split(' ')
  .map((range) => range.replace('/', '.0.0.0/'))
  .concat('::/0')
const AS_SENT: PageTask['extract'] = { method: 'full_page' }
const AS_TEXT: PageTask['extract'] = { method: 'full_page', ignore: {} }

/**
 * Opens the whole check except the store: egress guard, browser, waiting, extraction. Only loopback is reached: no name
 * has an address here, so that a recorded page asks nobody for its advertisements.
 */
export async function openPageReader(atOnce: number): Promise<PageReader> {
  const policy = createPolicy({ allowPrivateCidrs: ['127.0.0.1/32'], denyCidrs: ALL_OTHERS, neverAllow: [] })
  const egress = await startEgressProxy(policy, { resolver: createResolver({ lookup: NO_NAMES }) })
  const browsers = createBrowsers({
    socket: null,
    sandbox: 'required',
    egress: policy,
    log: createLogger('silent'),
    path: process.env['CHROMIUM_PATH'] ?? null,
    dataDir: DATA_DIR,
    pages: atOnce,
  })
  const [agent, extractor, pages] = [createGuardedAgent(policy), createExtractor({ threads: 1 }), createListReader()]
  const direct = { agent, extractor, pages, signal: new AbortController().signal }
  const byBrowser: CheckPorts = {
    ...direct,
    browser: { render: (request, ports) => browsers.render(request, { ...ports, egress }) },
  }
  const readBy = (url: string, extract: PageTask['extract'], ports: CheckPorts, queue: 'static' | 'browser') =>
    check({ ...TASK, url, extract, queue }, ports)
  async function hashed(url: string, extract: PageTask['extract'], ports: CheckPorts): Promise<string | Error> {
    const reading = await readBy(url, extract, ports, ports.browser ? 'browser' : 'static')
    const hash = reading.kind === 'values' ? reading.values['content_hash'] : null
    if (typeof hash === 'string') return hash
    return new Error(reading.kind === 'failed' ? `${reading.fault.code}: ${reading.fault.message}` : reading.kind)
  }
  const orThrow = (hash: string | Error): string => {
    if (typeof hash === 'string') return hash
    throw hash
  }
  return {
    async isRenderedToday(url) {
      return (await readBy(url, AS_SENT, { ...direct, browser: 'elsewhere' }, 'static')).kind === 'moved'
    },
    async unchanged(url, bodyHash) {
      const last = { etag: null, lastModified: null, bodyHash }
      const { kind } = await check({ ...TASK, url, extract: AS_SENT, queue: 'static', last }, direct)
      if (kind !== 'unchanged') throw new Error(kind)
    },
    async sent(url) {
      return orThrow(await hashed(url, AS_SENT, direct))
    },
    async text(url) {
      return orThrow(await hashed(url, AS_TEXT, direct))
    },
    async rendered(url) {
      const hash = await hashed(url, AS_TEXT, byBrowser)
      return typeof hash === 'string' ? { hash, fault: null } : { hash: null, fault: hash.message }
    },
    async close() {
      await browsers.close()
      await Promise.all([egress.close(), agent.destroy(), extractor.close(), pages.close()])
    },
  }
}

const TASK: Omit<PageTask, 'url' | 'extract' | 'queue'> = {
  kind: 'page',
  no: 0,
  fence: 0,
  runId: '',
  monitorId: '',
  host: '',
  request: null,
  visual: null,
  triesStatic: false,
  reason: null,
  headers: null,
  obstacle: null,
  last: null,
  dueMs: null,
  claimedMs: 0,
  claimedAt: 0,
}
