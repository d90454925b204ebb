import { type CheckQueue, layerReason, type PageQueue } from '../../core/check-queue.ts'
import type { PageTask, SerpTask, Task } from '../../runners/check/task.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import type { RequestConfig } from '../../schema/monitor/request-config.ts'
import type { VisualConfig } from '../../schema/monitor/visual-config.ts'
import type { Store } from '../../store/db/client.ts'
import { noteRendering } from '../../store/maintenance/unrendered.ts'
import { type ClaimedSearch, claimSearches } from '../../store/queue/claim-search.ts'
import { claimChecks, type ClaimedPage, TEAMS_PER_CLAIM } from '../../store/queue/claim.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { NO_MODEL } from '../prompts/prompts-port.ts'
import type { RecordContext } from '../record/recording.ts'
import { hostOf } from './host-of.ts'

/** A check that is leased to this process. */
type Claimed = ClaimedPage | ClaimedSearch

/** How searches are claimed. */
export interface SearchClaims {
  /**
   * The name of the address that they come from (`TIDEMARK_EXIT_NAME`). A runner tells its own. Null: this process asks
   * no engines, and claims only what asks none.
   */
  readonly exit: string | null
  /** A paid provider answers for Google when Google refuses. */
  readonly hasProvider: boolean
}

/** The rows of one claim, and `performance.now()` before it. */
interface ClaimedTogether {
  readonly rows: readonly Claimed[]
  readonly claimedAt: number
}

interface PageClaims {
  readonly store: Store
  readonly queue: CheckQueue
  readonly leaseSeconds: number
}

/**
 * Claims from one queue. Every claim is divided among the teams that have due work, however many processes claim: a
 * team with thousands of due checks delays no other team to a later claim. What the others leave of it is then offered
 * to those that have more. One statement looks at a few hundred teams; with more of them, the next continues after
 * the last.
 */
function createPageClaims({ store, queue, leaseSeconds }: PageClaims) {
  let afterTeam = ''
  return async function* claim(
    limit: number,
    { holder, exceptTeams, only = null }: Asking,
  ): AsyncGenerator<ClaimedTogether> {
    const served = new Map<string, number>()
    let room = limit
    const claimed = async (start: string, perTeam: number | null): Promise<ClaimedTogether> => {
      const claimedAt = performance.now()
      const within = { limit: room, perTeam, afterTeam: start, ...(exceptTeams && { exceptTeams }) }
      const rows = (await claimChecks(store, { queue, ...within, leaseSeconds, holder, only })).filter(isPage)
      for (const { team_id: team } of rows) served.set(team, (served.get(team) ?? 0) + 1)
      room -= rows.length
      return { rows, claimedAt }
    }
    // A runner pod asks for its own check only. That is no turn of anybody.
    if (only !== null) {
      yield await claimed('', null)
      return
    }
    let start = afterTeam
    let hasBegunAgain = start === ''
    while (room > 0) {
      const together = await claimed(start, null)
      start = afterTeam = room <= 0 || mayHaveMissed(together.rows) ? lastOf(together.rows) : ''
      yield together
      if (start === '' && hasBegunAgain) break
      hasBegunAgain ||= start === ''
    }
    if (room <= 0) return
    // A team that had more than an even share of this claim may have more due checks.
    const mayHaveMore = served.size > 1 && Math.max(...served.values()) >= limit / (served.size + 1)
    if (mayHaveMore) yield await claimed('', room)
  }
}

/** The queues of this round hold pages only. */
const isPage = (row: { readonly kind: string }): row is ClaimedPage => row.kind === 'page'

/**
 * Returns whether the statement may have looked at as many teams as it can, so that there may be others after them. Not
 * each of them gives a row: another process may have what was due. If there are none, the next statement finds nothing.
 */
const mayHaveMissed = (rows: readonly Claimed[]): boolean =>
  new Set(rows.map(({ team_id: team }) => team)).size > TEAMS_PER_CLAIM / 2

/** Returns the last of the teams, in the order in which claims look at them. */
const lastOf = (rows: readonly Claimed[]): string =>
  rows.reduce((last, { team_id: team }) => (team > last ? team : last), '')

interface ClaimsOptions {
  readonly store: Store
  readonly secrets: SecretBox
  /** Queues in the order in which they are tried. */
  readonly queues: readonly CheckQueue[]
  readonly leaseSeconds: number
  readonly hasModel: boolean
  /** Absent: the defaults of the settings. */
  readonly search?: SearchClaims | undefined
  /** Called with each task and the row that it was made from. */
  readonly onTask?: (task: Task, row: Claimed) => void
}

/** Claims from several queues in turn. */
type Claims = (limit: number, asking: Asking) => Promise<readonly Task[]>

/** Who asks for checks. */
interface Asking {
  /** The runner token that the checks are claimed with; null: this process runs them itself. */
  readonly holder: number | null
  /** The exit of a runner's searches. Null: it does none. Absent: that of this process. */
  readonly exit?: string | null | undefined
  /** Claims this isolated check and no other. Absent or null: any that is not isolated. */
  readonly only?: number | null
  /** Teams whose pages are left to other processes. Absent: none. */
  readonly exceptTeams?: readonly string[] | undefined
}

const NO_SEARCHES: SearchClaims = { exit: 'default', hasProvider: false }

const NOTED_EVERY_MS = 60_000

