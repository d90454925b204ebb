import { Link, useLocation } from 'wouter'
import { isMissing } from '../api/faults.ts'
import { COLLECTIONS, type Run } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { OtherTeams } from '../app/other-teams.tsx'
import { useTitle } from '../app/use-title.ts'
import { useWatched } from '../live/watched.ts'
import { MuteButton } from '../monitor/mute-part.tsx'
import { useAddress } from '../monitor/use-address.ts'
import { useCommands } from '../parts/commands.ts'
import { useShortcut } from '../parts/use-shortcut.ts'
import { Compared } from './compared.tsx'
import { CopyMarkdown } from './copy-markdown.tsx'
import { Deliveries } from './deliveries.tsx'
import { Pictures } from './pictures.tsx'
import { noRun, RunHead, Trouble } from './run-head.tsx'
import style from './run.module.css'
import { EngineOfRun } from './search-check.tsx'
import { SearchResults } from './search-results.tsx'
import { SeenButton } from './seen-button.tsx'
import { monitorPath, type RunAddress, useListedChange, useMonitor, useNeighbours, useRun } from './use-run.ts'

/** A run: how it went, what it found to differ, and what was sent. */
export function RunPage(address: RunAddress) {
  useWatched([address.id])
  const monitor = useMonitor(address)
  const found = useRun(address.run)
  const isGone = isMissing(monitor.error)
  const home = `/${COLLECTIONS[address.kind]}/${address.id}`
  useTitle(`Run of ${monitor.data?.name ?? 'a monitor'}`)
  return (
    <article className={style['page']}>
      <nav className={style['way']} aria-label="Where you are">
        <Link href="/">Monitors</Link>
        <span aria-hidden="true">/</span>
        <MonitorLink home={home} name={monitor.data?.name} isGone={isGone} isInTeam={!isMissing(found.error)} />
      </nav>
      {found.error !== null && <Notice error={found.error} />}
      {isMissing(found.error) && <OtherTeams />}
      {found.isPending && <p role="status">Loading…</p>}
      {found.data && isElsewhere(address, found.data) && (
        <p role="alert">
          This run is of another monitor.{' '}
          <Link href={`/${COLLECTIONS[address.kind]}/${found.data.monitor_id}/runs/${address.run}`}>Show it there</Link>
        </p>
      )}
      {found.data && !isElsewhere(address, found.data) && (
        <Found key={address.run} address={address} home={home} run={found.data} monitor={monitor.data} />
      )}
    </article>
  )
}

interface MonitorLinkProps {
  readonly home: string
  readonly name: string | undefined
  readonly isGone: boolean
  /** The run is of this team. */
  readonly isInTeam: boolean
}

function MonitorLink({ home, name, isGone, isInTeam }: MonitorLinkProps) {
  if (isGone) return <span>{isInTeam ? 'a deleted monitor' : 'a monitor that is not in this team'}</span>
  return (
    <Link href={home}>
      <bdi>{name ?? 'Monitor'}</bdi>
    </Link>
  )
}

const isElsewhere = ({ id }: RunAddress, run: Run): boolean => run.monitor_id !== id.toLowerCase()

interface FoundProps {
  readonly address: RunAddress
  readonly home: string
  readonly run: Run
  /** Undefined: it is being read, or is gone. */
  readonly monitor: ReturnType<typeof useMonitor>['data']
}

function Found({ address, home, run, monitor }: FoundProps) {
  const target = monitor?.target_domain ?? null
  const [asked] = useAddress()
  const [, go] = useLocation()
  const change = useListedChange(address)
  const { older, newer } = useNeighbours(address)
  // How texts are shown goes along. What this run is compared with does not, but for what the reader last saw.
  if (asked.get('against') !== 'seen') asked.delete('against')
  const query = asked.size === 0 ? '' : `?${asked}`
  const addressOf = (other: Run | null) => other && `${home}/runs/${other.id}${query}`
  const open = (href: string | null) => href !== null && go(href)
  useShortcut('run', '[', () => open(addressOf(older)))
  useShortcut('run', ']', () => open(addressOf(newer)))
  useCommands([
    { id: 'older', title: 'Older run', refused: older ? null : noRun('older'), act: () => open(addressOf(older)) },
    { id: 'newer', title: 'Newer run', refused: newer ? null : noRun('newer'), act: () => open(addressOf(newer)) },
    { id: 'monitor', title: 'Open the monitor of this run', refused: null, act: () => go(home) },
  ])
  return (
    <>
      <RunHead run={run} older={addressOf(older)} newer={addressOf(newer)}>
        <SeenButton change={change} />
        {change !== null && <CopyMarkdown change={change} />}
        {monitor && <MuteButton monitor={monitor} place={{ path: monitorPath(address) }} />}
      </RunHead>
      <Trouble run={run} />
      {monitor?.engine !== undefined && <EngineOfRun run={run} engine={monitor.engine} />}
      {run.status === 'success' && (
        <Compared address={address} run={run} change={change}>
          {({ other, refusal }) => (
            <>
              {run.visual_change_pct !== undefined && <Pictures run={run.id} isOther={other !== null} />}
              {run.organic_results && (
                <SearchResults
                  address={address}
                  run={run}
                  other={other?.run_id ?? null}
                  isRefused={refusal !== null}
                  target={target}
                />
              )}
            </>
          )}
        </Compared>
      )}
      <Deliveries run={run} change={change} />
    </>
  )
}
