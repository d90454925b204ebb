import { RemoteError } from './remote-error.ts'

const SECONDS = { w: 604_800, d: 86_400, h: 3_600, m: 60, s: 1 } as const
const MOST_SECONDS = 50 * 365 * SECONDS.d
const PARTS = /^(?:\d{1,6}[wdhms])+$/
const PART = /(\d+)([wdhms])/g

/** Returns the seconds of a duration such as 30m, 2h, 1h30m or 7d. Throws where it is none, or over 50 years. */
export function secondsOf(text: string, option: string): number {
  if (!PARTS.test(text))
    throw new RemoteError(`${option} takes a duration, such as 30m, 2h or 7d: not "${text}"`, 'usage')
  const seconds = [...text.matchAll(PART)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * SECONDS[unit as keyof typeof SECONDS],
    0,
  )
  if (seconds > MOST_SECONDS) throw new RemoteError(`${option} takes at most 50 years`, 'usage')
  return seconds
}
