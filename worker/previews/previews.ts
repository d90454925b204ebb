import { createKeyedBudget } from '../../concurrency/keyed-budget.ts'
import { Running } from '../../concurrency/running.ts'
import type { Preview } from '../../schema/monitor/preview.ts'
import type { Browsers } from '../../runners/browser/browsers.ts'
import { createExtractor } from '../../runners/extract/pool/pool.ts'
import { createPageReader } from '../../runners/fetch/paging/page-reader.ts'
import { createGuardedAgent } from '../../egress/guarded-agent.ts'
import type { Hold, ProxyLayer } from '../../runners/fetch/proxy/proxy-layer.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import type { Prompts } from '../prompts/prompts-port.ts'
import { type Ask, preview } from './preview.ts'
import type { Previewed } from './preview.ts'

interface PreviewsOptions {
  readonly egress: EgressPolicy
  /** Previews at once in this process. Default 4. */
  readonly atOnce?: number
  /** Of these, those of one team. Default 2: a team whose sites hang must not keep the others out. */
  readonly perTeam?: number
  /** Renders pages; absent: what needs that fails, and says so. */
  readonly browser?: Pick<Browsers, 'render'> | undefined
  /** Who asks the model; null: this installation has none. */
  readonly prompts?: Prompts | null
  /** Milliseconds for a fetch. Default 30,000, as for a run. */
  readonly deadlineMs?: number
  /** The proxy for checks that are refused, and whose allowance it uses. */
  readonly proxy?: { readonly layer: ProxyLayer; holdFor(teamId: string): Hold } | undefined
}

/** Checks on demand, for somebody who waits for the answer: within the process that was asked, few at a time. */
export interface Previews {
  /** A place to run one check in, or which limit stands in the way. `leave` the place whatever happens. */
  enter(teamId: string): PreviewPlace | PreviewLimit
  /** Ends the checks under way and their connections and threads. */
  close(): Promise<void>
}

/** As many as may run at once are running: of the team, or in this process. */
interface PreviewLimit {
  readonly kind: 'limit'
  readonly of: 'team' | 'process'
  readonly limit: number
}

interface PreviewPlace {
  readonly kind: 'place'
  /** Null when the process is stopping. */
  run(config: Previewed): Promise<Preview | null>
  leave(): void
}

/**
 * Creates the slots, with an egress guard and threads of their own, as a worker has them. Both start when first needed.
 */
export function createPreviews({
  egress,
  atOnce = 4,
  perTeam = 2,
  deadlineMs,
  browser,
  prompts,
  proxy,
}: PreviewsOptions): Previews {
  const agent = createGuardedAgent(egress, { connections: atOnce })
  const extractor = createExtractor({ threads: 1 })
  const pages = createPageReader()
  const stopping = new AbortController()
  const running = new Running()
  const places = createKeyedBudget<string>({ total: atOnce, perKey: perTeam })

  function run(teamId: string, config: Previewed): Promise<Preview | null> {
    if (stopping.signal.aborted) return Promise.resolve(null)
    const { signal } = stopping
    const port = proxy && { layer: proxy.layer, holdFor: () => proxy.holdFor(teamId) }
    const ask: Ask | undefined = prompts ? (asked, until) => prompts.ask({ ...asked, teamId }, until) : undefined
    const within = { signal, ask, browser, proxy: port, ...(deadlineMs !== undefined && { deadlineMs }) }
    const done = preview(config, { agent, extractor, pages, ...within })
    running.add(done)
    return done
  }

  return {
    enter(teamId) {
      const leave = places.take(teamId, 1)
      if (leave === 'key') return { kind: 'limit', of: 'team', limit: perTeam }
      if (leave === 'total') return { kind: 'limit', of: 'process', limit: atOnce }
      return { kind: 'place', run: (config) => run(teamId, config), leave }
    },
    async close() {
      stopping.abort()
      await running.settled()
      await Promise.all([extractor.close(), pages.close(), agent.destroy()])
    },
  }
}
