import { useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { STATUS_PAGE_LIMITS } from '../api/access.ts'
import { Notice } from '../app/notice.tsx'
import { useRefusal } from '../app/use-refusal.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { useCommands } from '../parts/commands.ts'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import { NotShown } from '../team/not-shown.tsx'
import { TeamArea } from '../team/team-area.tsx'
import type { StatusPage } from './draft.ts'
import { DeleteDialog, PublishDialog, TakeBackDialog } from './page-dialogs.tsx'
import { type PageAct, StatusPageRow } from './status-page-row.tsx'
import style from './status.module.css'
import { useStatusPages } from './use-status-pages.ts'

const MANY = `The team has ${STATUS_PAGE_LIMITS.most} status pages, and more are not possible. Delete one.`

/** What is open over the list. */
interface Open {
  readonly act: PageAct
  readonly page: StatusPage
}

/** The status pages of the team. */
export function StatusPagesPage() {
  const refused = useRefusal('monitors.write')
  const unpublishable = useRefusal('status.publish')
  const { data: pages, error } = useStatusPages()
  const [, go] = useLocation()
  const [open, setOpen] = useState<Open | null>(null)
  const list = useRef<HTMLDivElement>(null)
  useKeptFocus(list)
  const unmade = refused ?? ((pages?.length ?? 0) >= STATUS_PAGE_LIMITS.most ? MANY : null)
  const add = () => go('/status-pages/new')
  useCommands([{ id: 'new-status-page', title: 'New status page', refused: unmade, act: add }])
  return (
    <TeamArea
      path="/status-pages"
      actions={
        <ActionButton refused={unmade} isMain onAct={add}>
          New status page
        </ActionButton>
      }
    >
      <p className={style['about']}>
        A status page shows everybody the states of monitors that you choose, under names that you choose. It shows no
        address, no error, and nothing of your team. <a href="/docs/status-pages">About status pages</a>
      </p>
      {error !== null && <Notice error={error} />}
      {pages === undefined && error === null && <p role="status">Loading…</p>}
      {pages?.length === 0 && (
        <NotShown
          title="There is no status page yet"
          reason="Nothing is shown to anybody until somebody publishes one."
        />
      )}
      <div ref={list} tabIndex={-1} role="region" aria-label="All status pages" className={style['list']}>
        <ul className={style['rows']}>
          {pages?.map((page) => (
            <StatusPageRow
              key={page.id}
              page={page}
              refused={refused}
              unpublishable={unpublishable}
              onAct={(act) => setOpen({ act, page })}
            />
          ))}
        </ul>
      </div>
      {pages && pages.length > 0 && (
        <p role="status" className={style['count']}>
          {pages.length} of {STATUS_PAGE_LIMITS.most} status pages
        </p>
      )}
      <Opened open={open} onClose={() => setOpen(null)} />
    </TeamArea>
  )
}

function Opened({ open, onClose }: { readonly open: Open | null; onClose(): void }) {
  switch (open?.act) {
    case 'publish':
      return <PublishDialog page={open.page} onClose={onClose} />
    case 'take-back':
      return <TakeBackDialog page={open.page} onClose={onClose} />
    case 'delete':
      return <DeleteDialog page={open.page} onClose={onClose} />
    default:
      return null
  }
}
