import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPolicy } from '../../../egress/policy.ts'
import { type OneBrowser, startBrowser } from '../../../runners/browser/chromium/one-browser.ts'

/**
 * The embedded browser, which reaches servers of the test, with a folder of its own. Disposing ends both. `cpuSeconds`:
 * the processor time after which it ends by itself.
 */
export async function startTestBrowser(cpuSeconds = 120): Promise<AsyncDisposable & Pick<OneBrowser, 'playwright'>> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-test-browser-'))
  const setup = {
    egress: createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }),
    path: null,
    dataDir: folder,
    socket: null,
    processMb: 1024,
    work: { cpuSeconds, threads: 100 },
  }
  const browser = await startBrowser(setup, true)
  return {
    playwright: browser.playwright,
    async [Symbol.asyncDispose]() {
      browser.kill()
      await browser.ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
