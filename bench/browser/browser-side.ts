import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { readingHash } from '../../core/diff/reading-hash.ts'
import { layerBit } from '../../core/layer-bit.ts'
import { createLogger } from '../../core/logger.ts'
import { createGuardedAgent } from '../../egress/guarded-agent.ts'
import { createPolicy } from '../../egress/policy.ts'
import { unprivilegedUser } from '../../platform/unprivileged-user.ts'
import { createBrowsers } from '../../runners/browser/browsers.ts'
import { chromiumProgram } from '../../runners/browser/chromium/chromium-program.ts'
import { usageBelow } from '../../runners/browser/chromium/process-usage.ts'
import { check, type CheckPorts } from '../../runners/check/check.ts'
import type { PageTask } from '../../runners/check/task.ts'
import { createExtractor } from '../../runners/extract/pool/extractor.ts'
import { createPageReader } from '../../runners/fetch/paging/page-reader.ts'
import { answerParent } from '../support/child.ts'

/**
 * One side of the browser bench, in a process of its own so that its memory is separate. It is started with
 * `--expose-gc`. The order is: `open`, then checks, then `close`.
 */
export type SideQuestion =
  | { readonly what: 'open'; readonly side: SideName; readonly url: string; readonly atOnce: number }
  /** Runs this many checks, or as many as are done within this many seconds. */
  | { readonly what: 'check'; readonly checks: number; readonly mostSeconds: number }
  | { readonly what: 'memory' }
  | { readonly what: 'close' }

/** `sparse`: as ours checks a page that it has read before, without its media. */
export type SideName = 'ours' | 'sparse' | 'bare'

export interface SideAnswer {
  readonly checks: number
  readonly ms: number
  /** Resident bytes of the process after a garbage collection, and with its browser. */
  readonly processBytes: number
  readonly withBrowserBytes: number
}

interface Side {
  once(): Promise<void>
  close(): Promise<void>
}

const DATA_DIR = join(tmpdir(), `tidemark-bench-${process.getuid?.() ?? 0}`)
const SHOWN = '$0.99'
const NOTHING: SideAnswer = { checks: 0, ms: 0, processBytes: 0, withBrowserBytes: 0 }
let side: Side = { once: () => Promise.reject(new Error('not open')), close: async () => {} }
let atOnce = 1

answerParent(async (question: SideQuestion): Promise<SideAnswer> => {
  switch (question.what) {
    case 'open':
      atOnce = question.atOnce
      side = await (question.side === 'bare' ? openBare(question.url) : openOurs(question.url, question.side))
      return NOTHING
    case 'check':
      return times(question.checks, question.mostSeconds)
    case 'memory':
      return memory()
    case 'close':
      await side.close()
      return NOTHING
  }
})

async function times(most: number, mostSeconds: number): Promise<SideAnswer> {
  const start = performance.now()
  let checks = 0
  const one = async (): Promise<void> => {
    while (checks < most && performance.now() - start < mostSeconds * 1000) {
      checks++
      await side.once()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  return { ...NOTHING, checks, ms: performance.now() - start }
}

async function memory(): Promise<SideAnswer> {
  globalThis.gc?.()
  // Memory that finalizers released in the first collection is freed in the second.
  await new Promise(setImmediate)
  globalThis.gc?.()
  const processBytes = process.memoryUsage.rss()
  const browser = (await usageBelow(process.pid)).filter(({ pid }) => pid !== process.pid)
  const withBrowserBytes = processBytes + browser.reduce((sum, { megabytes }) => sum + megabytes * 1_048_576, 0)
  return { ...NOTHING, processBytes, withBrowserBytes }
}

/** Opens a whole check except the store: egress guard, proxy, fresh context, sandbox, waiting, extraction. */
async function openOurs(url: string, name: SideName): Promise<Side> {
  const task = { ...TASK, ...(name === 'sparse' && READ_BEFORE), url }
  const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.1/32'], neverAllow: [] })
  const path = process.env['CHROMIUM_PATH'] ?? null
  const browser = createBrowsers({
    socket: null,
    sandbox: 'required',
    egress,
    log: createLogger('silent'),
    path,
    dataDir: DATA_DIR,
    pages: atOnce,
  })
  const [agent, extractor, pages] = [createGuardedAgent(egress), createExtractor({ threads: 1 }), createPageReader()]
  const ports: CheckPorts = { agent, extractor, pages, browser, signal: new AbortController().signal }
  return {
    async once() {
      const reading = await check(task, ports)
      if (reading.kind !== 'values' || reading.values['price'] !== SHOWN)
        throw new Error(`not what the page shows: ${JSON.stringify(reading)}`)
    },
    async close() {
      await browser.close()
      await Promise.all([agent.destroy(), extractor.close(), pages.close()])
    },
  }
}

/**
 * Opens the smallest possible check: a fresh context, `goto` until the network is idle, `content()`. It has no sandbox
 * when run by root, because Playwright cannot change the account.
 */
async function openBare(url: string): Promise<Side> {
  const user = await unprivilegedUser(['nobody'])
  const program = await chromiumProgram({ path: process.env['CHROMIUM_PATH'] ?? null, dataDir: DATA_DIR, user })
  const options = { executablePath: program.path, env: program.environment, chromiumSandbox: user === null }
  const browser = await chromium.launch(options)
  return {
    async once() {
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(url, { waitUntil: 'networkidle' })
      const html = await page.content()
      await context.close()
      if (!html.includes(SHOWN)) throw new Error('not what the page shows')
    },
    close: () => browser.close(),
  }
}

/** What the task of a page has whose values are those of the baseline. */
const READ_BEFORE = {
  last: { etag: null, lastModified: null, bodyHash: null },
  withoutMedia: { readingHash: readingHash({ price: SHOWN }), readBy: layerBit('browser') },
}

const TASK: Omit<PageTask, 'url'> = {
  kind: 'page',
  no: 0,
  fence: 0,
  runId: '',
  monitorId: '',
  queue: 'browser',
  host: '',
  extract: { method: 'css', fields: { price: '.price' } },
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
