import { useRef, useState } from 'react'
import { Notice } from '../app/notice.tsx'
import { sentenceOf } from '../new/form/sentence-of.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { ShowMore } from '../parts/long-text.tsx'
import { Stranger } from '../parts/stranger.tsx'
import { Ago } from '../parts/time.tsx'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import tones from '../style/tones.module.css'
import style from './account.module.css'
import { deviceOf } from './device.ts'
import { type Session, useEndOthers, useEndSession, useSessions } from './use-account.ts'

/** So many sessions are drawn at once. */
const STEP = 20

/** Where the person is signed in. */
export function SessionsPart() {
  const { data: sessions, error } = useSessions()
  const [isAsked, setAsked] = useState(false)
  const [room, setRoom] = useState(STEP)
  const end = useEndSession()
  const list = useRef<HTMLElement>(null)
  useKeptFocus(list)
  const others = sessions?.filter(({ current }) => !current) ?? []
  return (
    <section ref={list} tabIndex={-1} aria-label="Sessions" className={style['part']}>
      <div className={style['title']}>
        <h2>Sessions</h2>
        <ActionButton
          refused={sessions && others.length === 0 ? 'You are signed in nowhere else.' : null}
          isBusy={sessions === undefined}
          onAct={() => setAsked(true)}
        >
          End all others…
        </ActionButton>
      </div>
      <p className={style['soft']}>Where you are signed in. A session ends by itself 7 days after the sign-in.</p>
      {error !== null && <Notice error={error} />}
      {sessions === undefined && error === null && <p role="status">Loading…</p>}
      <ul className={style['rows']}>
        {sessions?.slice(0, room).map((session) => (
          <SessionRow key={session.id} session={session} isBusy={end.isPending} onEnd={() => end.mutate(session.id)} />
        ))}
      </ul>
      {sessions && sessions.length > room && (
        <ShowMore shown={room} all={sessions.length} what="sessions" step={STEP} onMore={() => setRoom(room + STEP)} />
      )}
      {end.error !== null && (
        <p role="alert" className={style['fault']}>
          {sentenceOf(end.error)}
        </p>
      )}
      {isAsked && <EndOthersDialog count={others.length} onClose={() => setAsked(false)} />}
    </section>
  )
}

interface SessionRowProps {
  readonly session: Session
  readonly isBusy: boolean
  onEnd(): void
}

const CURRENT = 'It is the one of this page. Sign out in the menu with your name.'

function SessionRow({ session, isBusy, onEnd }: SessionRowProps) {
  const { current, created_at: begun, expires_at: ends, ip_address: address, user_agent: agent } = session
  const device = deviceOf(agent)
  return (
    <li className={style['row']}>
      <span className={style['who']}>
        <b title={agent ?? undefined}>
          <Stranger text={device} />
          {current && <span className={style['this']}>this one</span>}
        </b>
        <span className={style['soft']}>{address === null ? 'from an unknown address' : <>from {address}</>}</span>
      </span>
      <span className={style['times']}>
        <span>
          <span className={tones['soft']}>signed in</span> <Ago at={begun} />
        </span>
        <span>
          <span className={tones['soft']}>ends</span> <Ago at={ends} />
        </span>
      </span>
      <ActionButton refused={current ? CURRENT : null} isBusy={isBusy} label={`End: ${device}`} onAct={onEnd}>
        End
      </ActionButton>
    </li>
  )
}

interface EndOthersDialogProps {
  readonly count: number
  onClose(): void
}

function EndOthersDialog({ count, onClose }: EndOthersDialogProps) {
  const end = useEndOthers()
  return (
    <ConfirmDialog
      title={count === 1 ? 'End the other session?' : `End ${count} other sessions?`}
      action="End"
      isEnd
      isBusy={end.isPending}
      error={end.error}
      onAct={() => end.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        You stay signed in here. Whoever is signed in elsewhere, and ./tidemark on your other machines, has to sign in
        again. If you did not sign in there, change the password too. API keys go on working.
      </p>
    </ConfirmDialog>
  )
}
