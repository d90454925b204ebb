import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ask } from '../api/client.ts'
import type { UsageMonitors } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { refreshMs } from '../live/live-state.ts'
import { pathOf } from '../monitors/cells.tsx'
import { percentFormat } from '../parts/formats.ts'
import { Ago } from '../parts/time.tsx'
import { amountOf } from './gauges.ts'
import usage from './usage.module.css'

/** The monitors that use most runs of the period. Nothing, before any has run. */
export function MostPart() {
  const { data: found, error } = useQuery({
    queryKey: ['usage', 'monitors'],
    queryFn: ({ signal }) => ask<UsageMonitors>('/v1/usage/monitors', { signal }),
    refetchInterval: refreshMs,
  })
  if (error) return <Notice error={error} />
  if (!found || found.data.length === 0) return null
  const all = found.data.reduce((sum, { runs }) => sum + runs, found.others)
  return (
    <section aria-label="What uses most" className={usage['part']}>
      <h2>What uses most</h2>
      <p className={usage['pace']}>
        Runs since <Ago at={found.from} />, at what a check costs now.
      </p>
      <ul className={usage['gauges']}>
        {found.data.map(({ id, kind, name, runs }) => (
          <li key={id} className={usage['gauge']}>
            <Link href={pathOf({ kind, id })} className={usage['name']}>
              <bdi>{name}</bdi>
            </Link>
            <span className={usage['words']}>
              {amountOf(runs, 'count')} runs, {percentFormat.format(runs / all)}
            </span>
            <span className={usage['bar']} aria-hidden="true">
              <span className={usage['calm']} style={{ width: `${(runs / all) * 100}%` }} />
            </span>
          </li>
        ))}
      </ul>
      {found.others > 0 && <p className={usage['soft']}>All others: {amountOf(found.others, 'count')} runs.</p>}
    </section>
  )
}
