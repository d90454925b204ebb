import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ask } from '../api/client.ts'
import type { Monitor, MonitorCreate } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { useTitle } from '../app/use-title.ts'
import { askedAddress, forgetAskedAddress } from '../parts/asked-address.ts'
import { copyName } from './draft/copy-name.ts'
import { draftOf } from './draft/draft-body.ts'
import { type Draft, EMPTY } from './draft/draft.ts'
import { asAddress } from './draft/suggested-name.ts'
import { useDraft } from './draft/use-draft.ts'
import style from './new.module.css'
import { AddressPart } from './page/address-part.tsx'
import { lookAsked } from './page/look-asked.ts'
import { NO_LOOK } from './page/no-look.ts'
import { useLook } from './page/use-look.ts'
import { Templates } from './templates.tsx'
import { useCopied } from './use-copied.ts'
import { WatchForm } from './watch-form.tsx'

/** A new monitor, or one with the settings of the monitor that `?from=` names. It only reads: a link may lead here. */
export function NewPage() {
  useTitle('New monitor')
  const { from, stored: copied, error } = useCopied<MonitorCreate>('/v1/monitors')
  return (
    <article className={style['screen']}>
      <nav className={style['way']} aria-label="Where you are">
        <Link href="/">Monitors</Link>
      </nav>
      <h1>New monitor</h1>
      <p className={style['soft']}>
        A page, a feed or a JSON API. Or watch <Link href="/new/search">what a search engine finds</Link>.
      </p>
      {error !== null && <Notice error={error} />}
      {copied === undefined && error === null && <p role="status">Loading…</p>}
      {copied !== undefined && <NewForm key={from} copied={copied} />}
    </article>
  )
}

/** Returns the draft of a copy. A key by which others know the monitor stays with the first one. */
const copyOf = (spec: MonitorCreate): Draft => draftOf({ ...spec, external_key: null, name: copyName(spec.name) })

/** An address, what to watch on the page, when to tell, and whom. */
function NewForm({ copied }: { readonly copied: MonitorCreate | null }) {
  const [, go] = useLocation()
  const queries = useQueryClient()
  const form = useDraft(() => (copied === null ? EMPTY : copyOf(copied)))
  const looking = useLook()
  const [given] = useState(askedAddress)
  const { draft, change } = form
  async function look(typed: string) {
    const url = asAddress(typed)
    change((before) => ({ ...before, url }))
    const made = await looking.start(lookAsked({ ...draft, url }))
    if (made) form.adopt(made)
  }
  useEffect(() => {
    if (given === null) return
    forgetAskedAddress()
    void look(given)
    // oxlint-disable-next-line react/exhaustive-deps -- It is looked at once, when the screen opens.
  }, [given])
  async function save(body: MonitorCreate) {
    const made = await ask<Monitor>('/v1/monitors', { method: 'POST', body })
    await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'look' })
    go(`/monitors/${encodeURIComponent(made.id)}`)
  }
  const isFilled = copied !== null || (draft.more.template_slug ?? null) !== null
  const isBegun = looking.look !== null || looking.error !== null || isFilled
  return (
    <>
      <AddressPart form={form} looking={looking} onLook={(url) => void look(url)} />
      {isBegun ? (
        <WatchForm
          form={form}
          looking={looking}
          look={looking.look ?? NO_LOOK}
          onLook={(url) => void look(url)}
          word="Watch it"
          onSave={save}
        />
      ) : (
        looking.since === null && <Templates onChoose={change} />
      )}
    </>
  )
}
