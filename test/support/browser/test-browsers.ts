import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '../../../core/logger.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { type Browsers, type BrowsersOptions, createBrowsers } from '../../../runners/browser/browsers.ts'
import type { Rendered, RenderRequest } from '../../../runners/browser/page/rendered.ts'

/** Browsers of a test: loopback is open, and the embedded one is unpacked once for all tests of an account. */
export function testBrowsers(options: Partial<BrowsersOptions> = {}): Browsers {
  return createBrowsers({
    socket: null,
    sandbox: 'required',
    egress: createPolicy({ allowPrivateCidrs: ['127.0.0.1/32'], neverAllow: [] }),
    log: createLogger('silent'),
    path: process.env['CHROMIUM_PATH'] ?? null,
    dataDir: join(tmpdir(), `tidemark-test-${process.getuid?.() ?? 0}`),
    pages: 4,
    ...options,
  })
}

export const NEVER = new AbortController().signal

export function renderOne(
  browsers: Browsers,
  request: string | (Partial<RenderRequest> & { readonly url: string }),
  deadlineMs = 60_000,
): Promise<Rendered> {
  const asked = typeof request === 'string' ? { url: request } : request
  return browsers.render({ headers: null, visual: null, ...asked }, { signal: NEVER, deadlineMs })
}

/** The document that was rendered; throws with the fault when none was. */
export function htmlOf(rendered: Rendered): string {
  if (!rendered.ok) throw new Error(`${rendered.fault.code}: ${rendered.fault.message}`)
  return Buffer.from(rendered.body).toString('utf8')
}

/** The code of the fault, or `none`. */
export function faultOf(rendered: Rendered): string {
  return rendered.ok ? 'none' : rendered.fault.code
}
