import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ask } from '../api/client.ts'
import { isMissing } from '../api/faults.ts'
import { Notice } from '../app/notice.tsx'
import { OtherTeams } from '../app/other-teams.tsx'
import { useTitle } from '../app/use-title.ts'
import { refreshMs } from '../live/live-state.ts'
import { useWatched } from '../live/watched.ts'
import { EnginesLeftAlone } from '../searches/engines-left-alone.tsx'
import { Actions } from './actions.tsx'
import { type AnyMonitor, type Place, placeOf } from './any-monitor.ts'
import { Failing } from './failing.tsx'
import head from './head.module.css'
import { Head } from './head.tsx'
import { ManifestPart } from './manifest-part.tsx'
import style from './monitor.module.css'
import { MuteLine } from './mute-part.tsx'
import { NotInPlan } from './not-in-plan.tsx'
import { PlotPart } from './plot-part.tsx'
import { RunsPart } from './runs-part.tsx'
import { SecretPart } from './secret-part.tsx'

interface MonitorPageProps {
  readonly kind: Place['kind']
  readonly id: string
}

/** A monitor: how it stands, how it went, its runs, and what may be done with it. */
export function MonitorPage({ kind, id }: MonitorPageProps) {
  useWatched([id])
  const place = placeOf(kind, id)
  const { data: monitor, error } = useQuery({
    queryKey: ['monitor', place.path],
    queryFn: ({ signal }) => ask<AnyMonitor>(place.path, { signal }),
    refetchInterval: (query) => (isMissing(query.state.error) ? false : refreshMs(query)),
  })
  useTitle(monitor?.name ?? 'Monitor')
  return (
    <article className={style['page']}>
      <nav className={style['way']} aria-label="Where you are">
        <Link href="/">Monitors</Link>
      </nav>
      {isMissing(error) ? <Missing wasThere={monitor !== undefined} /> : error !== null && <Notice error={error} />}
      {monitor === undefined && error === null && <p role="status">Loading…</p>}
      {monitor !== undefined && !isMissing(error) && <Parts monitor={monitor} place={place} />}
    </article>
  )
}

/** There is no such monitor, and what to do next. */
const Missing = ({ wasThere }: { readonly wasThere: boolean }) => (
  <div role="alert" className={head['missing']}>
    <h1>{wasThere ? 'This monitor was deleted' : 'There is no such monitor in this team'}</h1>
    <p>
      {wasThere
        ? 'Somebody deleted it while you were here. Its runs can be read by their own addresses for a while.'
        : 'It was deleted, it is of another team, or the address is not complete.'}
    </p>
    {!wasThere && <OtherTeams />}
    <Link href="/">Show all monitors</Link>
  </div>
)

const Parts = ({ monitor, place }: { readonly monitor: AnyMonitor; readonly place: Place }) => (
  <>
    <header className={style['head']}>
      <Head monitor={monitor} place={place} />
      <Actions monitor={monitor} place={place} />
    </header>
    <MuteLine monitor={monitor} />
    {monitor.engine !== undefined && <EnginesLeftAlone engine={monitor.engine} />}
    <NotInPlan monitor={monitor} place={place} />
    <Failing monitor={monitor} place={place} />
    <PlotPart place={place} />
    <RunsPart place={place} name={monitor.name} />
    <SecretPart place={place} />
    <ManifestPart place={place} />
  </>
)
