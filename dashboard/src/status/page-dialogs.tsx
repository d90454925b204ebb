import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Stranger } from '../parts/stranger.tsx'
import type { StatusPage } from './draft.ts'
import { showsWords } from './status-page-row.tsx'
import style from './status.module.css'
import { useDeletePage, usePublish } from './use-status-pages.ts'

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
    </ConfirmDialog>
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
      onAct={() => remove.mutate(page.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Named page={page} />
      <p>Its address leads nowhere then, and another team can take it. Its monitors stay as they are.</p>
    </ConfirmDialog>
  )
}
