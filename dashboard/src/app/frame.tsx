import { type MouseEvent, type ReactNode, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { LIMITS, type Me } from '../api/types.ts'
import { useIsLive } from '../live/live-state.ts'
import { useLive } from '../live/use-live.ts'
import { useRailCounts } from '../monitors/use-counts.ts'
import { PaletteButton } from '../palette/palette-button.tsx'
import { Icon } from '../parts/icon.tsx'
import { leaveAt } from '../parts/left-at.ts'
import { useShortcut } from '../parts/use-shortcut.ts'
import { SessionDialogs } from '../session/session-dialogs.tsx'
import controls from '../style/controls.module.css'
import style from './frame.module.css'
import { KeysDialog } from './keys-dialog.tsx'
import { PersonMenu, TeamMenu } from './menus.tsx'
import { Away, Notice } from './notice.tsx'
import { useMe } from './use-me.ts'
import { useScreenFocus } from './use-screen-focus.ts'
import { useTitleBadge } from './use-title.ts'

/** The rail and the bar around each screen. Every screen shows whose data it is. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const { me, error } = useMe()
  const [hasKeys, setKeys] = useState(false)
  useLive(me?.team.id ?? null)
  const [, go] = useLocation()
  const main = useRef<HTMLElement>(null)
  useScreenFocus(main)
  useShortcut('everywhere', '?', () => setKeys(true))
  useShortcut('everywhere', 'g m', () => go('/'))
  useShortcut('everywhere', 'g c', () => go('/changes'))
  useShortcut('everywhere', 'g d', () => go('/deliveries'))
  useShortcut('everywhere', 'g s', () => go('/searches'))
  return (
    <div className={style['frame']}>
      <a
        href="#screen"
        className={style['skip']}
        onClick={(event) => {
          // The address stays as it is: what stands behind # would make an entry of the history.
          event.preventDefault()
          main.current?.focus()
        }}
      >
        Skip to the content
      </a>
      <Rail />
      <div className={style['main']}>
        <Bar me={me} onKeys={() => setKeys(true)} />
        <Away />
        {error !== null && <Notice error={error} />}
        <main ref={main} id="screen" tabIndex={-1} className={style['screen']} onClickCapture={noteLink}>
          {children}
        </main>
      </div>
      <SessionDialogs me={me} />
      {hasKeys && <KeysDialog onClose={() => setKeys(false)} />}
    </div>
  )
}

/** Notes the link that a person leaves the screen by, for the way back. */
function noteLink({ target }: MouseEvent) {
  const link = target instanceof Element ? target.closest('a')?.getAttribute('href') : null
  if (link?.startsWith('/')) leaveAt({ link })
}

function Rail() {
  const [path] = useLocation()
  const { unseen, failing, givenUp, searches } = useRailCounts()
  useTitleBadge(unseen)
  return (
    <nav className={style['rail']} aria-label="Screens">
      <Link href="/" className={style['mark']} aria-label="Tidemark">
        <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="7" fill="#0f766e" />
          <path
            d="M6 20c3.3 0 3.3-4 6.7-4s3.3 4 6.6 4 3.4-4 6.7-4M6 13c3.3 0 3.3-4 6.7-4s3.3 4 6.6 4 3.4-4 6.7-4"
            fill="none"
            stroke="#fff"
            strokeWidth="2.4"
            strokeLinecap="round"
          />
        </svg>
      </Link>
      <Link href="/" className={style['place']} aria-current={path === '/' ? 'page' : undefined}>
        <Icon name="list" />
        Monitors
      </Link>
      <Link href="/changes" className={style['place']} aria-current={path === '/changes' ? 'page' : undefined}>
        <Icon name="changes" />
        Changes
        {unseen > 0 && (
          <span className={style['count']}>
            <Few count={unseen} />
            <span className={controls['unseen-by-eye']}> not seen</span>
          </span>
        )}
      </Link>
      <Link
        href="/deliveries"
        className={style['place']}
        aria-current={path.startsWith('/deliveries') ? 'page' : undefined}
      >
        <Icon name="deliveries" />
        Deliveries
        <Undelivered givenUp={givenUp} failing={failing} />
      </Link>
      {searches > 0 && (
        <Link
          href="/searches"
          className={style['place']}
          aria-current={path.startsWith('/searches') ? 'page' : undefined}
        >
          <Icon name="ranks" />
          Searches
        </Link>
      )}
      <Link
        href="/team"
        className={style['place']}
        aria-current={TEAM.includes(`/${path.split('/')[1]}`) ? 'page' : undefined}
      >
        <Icon name="people" />
        Team
      </Link>
      <span className={style['space']} />
      <a href="/docs" className={style['place']}>
        <Icon name="book" />
        Docs
      </a>
      <a href="/docs/api" className={style['place']}>
        <Icon name="code" />
        API
      </a>
    </nav>
  )
}

/** A number in little room. Who listens hears all of it, or that there are more than are counted. */
function Few({ count, most }: { readonly count: number; readonly most?: number }) {
  if (count <= 99) return count
  return (
    <>
      <span aria-hidden="true">99+</span>
      <span className={controls['unseen-by-eye']}>
        {count === most ? `${count.toLocaleString('en')} or more` : count.toLocaleString('en')}
      </span>
    </>
  )
}

/** How many deliveries were given up. In red while a destination takes nothing: what it has missed becomes more. */
function Undelivered({ givenUp, failing }: Pick<ReturnType<typeof useRailCounts>, 'givenUp' | 'failing'>) {
  if (givenUp === 0 && failing === 0) return null
  const words = [
    ...(givenUp > 0 ? [`${givenUp === 1 ? 'delivery was' : 'deliveries were'} given up`] : []),
    ...(failing > 0
      ? [`${givenUp > 0 ? `${failing} ` : ''}${failing === 1 ? 'destination takes' : 'destinations take'} nothing`]
      : []),
  ]
  return (
    <span className={`${style['count']} ${style[failing > 0 ? 'bad' : 'past']}`}>
      {givenUp > 0 ? <Few count={givenUp} most={LIMITS.countedDeliveries} /> : <Few count={failing} />}
      <span className={controls['unseen-by-eye']}> {words.join(', ')}</span>
    </span>
  )
}

/** The screens about the team. */
const TEAM = ['/team', '/keys', '/status-pages', '/audit', '/usage']

function Bar({ me, onKeys }: { readonly me: Me | null; onKeys(): void }) {
  const isLive = useIsLive()
  return (
    <header className={style['bar']}>
      <TeamMenu me={me} />
      {me !== null && !isLive && <span className={style['pace']}>updates every 15 s</span>}
      <span className={style['space']} />
      <PaletteButton />
      <button type="button" className={style['keys']} onClick={onKeys} aria-label="Keys">
        <Icon name="keys" />
      </button>
      <PersonMenu me={me} />
    </header>
  )
}