export function createClaims(options: ClaimsOptions): Claims {
  const { store, secrets, queues, leaseSeconds, hasModel, search = NO_SEARCHES, onTask } = options
  const rounds = queues.map((queue) => ({
    queue,
    claim: queue === 'serp' ? claimOfSearches : createPageClaims({ store, queue, leaseSeconds }),
  }))
  let turn = 0
  let notedAt = -Infinity

  /** Checks that need a browser are given up where no process asks for them. */
  async function noteIfRenders(): Promise<void> {
    if (!queues.includes('browser') || performance.now() - notedAt < NOTED_EVERY_MS) return
    await noteRendering(store)
    notedAt = performance.now()
  }

  async function* claimOfSearches(
    limit: number,
    { holder, exit: given, only = null }: Asking,
  ): AsyncGenerator<ClaimedTogether> {
    if (given === null || only !== null) return
    const exit = given ?? search.exit
    const claimedAt = performance.now()
    const { hasProvider } = search
    const rows = await claimSearches(store, { exit, limit, leaseSeconds, holder, hasProvider })
    yield { rows, claimedAt }
  }

  return async (limit, asking) => {
    const tasks: Task[] = []
    // Each time another queue is first, so that a queue that is always full does not starve the rest.
    const first = turn++ % rounds.length
    try {
      await noteIfRenders()
      for (const round of [...rounds.slice(first), ...rounds.slice(0, first)])
        if (tasks.length < limit) await claimFrom(round, limit, { ...asking, tasks })
    } catch (error) {
      // Checks that were claimed before are leased by us already. If the store is away, the next claim fails too.
      if (tasks.length === 0) throw error
    }
    return tasks
  }

  async function claimFrom(
    { queue, claim }: (typeof rounds)[number],
    limit: number,
    { tasks, ...asking }: Asking & { readonly tasks: Task[] },
  ): Promise<void> {
    for await (const { rows, claimedAt } of claim(limit - tasks.length, asking))
      for (const row of rows) {
        const task = taskOf(row, { queue, claimedAt, secrets, hasModel })
        onTask?.(task, row)
        tasks.push(task)
      }
  }
}

interface Claiming {
  readonly queue: CheckQueue
  /** `performance.now()` before the claim. */
  readonly claimedAt: number
  readonly secrets: SecretBox
  readonly hasModel: boolean
}

/** Returns the task for a claimed row. */
function taskOf(row: Claimed, claiming: Claiming): Task {
  if (row.kind === 'page') return pageTaskOf(row, claiming)
  return searchTaskOf(row, claiming)
}

/** Returns the task for the claimed row of a search. */
export function searchTaskOf(row: ClaimedSearch, claiming: Pick<Claiming, 'claimedAt'>): SerpTask {
  const { search, refused_until_ms: refusedUntilMs } = row
  const about = { kind: 'serp', queue: 'serp', host: search.engine, search, refusedUntilMs, obstacle: null } as const
  return { ...known(row, claiming), ...about }
}

/** Returns the task for the claimed row of a page. */
export function pageTaskOf(row: ClaimedPage, claiming: Claiming): PageTask {
  const { queue, secrets, hasModel } = claiming
  return {
    ...known(row, claiming),
    kind: 'page',
    // A check of a page is never in the queue of searches.
    queue: queue as PageQueue,
    url: row.url,
    host: hostOf(row.url),
    extract: row.extract_config as ExtractConfig,
    request: row.request_config as RequestConfig | null,
    visual: row.visual_config as VisualConfig | null,
    triesStatic: row.tries_static,
    ...(row.renders_missing && { rendersMissing: true }),
    reason: row.layer_reason ?? layerReason({ queue, fetch_mode: row.fetch_mode }),
    ...withModel(row, headersOf(row, secrets), hasModel),
    last: row.reading_id === null ? null : { etag: row.etag, lastModified: row.last_modified, bodyHash: row.body_hash },
  }
}

/**
 * Returns the fields that every task has. The team decides whose turn it is. Its id stays in this process: a runner is
 * given a hash.
 */
function known(row: Claimed, { claimedAt }: Pick<Claiming, 'claimedAt'>) {
  return {
    no: row.no,
    fence: row.fence,
    runId: row.run_id,
    monitorId: row.monitor_id,
    team: row.team_id,
    teamKey: row.team_id,
    dueMs: row.due_ms,
    claimedMs: row.claimed_ms,
    claimedAt,
  }
}

/** Returns what the recorder needs besides the outcome. */
export const contextOf = (row: Claimed): RecordContext => ({
  teamId: row.team_id,
  readingHash: row.reading_hash,
  readBy: row.read_by,
  health: { failures: row.failures, wasFailing: row.was_failing },
  monitorName: row.name,
})

/** A monitor whose headers cannot be opened must not block the claim of the others. Its own run reports the fault. */
function headersOf(row: ClaimedPage, secrets: SecretBox): Pick<PageTask, 'headers' | 'obstacle'> {
  if (row.request_headers === null) return { headers: null, obstacle: null }
  try {
    const place = { teamId: row.team_id, column: 'monitors.request_headers', rowId: row.monitor_id } as const
    const headers = secrets.open(place, row.request_headers)
    return { headers: headers as Record<string, string>, obstacle: null }
  } catch {
    return {
      headers: null,
      obstacle:
        'The stored request headers cannot be decrypted with the current encryption key; set request_headers again.',
    }
  }
}

/** Without a model the page of a prompt is not fetched at all. */
function withModel<T extends Pick<Task, 'obstacle'>>({ extract_config }: ClaimedPage, known: T, hasModel: boolean): T {
  const asks = (extract_config as ExtractConfig).method === 'prompt'
  return asks && !hasModel ? { ...known, obstacle: known.obstacle ?? NO_MODEL } : known
}
