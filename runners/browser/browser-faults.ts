import type { EgressFailure, TlsCause } from '../../egress/egress-failure.ts'
import type { ExchangeFailure } from '../../egress/exchange.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import { exchangeFault, redirectFault, tooManyRedirects } from '../fetch/fetch-faults.ts'
import type { Navigation } from './page/navigation.ts'

const MAX_REDIRECTS = 20
const NO_LIMIT = 0

/** Chromium's error names for failures that the egress guard names when it fetches itself. */
const FAILURES: Readonly<Record<string, ExchangeFailure>> = {
  ERR_EMPTY_RESPONSE: { kind: 'closed', phase: 'first_byte' },
  ERR_CONNECTION_CLOSED: { kind: 'closed', phase: 'first_byte' },
  ERR_CONNECTION_RESET: { kind: 'closed', phase: 'first_byte' },
  ERR_CONTENT_LENGTH_MISMATCH: { kind: 'closed', phase: 'body' },
  ERR_INCOMPLETE_CHUNKED_ENCODING: { kind: 'closed', phase: 'body' },
  ERR_TIMED_OUT: { kind: 'timeout', phase: 'first_byte', limit: 'idle' },
  ERR_CONNECTION_TIMED_OUT: { kind: 'connect', cause: 'timeout' },
  ERR_INVALID_HTTP_RESPONSE: { kind: 'bad_http' },
  ERR_INVALID_CHUNKED_ENCODING: { kind: 'bad_http' },
  ERR_RESPONSE_HEADERS_TOO_BIG: { kind: 'headers_too_large' },
  ERR_UNSAFE_PORT: { kind: 'denied' },
}

const TLS: Readonly<Record<string, TlsCause>> = {
  ERR_CERT_DATE_INVALID: 'expired',
  ERR_CERT_AUTHORITY_INVALID: 'untrusted',
  ERR_CERT_COMMON_NAME_INVALID: 'wrong_host',
  ERR_SSL_VERSION_OR_CIPHER_MISMATCH: 'old_protocol',
  ERR_SSL_PROTOCOL_ERROR: 'not_tls',
}

/**
 * Returns the fault of a navigation that Chromium aborted. `refused` is the egress proxy's failure for the host that
 * was requested last.
 */
export function navigationFault(netError: string, host: string, refused: EgressFailure | null): RunFault {
  if (refused !== null) return exchangeFault(refused, { host }, NO_LIMIT)
  if (netError === 'ERR_TOO_MANY_REDIRECTS') return tooManyRedirects(MAX_REDIRECTS, false)
  if (
    netError === 'ERR_UNSAFE_REDIRECT' ||
    netError === 'ERR_INVALID_REDIRECT' ||
    netError === 'ERR_UNKNOWN_URL_SCHEME'
  )
    return redirectFault(host, 'to an address that is not followed. Use the address where it ends.')
  const known = FAILURES[netError]
  if (known) return exchangeFault(known, { host }, NO_LIMIT)
  if (netError.startsWith('ERR_CERT') || netError.startsWith('ERR_SSL'))
    return exchangeFault({ kind: 'tls', cause: TLS[netError] ?? 'failed' }, { host }, NO_LIMIT)
  const text = `The browser could not load the page of ${host} (${netError}). It is tried again at the next run.`
  return { code: 'connect_failed', message: text }
}

/** Returns the `ERR_…` of a Playwright message, or the empty string when it has none. */
export function netErrorOf(error: unknown): string {
  return /net::(ERR_\w+)/.exec(error instanceof Error ? error.message : '')?.[1] ?? ''
}

/** What a person can set so that the page is not rendered, as an imperative; null or undefined: nothing. */
type Unrendered = string | null | undefined

const other = (unrendered: Unrendered, advice: string): string =>
  unrendered ? `${advice}, or ${unrendered}.` : `${advice}.`

export const DOWNLOAD = (unrendered: Unrendered): RunFault => ({
  code: 'wrong_type',
  message:
    'The address leads to a file that a browser downloads, not to a page. ' + other(unrendered, 'Use another address'),
})

export const PDF = (unrendered: Unrendered): RunFault => ({
  code: 'wrong_type',
  message:
    'The address leads to a PDF, which is not rendered. ' +
    (unrendered ? `To be told when the file changes, ${unrendered}, and use the method full_page. ` : '') +
    'To read values, watch a page that has them as text.',
})

/**
 * Returns the fault of a page whose time is over. How far its navigation came tells whose fault it is; which limit
 * ended it does not. `undefined`: it had not begun.
 */
