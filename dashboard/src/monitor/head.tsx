import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ask } from '../api/client.ts'
import { State, type StateFacts } from '../monitors/state.tsx'
import { Icon } from '../parts/icon.tsx'
import { Ago, every } from '../parts/time.tsx'
import { keywordPath } from '../searches/by-keyword.ts'
import { marketWords } from '../searches/market-words.ts'
import { type AnyMonitor, type Place, webAddress } from './any-monitor.ts'
import { conditionOf } from './condition.ts'
import style from './head.module.css'
import { ValueNow } from './value-now.tsx'

interface HeadProps {
  readonly monitor: AnyMonitor
  readonly place: Place
}

/** What a monitor is, and how it stands. */
export function Head({ monitor, place }: HeadProps) {
  const { name, schedule_interval_seconds: interval, next_run_at: next, labels, warnings = [] } = monitor
  return (
    <div className={style['title']}>
      <h1>
        <bdi>{name}</bdi>
      </h1>
      <p className={style['facts']}>
        <State row={factsOf(monitor)} />
        <span>{every(interval)}</span>
        {next !== null && (
          <span>
            next check <Ago at={next} />
          </span>
        )}
        <Target monitor={monitor} />
      </p>
      <p className={style['condition']}>
        Fires when <bdi>{conditionOf(monitor)}</bdi>
      </p>
      {Object.keys(labels).length > 0 && (
        <ul className={style['labels']} aria-label="Labels">
          {Object.entries(labels).map(([key, value]) => (
            <li key={key}>
              <Link href={`/?${new URLSearchParams({ label: `${key}=${value}` })}`}>
                <bdi>{`${key}=${value}`}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Manager monitor={monitor} place={place} />
      <ValueNow place={place} mayEdit={monitor.managed_by === 'api'} />
      {warnings.map((text) => (
        <p key={text} className={style['warning']}>
          {text}
        </p>
      ))}
    </div>
  )
}

/** Returns what says the state. A monitor that was deleted is not shown at all. */
const factsOf = ({ status, consecutive_failures: failures, last_run_at: last }: AnyMonitor): StateFacts => ({
  status: status === 'deleted' ? 'paused' : status,
  consecutive_failures: failures,
  last_run: last === null ? null : { status: 'success' },
})

/** The address is a link only if it leads to the web. */
function Target({ monitor }: { readonly monitor: AnyMonitor }) {
  const { url } = monitor
  if (url === undefined) return <Searched monitor={monitor} />
  const address = webAddress(url)
  if (address === null) return <bdi>{url}</bdi>
  return (
    <a href={address} target="_blank" rel="noopener noreferrer" className={style['target']}>
      <bdi>{url}</bdi>
    </a>
  )
}

/** What a search asks for, of whom, and what that costs. */
function Searched({
  monitor: { keyword = '', engine, device, pages = 1, ...market },
}: {
  readonly monitor: AnyMonitor
}) {
  const { location_code: country, language_code: language } = market
  if (!engine || !device || !country || !language) return null
  return (
    <>
      <Link href={keywordPath(keyword)}>
        <bdi>{keyword}</bdi>
      </Link>
      <span>{marketWords({ engine, device, location_code: country, language_code: language })}</span>
      <span>{pages === 1 ? '1 run a check' : `${pages} runs a check`}</span>
    </>
  )
}

interface Declared {
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

/** Who declares the monitor, and where it is edited therefore. */
function Manager({ monitor: { managed_by: manager, declared_in: file }, place: { path } }: HeadProps) {
  const { data } = useQuery({
    queryKey: ['declared', path],
    queryFn: ({ signal }) => ask<Declared>(`${path}/manifest`, { signal }),
    enabled: manager === 'kubernetes',
    staleTime: 60_000,
  })
  if (manager === 'api') return null
  const resource = data && [data.metadata.namespace, data.metadata.name].filter(Boolean).join('/')
  return (
    <p className={style['manager']}>
      <Icon name="lock" />
      {manager === 'file' ? 'Declared in a file' : 'Declared by a resource of a cluster'}
      {(file ?? resource) !== undefined && <bdi>{file ?? resource}</bdi>}
      <span>Edit it there: what you change here would be set back.</span>
    </p>
  )
}
