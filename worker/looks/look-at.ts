import { isSearchResultsUrl } from '../../core/check-queue.ts'
import { BROWSER_DIED } from '../../runners/browser/browser-faults.ts'
import { check, type CheckPorts, fetchAsSent } from '../../runners/check/check.ts'
import {
  failedGot,
  fetchedGot,
  type Got,
  type Looked,
  notAsked,
  renderedGot,
} from '../../runners/check/look-documents.ts'
import type { PageLook } from '../../runners/check/look-of.ts'
import { whyRendered } from '../../runners/check/needs-browser.ts'
import type { PageTask } from '../../runners/check/task.ts'
import type { LookRequest } from '../../schema/monitor/look.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { AskedWork } from '../../store/asked/asked-work.ts'
import type { AskedSlot } from '../asked/asked-slots.ts'
import type { RunnerAnswer, RunnerAnswers } from '../asked/runner-answers.ts'
import { HERE } from '../previews/preview-kind.ts'
import { type KeptLook, lookOfKept, lookTask } from './look-kind.ts'

export type LookEnd =
  | { readonly kind: 'done'; readonly looked: Looked }
  | Exclude<RunnerAnswer, { readonly kind: 'answered' | 'left_alone' }>

interface LookParts {
  readonly ports: CheckPorts
  readonly work: AskedWork
  readonly slot: AskedSlot
  /** Renders where this process does not. Undefined: nobody does. */
  readonly runners: RunnerAnswers | undefined
}

/** A client and a proxy before it wait for a minute. */
const SECONDS = 55
/** Earlier runners would read values of the page. */
const LEVEL = 2

/** Fetches and renders a page at the same time, for somebody who waits. Never rejects because of a site. */
export async function lookAt(asked: LookRequest, parts: LookParts): Promise<LookEnd> {
  const { ports, work } = parts
  const task = { ...lookTask(asked, { ...HERE, teamKey: work.teamId }), queue: 'static' as const }
  const direct = { ...task, request: asked.request_config ?? null }
  const fetching = fetchAsSent(direct, ports)
  const [fetched, shown] = await Promise.all([
    fetching,
    asked.request_config ? NOT_RENDERED : render(asked, { ...parts, fetching }),
  ])
  if (ports.signal.aborted) return { kind: 'stopping' }
  if (shown.kind !== 'got') return shown
  const { got: rendered, look } = shown
  const reason = isSearchResultsUrl(asked.url) ? 'search_results' : whyRendered(direct, fetched)
  const got = fetchedGot(fetched)
  const isOurFault = isOurs(got) && (isOurs(rendered) || Boolean(asked.request_config))
  return { kind: 'done', looked: { fetched: got, rendered, look, reason, isOurFault } }
}

/**
 * Returns whether nothing came from the site, because of this installation. A page can make one half end so, for
 * example by what it does to a browser. If that were enough, it would be looked at for nothing.
 */
const isOurs = ({ about: { is_there: isThere, http_status: status, error_code: code, error_message: message } }: Got) =>
  !isThere && status === null && (code === 'internal' || code === 'not_available' || message === BROWSER_DIED.message)

type Shown =
  | { readonly kind: 'got'; readonly got: Got; readonly look: PageLook | null }
  | Exclude<LookEnd, { kind: 'done' }>

const NOT_RENDERED: Shown = { kind: 'got', got: notAsked(), look: null }

async function render(asked: LookRequest, parts: Rendering): Promise<Shown> {
  const { ports, runners } = parts
  const { browser } = ports
  if (browser && browser !== 'elsewhere') return here(asked, parts)
  if (runners === undefined || !(await runners.areClaimed(false))) return failedShown(NO_BROWSER, null, null)
  return byRunner(asked, runners, parts)
}

async function here(asked: LookRequest, { ports, work }: LookParts): Promise<Shown> {
  const task: PageTask = lookTask(asked, { ...HERE, teamKey: work.teamId })
  const startedAt = performance.now()
  const reading = await check(task, ports)
  const durationMs = performance.now() - startedAt
  if (reading.kind === 'abandoned') return { kind: 'stopping' }
  if (reading.kind === 'failed') return failedShown(reading.fault, reading.status ?? null, durationMs)
  if (reading.kind !== 'look') throw new TypeError(`a look gave ${reading.kind}`)
  return { kind: 'got', got: renderedGot(reading.look, durationMs), look: reading.look }
}

interface Rendering extends LookParts {
  /** The direct request for the same page. */
  readonly fetching: Promise<unknown>
}

async function byRunner(asked: LookRequest, runners: RunnerAnswers, parts: Rendering): Promise<Shown> {
  const { work, slot, ports, fetching } = parts
  const { url, request_headers = null, wait_for, viewport } = asked
  const request = { url, request_headers, ...(wait_for !== undefined && { wait_for }), ...(viewport && { viewport }) }
  const offered = { work, request, engine: null, isIsolated: false, seconds: SECONDS, level: LEVEL }
  const asking = runners.ask(offered, ports.signal)
  // It is awaited below, when nothing of this process needs the slot any more.
  asking.catch(() => undefined)
  await fetching
  slot.wait()
  const answered = await asking
  if (answered.kind === 'left_alone') throw new TypeError('a page has no engine')
  if (answered.kind !== 'answered') return answered
  const kept = answered.kept as KeptLook
  if (kept.kind === 'failed') return failedShown(kept.fault, kept.status ?? null, kept.durationMs)
  const look = lookOfKept(kept)
  return { kind: 'got', got: renderedGot(look, kept.durationMs), look }
}

const failedShown = (fault: RunFault, status: number | null, durationMs: number | null): Shown => ({
  kind: 'got',
  got: failedGot(fault, status, durationMs),
  look: null,
})

const NO_BROWSER: RunFault = {
  code: 'not_available',
  message:
    'This process has no browser, and no runner has one, so there is no picture. Ask who runs this installation.',
}