export function lateFault(navigation: Pick<Navigation, 'asked' | 'answer'> | undefined, { host }: URL): RunFault {
  if (navigation === undefined || navigation.asked === '') return NOT_ASKED(host)
  if (navigation.answer !== null) return OUT_OF_TIME(host)
  return navigationFault('ERR_TIMED_OUT', URL.parse(navigation.asked)?.host ?? host, null)
}

const NOT_ASKED = (host: string): RunFault => ({
  code: 'timeout',
  message:
    `The browser was not ready to ask ${host} for its page when the time allowed for a check ran out. It is tried ` +
    `again at the next run.`,
})

const OUT_OF_TIME = (host: string): RunFault => ({
  code: 'timeout',
  message:
    `The page of ${host} kept the browser busy until the time allowed for a check ran out. It is tried again at the ` +
    `next run.`,
})

export const UNFINISHED = (host: string): RunFault => ({
  code: 'timeout',
  message:
    `The page of ${host} did not finish loading: part of the document, or a script that it waits for, had not ` +
    `arrived. It is tried again at the next run.`,
})

export const NEVER_SHOWN = (host: string, selector: string, ms: number): RunFault => ({
  code: 'timeout',
  message:
    `Nothing on the page of ${host} matched wait_for (${cut(selector)}) within ${Math.round(ms / 1_000)} s, so the ` +
    `page was not read. It is tried again at the next run. If the page was rebuilt, change wait_for.`,
})

export const NO_SELECTOR = (selector: string): RunFault => ({
  code: 'bad_rule',
  message: `wait_for (${cut(selector)}) is not a CSS selector that the browser knows. Change it.`,
})

const cut = (selector: string) => (selector.length <= 100 ? selector : `${selector.slice(0, 99)}…`)

/** A warning: nothing was being loaded any more. */
export const LEFT_OPEN = 'A script of the page writes its document and never closed it; the current content was read.'

export const UNSTABLE = (host: string): RunFault => ({
  code: 'render_failed',
  message:
    `The page of ${host} keeps redirecting, so there is nothing stable to read. ` + 'Watch the address of its target.',
})

export const PICTURE_LATE = (host: string, ms: number): RunFault => ({
  code: 'timeout',
  message:
    `The page of ${host} kept the browser too busy to take its picture within ${ms / 1_000} s. It is tried again at ` +
    `the next run.`,
})

/**
 * Returns the fault of an unexpected behaviour of the page, with the browser's error. Never use it for a bug in
 * Tidemark.
 */
export function pageFault(error: unknown, host: string): RunFault {
  const text = error instanceof Error ? error.message : String(error)
  if (/has been closed/i.test(text)) {
    const message =
      `The page of ${host} closed its own window before it was read. Watch another page, or the address from which ` +
      `it loads its data.`
    return { code: 'render_failed', message }
  }
  const reason = (text.split('\n')[0] ?? '').replace(/^[\w.]+: (?:Protocol error \([\w.]+\): )?/, '').slice(0, 300)
  return {
    code: 'render_failed',
    message: `The browser could not show the page of ${host}: ${reason}. It is tried again at the next run.`,
  }
}

export const CRASHED = (unrendered: Unrendered): RunFault => ({
  code: 'render_failed',
  message:
    'The page crashed the process of the browser that showed it. If it lasts, ' +
    other(unrendered, 'watch another page'),
})

export const TOO_MUCH_MEMORY = (megabytes: number): RunFault => ({
  code: 'render_failed',
  message:
    `The page needed more than ${megabytes} MB of memory in the browser, more than a check may use. Watch a smaller ` +
    `page.`,
})

export const TOO_MUCH_WORK = (
  { cpuSeconds, threads }: { cpuSeconds: number; threads: number },
  unrendered: Unrendered,
): RunFault => ({
  code: 'render_failed',
  message:
    `The scripts of the page used more than ${cpuSeconds} s of processor time or ${threads} threads in the browser, ` +
    `more than a check may use. ${other(unrendered, 'Watch another page')}`,
})

export const HEAP_FULL = (megabytes: number): RunFault => ({
  code: 'render_failed',
  message:
    `The scripts of the page needed more than ${megabytes} MB of memory in the browser, more than a check may use. ` +
    `Watch a smaller page.`,
})

export const BROWSER_DIED: RunFault = {
  code: 'render_failed',
  message: 'The browser ended while it showed the page, twice. It is tried again at the next run.',
}
