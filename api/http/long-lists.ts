import type { FastifyBaseLogger } from 'fastify'
import { Slots } from '../../concurrency/gates/slots.ts'
import { LIST_LIMITS } from '../../schema/list-limits.ts'
import { ApiError } from './api-error.ts'

interface Sized {
  /** What the values of the row come to. */
  readonly bytes: number
}

/** A page of a list that is too large to be answered at once. */
interface LongList<Row extends Sized> {
  readonly teamId: string
  /** What is known of each row beforehand. */
  readonly rows: readonly Row[]
  /** Returns the JSON of these rows, without those that are gone from the store. */
  readonly read: (rows: readonly Row[]) => Promise<readonly string[]>
  /** What follows `data` in the envelope. */
  readonly rest: object
  /** Fires when the client has left. */
  readonly left: AbortSignal
}

/** A record that is too large to be answered at once. */
interface LargeRecord extends Sized {
  readonly teamId: string
  /** Returns its JSON. Throws where it is gone from the store. */
  readonly read: () => Promise<string>
  /** Fires when the client has left. */
  readonly left: AbortSignal
}

type Parts = AsyncGenerator<string, void, void>

/** What one list does while it is sent. */
interface Sending {
  readonly signal: AbortSignal
  /** The answer has begun: it cannot be refused any more. */
  isBegun: boolean
  hasWaited: boolean
}

const RETRY_SECONDS = '2'
const LINE_EVERY_MS = 60_000

/** Sends long lists, within a budget of bytes that this process reads and sends at the same time. */
export class LongLists {
  readonly #log: Pick<FastifyBaseLogger, 'warn'>
  readonly #slots = new Slots(LIST_LIMITS.underWay)
  readonly #counts = { sent: 0, waited: 0, refused: 0, ended: 0 }
  #nextLineAt = 0
  #sinceLine = 0

  constructor(log: Pick<FastifyBaseLogger, 'warn'>) {
    this.#log = log
  }

  /** Counts of lists: sent to the end, made to wait at least once, refused, ended before their end. */
  figures() {
    return { bytesUnderWay: this.#slots.held, waiting: this.#slots.waiting, counts: { ...this.#counts } }
  }

  /**
   * Returns the body in parts, once its first rows are read. Throws a 429 when it would have to wait for too long for
   * its turn. What fails later is thrown by the parts, and has to end the connection: a list without some of its rows
   * would look whole. What a part takes of the budget is given back when the next part is asked for.
   */
  open<Row extends Sized>(list: LongList<Row>): Promise<AsyncIterable<string>> {
    return this.#opened(list.left, (sending) => this.#partsOf(list, sending))
  }

  /** Returns a record that is too large to be answered at once, likewise: as a list of one row without its envelope. */
  openRecord(record: LargeRecord): Promise<AsyncIterable<string>> {
    return this.#opened(record.left, (sending) => this.#recordOf(record, sending))
  }

  async #opened(left: AbortSignal, partsOf: (sending: Sending) => Parts): Promise<AsyncIterable<string>> {
    const ending = new AbortController()
    const signal = AbortSignal.any([left, ending.signal])
    const parts = partsOf({ signal, isBegun: false, hasWaited: false })
    let first: IteratorResult<string, void> | null = await parts.next()
    const content: AsyncIterableIterator<string, void> = {
      [Symbol.asyncIterator]: () => content,
      async next() {
        const part = first ?? (await parts.next())
        first = null
        return part
      },
      return() {
        ending.abort()
        return parts.return()
      },
    }
    return content
  }

  async *#partsOf<Row extends Sized>(list: LongList<Row>, sending: Sending): Parts {
    let isSent = false
    try {
      for (const group of groupsOf(list.rows)) yield* this.#partOf(list, group, sending)
      yield endOf(list.rest)
      isSent = true
    } finally {
      this.#count(isSent, sending)
    }
  }

  async *#recordOf({ teamId, bytes, read }: LargeRecord, sending: Sending): Parts {
    let isSent = false
    const giveBack = await this.#turnOf(teamId, [{ bytes }], sending)
    try {
      const text = await read()
      sending.isBegun = true
      yield text
      isSent = true
    } finally {
      giveBack()
      this.#count(isSent, sending)
    }
  }

  #count(isSent: boolean, { isBegun }: Sending): void {
    if (isSent) this.#counts.sent++
    else if (isBegun) this.#counts.ended++
  }

  async *#partOf<Row extends Sized>({ teamId, read }: LongList<Row>, group: readonly Row[], sending: Sending) {
    const giveBack = await this.#turnOf(teamId, group, sending)
    try {
      const texts = await read(group)
      if (texts.length !== group.length) throw goneError()
      const before = sending.isBegun ? ',' : '{"data":['
      sending.isBegun = true
      yield before + texts.join(',')
    } finally {
      giveBack()
    }
  }

  /** Waits for the turn of a group. Returns what gives its bytes back. */
  async #turnOf(teamId: string, group: readonly Sized[], sending: Sending): Promise<() => void> {
    const bytes = group.reduce((sum, row) => sum + row.bytes, 0)
    const atOnce = this.#slots.tryTake(teamId, bytes)
    if (atOnce) return atOnce
    if (!sending.hasWaited) this.#counts.waited++
    sending.hasWaited = true
    const { isBegun, signal } = sending
    const waitMs = isBegun ? LIST_LIMITS.nextWaitMs : LIST_LIMITS.underWay.waitMs
    const taken = await this.#slots.take(teamId, { amount: bytes, isBegun, signal, waitMs })
    if (taken === 'left') throw new ApiError('UNAVAILABLE', 'The client has left.')
    if (typeof taken === 'string') throw this.#refused(teamId)
    return taken
  }

  #refused(teamId: string): ApiError {
    this.#counts.refused++
    this.#sinceLine++
    if (performance.now() >= this.#nextLineAt) {
      const words = 'too many long lists are under way; more of them are refused'
      this.#log.warn({ team: teamId, refused: this.#sinceLine }, words)
      this.#nextLineAt = performance.now() + LINE_EVERY_MS
      this.#sinceLine = 0
    }
    const message = 'Too many large answers are under way. Try again in a moment, or ask for fewer rows with limit.'
    return new ApiError('RATE_LIMIT_EXCEEDED', message, { headers: { 'retry-after': RETRY_SECONDS } })
  }
}

/** Returns the end of the envelope: that of `data`, and what follows it. */
function endOf(rest: object): string {
  const text = JSON.stringify(rest).slice(1)
  return text === '}' ? ']}' : `],${text}`
}

/** Returns the rows in groups: each of `groupBytes` at most, or one row that is larger. */
function groupsOf<Row extends Sized>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const groups: Row[][] = []
  let bytes = Infinity
  for (const row of rows) {
    bytes += row.bytes
    if (bytes > LIST_LIMITS.groupBytes) {
      groups.push([])
      bytes = row.bytes
    }
    groups.at(-1)?.push(row)
  }
  return groups
}

const goneError = () =>
  new ApiError('UNAVAILABLE', 'A row was deleted while the list was read. Ask for the list again.', {
    headers: { 'retry-after': '0' },
  })
