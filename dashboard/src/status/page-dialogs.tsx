import { STATUS_PAGE_LIMITS } from '../api/access.ts'
import { Notice } from '../app/notice.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Stranger } from '../parts/stranger.tsx'
import type { StatusPage } from './draft.ts'
import { showsWords } from './status-page-row.tsx'
import style from './status.module.css'
import { useDeletePage, useLabelled, usePublish } from './use-status-pages.ts'

interface PageDialogProps {
  readonly page: StatusPage
  onClose(): void
}

const Named = ({ page }: { readonly page: StatusPage }) => (
  <p>
    <b>
      <Stranger text={page.title} />
    </b>
    <span className={style['address']}>{page.url}</span>
  </p>
)

/** Asks before everybody sees a page. */
export function PublishDialog({ page, onClose }: PageDialogProps) {
  const publish = usePublish()
  return (
    <ConfirmDialog
      title="Publish this page?"
      action="Publish it"
      isBusy={publish.isPending}
      error={publish.error}
      onAct={() => publish.mutate({ page, isPublished: true }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Named page={page} />
      <p>
        Whoever has the address sees it without an account: {showsWords(page)}.{' '}
        {page.shows.by === 'label' &&
          'Monitors that get the label later are shown too, by their own names, without asking you again.'}
      </p>
      <PublicNames page={page} />
    </ConfirmDialog>
  )
}

/** Lists the names that everybody sees, those of a label as they are now. */
function PublicNames({ page: { shows } }: Pick<PageDialogProps, 'page'>) {
  const { data: labelled, error } = useLabelled(shows.by === 'label' ? shows.label : null)
  if (error !== null) return <Notice error={error} />
  const found = shows.by === 'label' ? labelled : { names: shows.monitors.map(({ name }) => name) }
  if (found === undefined) return <p role="status">Loading the names…</p>
  const total = Math.min('total' in found ? found.total : found.names.length, STATUS_PAGE_LIMITS.monitors)
  if (total === 0) return <p>It shows nothing today.</p>
  return (
    <>
      <p>{total === 1 ? 'This name is' : `These ${total} names are`} seen today:</p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={style['names']} role="region" tabIndex={0} aria-label="Names that everybody sees">
        <ul>
          {found.names.map((name, nth) => (
            // Names may repeat.
            <li key={nth}>
              <Stranger text={name} />
            </li>
          ))}
          {total > found.names.length && <li>and {total - found.names.length} more: the preview has all of them</li>}
        </ul>
      </div>
    </>
  )
}

/** Asks before a page is taken back. */
export function TakeBackDialog({ page, onClose }: PageDialogProps) {
  const publish = usePublish()
  return (
    <ConfirmDialog
      title="Take this page back?"
      action="Take it back"
      isBusy={publish.isPending}
      error={publish.error}
      onAct={() => publish.mutate({ page, isPublished: false }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Named page={page} />
      <p>
        Within half a minute there is nothing at its address. The page itself stays, and an admin or the owner can
        publish it again.
      </p>
    </ConfirmDialog>
  )
}

/** Asks before a page is deleted. */
export function DeleteDialog({ page, onClose }: PageDialogProps) {
  const remove = useDeletePage()
  return (
    <ConfirmDialog
      title="Delete this page?"
      action="Delete it"
      isEnd
      isBusy={remove.isPending}
      error={remove.error}
      onAct={() => remove.mutate(page, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Named page={page} />
      <p>Its address leads nowhere then, and another team can take it. Its monitors stay as they are.</p>
    </ConfirmDialog>
  )
}
