import { type FormEvent, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Notice } from '../app/notice.tsx'
import { useRefusal } from '../app/use-refusal.ts'
import { sentenceOf } from '../new/form/sentence-of.ts'
import controls from '../style/controls.module.css'
import { NotShown } from '../team/not-shown.tsx'
import { TeamArea } from '../team/team-area.tsx'
import { AddressFields } from './address-fields.tsx'
import { bodyOf, type Draft, draftOf, missingOf, type StatusPage } from './draft.ts'
import { ShowsFields } from './shows-fields.tsx'
import style from './status.module.css'
import { useSavePage, useStatusPages } from './use-status-pages.ts'

/** The form of a status page. `new` stands for one that does not exist yet. */
export function EditStatusPage({ id }: { readonly id: string }) {
  const { data: pages, error } = useStatusPages()
  const page = id === 'new' ? null : pages?.find((one) => one.id === id)
  const title = id === 'new' ? 'New status page' : 'Edit a status page'
  return (
    <TeamArea path="/status-pages" title={title}>
      {error !== null && <Notice error={error} />}
      {pages === undefined && error === null && <p role="status">Loading…</p>}
      {pages && page === undefined && (
        <NotShown title="There is no such status page" reason="Somebody has deleted it, or it is of another team." />
      )}
      {pages && page !== undefined && <Form page={page} />}
    </TeamArea>
  )
}

function Form({ page }: { readonly page: StatusPage | null }) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(page))
  const [before] = useState(page)
  const [, go] = useLocation()
  const unwritable = useRefusal('monitors.write')
  const unpublishable = useRefusal('status.publish')
  const save = useSavePage()
  const edit = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }))
  const refused = unwritable ?? (page?.published ? unpublishable : null)
  const missing = refused ?? missingOf(draft)
  function submit(event: FormEvent) {
    event.preventDefault()
    if (missing !== null || save.isPending) return
    save.mutate({ page: before, body: bodyOf(draft) }, { onSuccess: () => go('/status-pages') })
  }
  return (
    <form className={style['form']} onSubmit={submit} aria-label="Status page">
      <AddressFields draft={draft} page={page} onEdit={edit} />
      <ShowsFields draft={draft} onEdit={edit} />
      {save.error !== null && (
        <p role="alert" className={style['fault']}>
          {sentenceOf(save.error)}
        </p>
      )}
      <div className={style['ends']}>
        <button
          type="submit"
          className={`${controls['button']} ${controls['main']}`}
          disabled={missing !== null || save.isPending}
        >
          {page === null ? 'Make the page' : 'Save'}
        </button>
        <Link href="/status-pages" className={controls['button']}>
          Cancel
        </Link>
        {missing !== null && <span className={style['soft']}>{missing}</span>}
        {missing === null && page === null && (
          <span className={style['soft']}>Nobody but your team sees it until it is published.</span>
        )}
        {missing === null && page?.published && (
          <span className={style['soft']}>It is published: everybody sees what you save.</span>
        )}
      </div>
    </form>
  )
}
