import type { MuteRequest } from '../../../schema/monitor/mute.ts'
import { secondsOf } from '../duration.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'
import { type Action, actOnEach, type Chosen } from './act.ts'

interface MuteOptions extends Chosen {
  readonly for?: string
  readonly until?: string
  readonly reason?: string
  readonly drop?: boolean
}

/** Mutes monitors: those that are named, or those that match now. All of them until the same time. */
export const mute: Handler<MuteOptions> = async ({ io, words, options }) => {
  const until = untilOf(options)
  const { reason, drop } = options
  const body: MuteRequest = { until, ...(reason !== undefined && { reason }), ...(drop && { drop }) }
  const action: Action = {
    done: 'muted',
    words: until === null ? 'muted until you unmute it' : `muted until ${until}`,
    request: (path) => ({ method: 'POST', path: `${path}/mute`, body }),
  }
  return actOnEach(io, action, words, options)
}

/** Ends the mute of monitors. */
export const unmute: Handler<Chosen> = ({ io, words, options }) =>
  actOnEach(io, { done: 'unmuted', request: (path) => ({ method: 'POST', path: `${path}/unmute` }) }, words, options)

function untilOf({ for: duration, until }: MuteOptions): string | null {
  if (duration !== undefined && until !== undefined) throw new RemoteError('give --for or --until, not both', 'usage')
  if (duration !== undefined) return new Date(Date.now() + secondsOf(duration, '--for') * 1000).toISOString()
  if (until === undefined) return null
  const ms = isDay(until) ? Date.parse(until) : Number.NaN
  if (Number.isNaN(ms))
    throw new RemoteError(`--until takes a time, such as 2026-12-01T08:00:00Z: not "${until}"`, 'usage')
  return new Date(ms).toISOString()
}

/** `Date.parse` takes the 30th of February. */
function isDay(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)(?:$|[T ])/.exec(text) ?? []
  return (
    year !== undefined && new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day)
  )
}
