import { type FormEvent, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Notice } from '../app/notice.tsx'
import { useRefusal } from '../app/use-refusal.ts'
import { sentenceOf } from '../new/form/sentence-of.ts'
import controls from '../style/controls.module.css'
import { NotShown } from '../team/not-shown.tsx'
import { TeamArea } from '../team/team-area.tsx'
import { AddressFields } from './address-fields.tsx'
import { ChangedByAnother, mergedDraft } from './changed-by-another.tsx'
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
  const [base, setBase] = useState(page)
  const [, go] = useLocation()
  const save = useSavePage()
  const button = useRef<HTMLButtonElement>(null)
  const missing = useMissing(draft, page)
  const edit = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }))
  const stored = save.data ?? null
  function submit(event: FormEvent) {
    event.preventDefault()
    if (missing !== null || save.isPending) return
    const onSuccess = (other: StatusPage | null) => other === null && go('/status-pages')
    save.mutate({ page: base, body: bodyOf(draft) }, { onSuccess })
  }
  return (
    <form className={style['form']} onSubmit={submit} aria-label="Status page">
      {base !== null && stored !== null && (
        <ChangedByAnother
          versions={{ base, stored, draft }}
          onChoose={(theirs) => {
            setDraft(mergedDraft({ base, stored, draft }, theirs))
            setBase(stored)
            save.reset()
            button.current?.focus()
          }}
        />
      )}
      <AddressFields draft={draft} page={page} onEdit={edit} />
      <ShowsFields draft={draft} onEdit={edit} />
      {save.error !== null && (
        <p role="alert" className={style['fault']}>
          {sentenceOf(save.error)}
        </p>
      )}
      <div className={style['ends']}>
        <button
          ref={button}
          type="submit"
          className={`${controls['button']} ${controls['main']}`}
          disabled={missing !== null || save.isPending}
        >
          {page === null ? 'Make the page' : 'Save'}
        </button>
        <Link href="/status-pages" className={controls['button']}>
          Cancel
        </Link>
        <span className={style['soft']}>{missing ?? whoSees(page)}</span>
      </div>
    </form>
  )
}

/** Returns why the form cannot be saved. Null: it can. */
function useMissing(draft: Draft, page: StatusPage | null): string | null {
  const unwritable = useRefusal('monitors.write')
  const unpublishable = useRefusal('status.publish')
  return unwritable ?? (page?.published ? unpublishable : null) ?? missingOf(draft)
}

function whoSees(page: StatusPage | null): string | null {
  if (page === null) return 'Nobody but your team sees it until it is published.'
  return page.published ? 'It is published: everybody sees what you save.' : null
}
