import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { ask, serverNow } from '../api/client.ts'
import { Notice } from '../app/notice.tsx'
import { useRefusal } from '../app/use-refusal.ts'
import { MuteDialog } from '../monitors/mute-dialog.tsx'
import { ActionButton } from '../parts/action-button.tsx'
import { useCommands } from '../parts/commands.ts'
import { Icon } from '../parts/icon.tsx'
import { useShortcut } from '../parts/use-shortcut.ts'
import type { AnyMonitor, Place } from './any-monitor.ts'
import style from './monitor.module.css'

interface MutePartProps {
  readonly monitor: Pick<AnyMonitor, 'id' | 'name' | 'mute'>
  readonly place: Pick<Place, 'path'>
}

/** The mute that counts now. One whose time is over does not. */
const muteOf = ({ mute }: MutePartProps['monitor']) =>
  mute && (mute.until === null || Date.parse(mute.until) > serverNow()) ? mute : null

/** Mutes a monitor, or ends its mute. */
export function MuteButton({ monitor, place: { path } }: MutePartProps) {
  const queries = useQueryClient()
  const refused = useRefusal('monitors.write')
  const [isAsking, setAsking] = useState(false)
  const muting = useMutation({
    mutationFn: (body: object | null) =>
      ask(`${path}/${body === null ? 'unmute' : 'mute'}`, { method: 'POST', ...(body && { body }) }),
    onSettled: () => queries.invalidateQueries(),
  })
  const isMuted = muteOf(monitor) !== null
  const act = () => {
    if (refused !== null || muting.isPending) return
    if (isMuted) muting.mutate(null)
    else setAsking(true)
  }
  const word = isMuted ? 'Unmute' : 'Mute'
  useCommands([{ id: 'mute', title: `${word}: ${monitor.name}`, refused, act }])
  useShortcut('monitor', 'm', act)
  return (
    <>
      <ActionButton refused={refused} isBusy={muting.isPending} onAct={act} aria-keyshortcuts="m">
        {isMuted ? word : `${word}…`}
      </ActionButton>
      {muting.error !== null && <Notice error={muting.error} />}
      {isAsking && (
        <MuteDialog
          rows={[monitor]}
          onAnswer={(body) => {
            setAsking(false)
            muting.mutate(body)
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** That a monitor is muted: until when, why, and where what fired waits. */
export function MuteLine({ monitor }: Pick<MutePartProps, 'monitor'>) {
  const mute = muteOf(monitor)
  if (mute === null) return null
  return (
    <p className={style['muted']}>
      <Icon name="muted" />
      <b>{mute.until === null ? 'Muted without an end' : `Muted until ${whole.format(Date.parse(mute.until))}`}</b>
      {mute.reason !== null && <bdi>{mute.reason}</bdi>}
      {mute.drop ? (
        <span>What fires is dropped.</span>
      ) : (
        <span>
          What fires waits.{' '}
          <Link href={`/deliveries?${new URLSearchParams({ held: 'true', monitor_id: monitor.id })}`}>
            Show what waits
          </Link>
        </span>
      )}
    </p>
  )
}
