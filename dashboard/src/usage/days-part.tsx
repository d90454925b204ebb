import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import type { UsageDays } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { refreshMs } from '../live/live-state.ts'
import { useAddress } from '../monitor/use-address.ts'
import { Choice } from '../parts/choice.tsx'
import { barsOf, isMeasure, type Measure, MEASURES } from './day-bars.ts'
import style from './days-part.module.css'
import { amountOf } from './gauges.ts'
import usage from './usage.module.css'

const DAYS = 30
const CHOICES = Object.entries(MEASURES).map(([name, [words]]) => [name as Measure, words] as const)
// A day of the API is one of UTC, wherever the reader is.
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })
const wordsOf = (date: string): string => day.format(Date.parse(date))

/** What the team used on each of the last days. */
export function DaysPart() {
  const [asked, change] = useAddress()
  const by = asked.get('by') ?? ''
  const measure = isMeasure(by) ? by : 'runs'
  const { data: found, error } = useQuery({
    queryKey: ['usage', 'days'],
    queryFn: ({ signal }) => ask<UsageDays>(`/v1/usage/days?days=${DAYS}`, { signal }),
    refetchInterval: refreshMs,
  })
  if (error) return <Notice error={error} />
  if (!found) return null
  const bars = barsOf(found.data, measure)
  const [first, last] = [found.data[0], found.data.at(-1)]
  const isCut = first !== undefined && Date.parse(found.known_from) > Date.parse(first.day)
  return (
    <section aria-label="By day" className={usage['part']}>
      <div className={style['head']}>
        <h2>By day</h2>
        <Choice
          label="What is shown by day"
          value={measure}
          choices={CHOICES}
          onChoose={(next) => change({ by: next })}
        />
      </div>
      <Bars bars={bars} measure={measure} />
      <p className={style['ends']} aria-hidden="true">
        <span>{first && wordsOf(first.day)}</span>
        <span>{last && wordsOf(last.day)}</span>
      </p>
      {isCut && <p className={usage['soft']}>Days are counted since {wordsOf(found.known_from)}, once an hour.</p>}
      <Numbers bars={bars} measure={measure} />
    </section>
  )
}

interface BarsProps {
  readonly bars: ReturnType<typeof barsOf>
  readonly measure: Measure
}

const WIDTH = 10
const HEIGHT = 80

/** For the eye. The table below has the same numbers. */
const Bars = ({ bars, measure }: BarsProps) => (
  <svg
    className={style['bars']}
    viewBox={`0 0 ${bars.length * WIDTH} ${HEIGHT}`}
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    {bars.map(({ day: date, amount, share }, nth) => (
      <g key={date}>
        <rect className={style['ground']} x={nth * WIDTH} y={0} width={WIDTH} height={HEIGHT}>
          <title>{`${wordsOf(date)}: ${amountOf(amount, MEASURES[measure][1])}`}</title>
        </rect>
        <rect
          className={style['bar']}
          x={nth * WIDTH + 1}
          y={HEIGHT - Math.max(amount > 0 ? 1 : 0, share * HEIGHT)}
          width={WIDTH - 2}
          height={Math.max(amount > 0 ? 1 : 0, share * HEIGHT)}
        />
      </g>
    ))}
  </svg>
)

const Numbers = ({ bars, measure }: BarsProps) => {
  const used = bars.filter(({ amount }) => amount > 0)
  if (used.length === 0) return <p className={usage['soft']}>Nothing of this was used on these days.</p>
  return (
    <details className={style['numbers']}>
      <summary>The numbers as a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            <th scope="col">{MEASURES[measure][0]}</th>
          </tr>
        </thead>
        <tbody>
          {used.toReversed().map(({ day: date, amount }) => (
            <tr key={date}>
              <td>{wordsOf(date)}</td>
              <td>{amountOf(amount, MEASURES[measure][1])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
