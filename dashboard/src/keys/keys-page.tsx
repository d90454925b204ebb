import { useState } from 'react'
import { KEY_LIMITS } from '../api/access.ts'
import type { ApiKeyIssued } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { useRefusal } from '../app/use-refusal.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { useCommands } from '../parts/commands.ts'
import { NotShown } from '../team/not-shown.tsx'
import { TeamArea } from '../team/team-area.tsx'
import { IssuedDialog } from './issued-dialog.tsx'
import { KeyList } from './key-list.tsx'
import style from './keys.module.css'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { RevokeDialog } from './revoke-dialog.tsx'
import { RotateKeyDialog } from './rotate-key-dialog.tsx'
import { type ApiKey, useKeys } from './use-keys.ts'

/** What is open over the list. */
type Open =
  | { readonly what: 'new' }
  | { readonly what: 'rotate' | 'revoke'; readonly key: ApiKey }
  | {
      readonly what: 'issued'
      readonly issued: ApiKeyIssued
      readonly replaced: { readonly graceHours: number } | null
    }

/** The API keys of the team. */
export function KeysPage() {
  const unread = useRefusal('keys.read')
  const refused = useRefusal('keys.manage')
  const { data: keys, error } = useKeys(unread === null)
  const [open, setOpen] = useState<Open | null>(null)
  const isFull = (keys?.length ?? 0) >= KEY_LIMITS.most
  const unmade = refused ?? (isFull ? MANY : null)
  const add = () => setOpen({ what: 'new' })
  useCommands([{ id: 'new-key', title: 'New API key', refused: unmade, act: add }])
  return (
    <TeamArea
      path="/keys"
      actions={
        <ActionButton refused={unmade} isMain onAct={add}>
          New key
        </ActionButton>
      }
    >
      <p className={style['about']}>
        With a key, a program acts for the team: a script, a pipeline, the command line. It belongs to the team, and
        goes on working when the person who made it leaves. <a href="/docs/reference/api-keys">About keys</a>
      </p>
      {error !== null && <Notice error={error} />}
      {unread !== null && <NotShown title="The keys are not shown" reason={unread} />}
      {unread === null && keys === undefined && error === null && <p role="status">Loading…</p>}
      {unread === null && keys && (
        <KeyList
          keys={keys}
          refused={refused}
          onRotate={(key) => setOpen({ what: 'rotate', key })}
          onRevoke={(key) => setOpen({ what: 'revoke', key })}
        />
      )}
      <Opened open={open} onOpen={setOpen} />
    </TeamArea>
  )
}

const MOST = KEY_LIMITS.most.toLocaleString('en')
const MANY = `The team has ${MOST} keys that work, and more are not possible. Revoke one.`

interface OpenedProps {
  readonly open: Open | null
  onOpen(open: Open | null): void
}

function Opened({ open, onOpen }: OpenedProps) {
  const close = () => onOpen(null)
  const show = (issued: ApiKeyIssued, replaced: { readonly graceHours: number } | null) =>
    onOpen({ what: 'issued', issued, replaced })
  switch (open?.what) {
    case 'new':
      return <NewKeyDialog onIssued={(issued) => show(issued, null)} onClose={close} />
    case 'rotate':
      return (
        <RotateKeyDialog
          apiKey={open.key}
          onIssued={(issued, graceHours) => show(issued, { graceHours })}
          onClose={close}
        />
      )
    case 'revoke':
      return <RevokeDialog apiKey={open.key} onClose={close} />
    case 'issued':
      return <IssuedDialog issued={open.issued} replaced={open.replaced} onClose={close} />
    default:
      return null
  }
}
