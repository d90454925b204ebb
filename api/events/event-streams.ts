import { createKeyedBudget } from '../../concurrency/gates/keyed-budget.ts'
import type { OutageLog } from '../../concurrency/loops/outage.ts'
import { EVENT_LIMITS } from '../../schema/overview/event-limits.ts'
import type { Store } from '../../store/db/client.ts'
import type { OverviewKind } from '../../store/overview/wanted-monitors.ts'
import { ApiError } from '../http/api-error.ts'
import { later, left } from '../http/common-errors.ts'
import type { EventStream } from '../http/event-stream.ts'
import { EventLooks } from './event-looks.ts'
import type { EventCursor } from './event-text.ts'
import type { Listener } from './team-feed.ts'

/** A caller who wants to be told of the events of a team. */
interface EventsCall {
  readonly kinds: readonly OverviewKind[]
  readonly teamId: string
  /** The key or session, by which streams are counted. */
  readonly caller: string
  /** The numbers of the monitors whose runs it is told of. */
  readonly watched: readonly number[]
  readonly resumesAt: EventCursor | null
  /** Fires when the client has left. */
  readonly left: AbortSignal
  /** Returns whether the caller may still be told of them. */
  mayListen(): Promise<boolean>
}

/** Gives events to a stream. `lasts` false: those that were missed, and no more. */
export type GiveEvents = (stream: EventStream, lasts: boolean) => void

/** Why streams have ended. */
type Ending = 'left' | 'slow' | 'refused' | 'closing'

/** Bounds of the streams of one process. */
export type EventBounds = Readonly<
  Partial<Record<'perCaller' | 'perTeam' | 'total' | 'checkMs' | 'waitingBytes', number>>
>

interface StreamsOptions {
  readonly store: Store
  readonly log: OutageLog & { warn(fields: object, message: string): void }
  readonly bounds: EventBounds
}

/** The streams of events of one process. */
export class EventStreams {
  readonly #limits: Required<EventBounds>
  readonly #looks: EventLooks
  readonly #budget: ReturnType<typeof createKeyedBudget<string>>
  readonly #teams: ReturnType<typeof createKeyedBudget<string>>
  readonly #open = new Set<EventStream>()
  readonly ended: Record<Ending, number> = { left: 0, slow: 0, refused: 0, closing: 0 }
  #isClosed = false

  constructor({ store, log, bounds }: StreamsOptions) {
    const limits = { ...EVENT_LIMITS, ...bounds }
    this.#limits = limits
    this.#looks = new EventLooks({ store, log })
    this.#budget = createKeyedBudget({ total: limits.total, perKey: limits.perCaller })
    this.#teams = createKeyedBudget({ total: limits.total, perKey: limits.perTeam })
  }

  get open(): number {
    return this.#open.size
  }

  get looks(): Readonly<EventLooks['figures']> {
    return this.#looks.figures
  }

  get waitingBytes(): number {
    return this.#limits.waitingBytes
  }

  /** Returns what gives the events to a stream, once the store was asked. Throws the refusal of one too many. */
  async listen(call: EventsCall): Promise<GiveEvents> {
    if (this.#isClosed) throw later('The process is closing.')
    const giveBack = this.#take(call)
    const texts = new Texts()
    const { kinds, teamId, watched, resumesAt } = call
    const listener: Listener = { watched: new Map(watched.map((no) => [no, null])), resumesAt, tell: texts.add }
    const leave = (): void => {
      this.#looks.leave(teamId, listener)
      giveBack()
    }
    try {
      await this.#looks.join(kinds, teamId, listener)
      if (call.left.aborted) throw left()
    } catch (error) {
      leave()
      throw error
    }
    return (stream, lasts) => {
      stream.onEnd(leave)
      texts.giveTo(stream)
      if (this.#isClosed || !lasts) return stream.end('')
      this.#keep(stream, call)
    }
  }

  #take({ caller, teamId }: EventsCall): () => void {
    const own = this.#budget.take(caller, 1)
    if (typeof own === 'string') throw tooMany(own, this.#limits)
    const ofTeam = this.#teams.take(teamId, 1)
    if (typeof ofTeam === 'string') {
      own()
      throw tooMany('team', this.#limits)
    }
    return () => {
      own()
      ofTeam()
    }
  }

  #keep(stream: EventStream, { mayListen }: EventsCall): void {
    let ending: Ending | null = null
    this.#open.add(stream)
    const timer = setInterval(() => {
      // Where the store cannot be asked, no event comes either.
      void mayListen().then(
        (may) => {
          if (may) return stream.send(': here\n\n')
          ending = 'refused'
          stream.end('')
        },
        () => stream.send(': here\n\n'),
      )
    }, this.#limits.checkMs)
    stream.onEnd((isSlow) => {
      clearInterval(timer)
      this.#open.delete(stream)
      this.ended[ending ?? (isSlow ? 'slow' : this.#isClosed ? 'closing' : 'left')] += 1
    })
  }

  /** Ends all streams. Their clients come back after a while, not all at once. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const stream of this.#open) stream.end(`retry: ${1_000 + Math.round(Math.random() * 4_000)}\n\n`)
    await this.#looks.close()
  }
}

/** Keeps the texts of a listener until there is a stream for them. */
class Texts {
  #first = ''
  #stream: EventStream | null = null

  readonly add = (text: string): void => {
    if (this.#stream) this.#stream.send(text)
    else this.#first += text
  }

  giveTo(stream: EventStream): void {
    this.#stream = stream
    if (this.#first !== '') stream.send(this.#first)
    this.#first = ''
  }
}

function tooMany(why: 'key' | 'team' | 'total', { perCaller, perTeam, total }: Required<EventBounds>): ApiError {
  if (why === 'total') return later(`This process has ${total} streams of events, and takes no more. Ask without one.`)
  const [whose, count] = why === 'team' ? ['team', perTeam] : ['session or key', perCaller]
  const message = `Your ${whose} has ${count} streams of events open. End one, or share them.`
  return new ApiError('RATE_LIMIT_EXCEEDED', message, { headers: { 'retry-after': '15' } })
}
