import type { QueryClient } from '@tanstack/react-query'
import type { Overview } from '../api/types.ts'
import { noteDeleted } from './deleted.ts'
import type { LiveEvent } from './event-stream.ts'

/** Events of so long are one: what they change is read once. */
const GATHER_MS = 400
/** Counts read every monitor, so they are asked for less often than rows, and lists for monitors that may be new. */
const COUNTS_MS = 5_000

type Row = Overview['data'][number]
/** What the API says of a row: lists that are read have no deleted monitors. */
const isShown = (status: string): status is Row['status'] => status !== 'deleted'

/** Gives events to what is on the screen: cells that an event has are changed in place, and others read again. */
export class EventGatherer {
  readonly #queries: QueryClient
  readonly #names = new Set<string>()
  readonly #ids = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #countedAt = 0
  /** A status was told of a monitor that no list has which was read. */
  #mayBeNew = false

  constructor(queries: QueryClient) {
    this.#queries = queries
  }

  readonly add = ({ name, data }: LiveEvent): void => {
    this.#names.add(name)
    if (name === 'state') {
      const isListed = this.#change(data.monitor.id, (row) => withStatus(row, data.status))
      if (!isListed) this.#mayBeNew = true
    }
    if (name === 'state' && data.status === 'deleted') {
      noteDeleted(data.monitor.id)
      // The list is read again: it has one less.
      this.#names.add('change')
    }
    if (name === 'run') this.#change(data.monitor.id, (row) => withRun(row, data))
    // A row that fails shows why, which the event does not have.
    if (name === 'run' && data.status !== 'success') this.#names.add('change')
    if (name !== 'gap') this.#ids.add(data.monitor.id)
    this.#timer ??= setTimeout(() => this.#give(), GATHER_MS)
  }

  /** Reads again what screens of these monitors show. */
  readonly read = (ids: readonly string[]): void => {
    if (ids.length === 0) return
    for (const id of ids) this.#ids.add(id)
    this.#timer ??= setTimeout(() => this.#give(), GATHER_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Returns whether a list that was read has the monitor. */
  #change(id: string, changed: (row: Row) => Row): boolean {
    let isListed = false
    for (const [key, page] of this.#queries.getQueriesData<Overview>({ queryKey: ['overview'] })) {
      if (!page?.data.some((row) => row.id === id)) continue
      isListed = true
      const data = page.data.map((row) => (row.id === id ? changed(row) : row))
      // The page is as old as before: what no event tells is read when its time has come.
      const { dataUpdatedAt: updatedAt } = this.#queries.getQueryState(key) ?? {}
      this.#queries.setQueryData<Overview>(key, { ...page, data }, updatedAt === undefined ? {} : { updatedAt })
    }
    return isListed
  }

  #give(): void {
    this.#timer = undefined
    const [names, ids] = [[...this.#names], [...this.#ids]]
    this.#names.clear()
    this.#ids.clear()
    if (names.includes('gap')) {
      // Labels and the person are as they were.
      this.#readAgain(([first]) => first !== 'labels' && first !== 'me')
      return
    }
    const hasChanged = names.includes('change')
    // Screens of one monitor have its id in what they ask for.
    this.#readAgain((parts) => {
      if (parts[0] === 'overview') return hasChanged
      if (parts[0] === 'changes' || parts[0] === 'sent') return hasChanged || names.includes('delivery')
      return ids.some((id) => parts.some((part) => part.includes(id)))
    })
    if (hasChanged || names.includes('state') || names.includes('delivery')) this.#countLater()
  }

  #countLater(): void {
    const waitMs = Math.max(0, this.#countedAt + COUNTS_MS - Date.now())
    if (waitMs > COUNTS_MS) return
    this.#countedAt = Date.now() + waitMs
    setTimeout(() => {
      const areListsRead = this.#mayBeNew
      this.#mayBeNew = false
      this.#readAgain(([first]) => first === 'counts' || (areListsRead && first === 'overview'))
    }, waitMs)
  }

  #readAgain(isIt: (parts: readonly string[]) => boolean): void {
    const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) => isIt(queryKey.map(String))
    void this.#queries.invalidateQueries({ predicate }, { cancelRefetch: false })
  }
}

const withStatus = (row: Row, status: string): Row => (isShown(status) ? { ...row, status } : row)

function withRun(row: Row, { run_id: id, at, status }: Extract<LiveEvent, { name: 'run' }>['data']): Row {
  const next = Date.parse(at) + row.schedule_interval_seconds * 1_000
  return {
    ...row,
    last_run: { id, at, status, error_code: status === 'success' ? null : (row.last_run?.error_code ?? null) },
    next_run_at: row.next_run_at === null ? null : new Date(next).toISOString(),
  }
}
