import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ApiFault, ask, askTagged, type Tagged } from '../api/client.ts'
import type { Monitor, MonitorCreate } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { useTitle } from '../app/use-title.ts'
import type { Place } from '../monitor/any-monitor.ts'
import { ManifestPart } from '../monitor/manifest-part.tsx'
import { differingKeys, draftOf } from './draft/draft-body.ts'
import { merged } from './draft/merged.ts'
import { asAddress } from './draft/suggested-name.ts'
import { useDraft } from './draft/use-draft.ts'
import style from './new.module.css'
import { AddressPart } from './page/address-part.tsx'
import { lookAsked } from './page/look-asked.ts'
import { NO_LOOK } from './page/no-look.ts'
import { useLook } from './page/use-look.ts'
import { Conflict } from './save/conflict.tsx'
import { WatchForm } from './watch-form.tsx'
import { BacktestPart } from './when/backtest-part.tsx'

type Stored = MonitorCreate & Pick<Monitor, 'managed_by' | 'declared_in'>

/** An edit of a monitor, in the form in which one is made. */
export function EditPage({ id }: { readonly id: string }) {
  const path = `/v1/monitors/${encodeURIComponent(id)}`
  const home = `/monitors/${encodeURIComponent(id)}`
  const [read, setRead] = useState<Tagged<Stored> | null>(null)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    const asked = new AbortController()
    askTagged<Stored>(path, { signal: asked.signal }).then(
      (found) => asked.signal.aborted || setRead(found),
      (fault: unknown) => asked.signal.aborted || setError(fault),
    )
    return () => asked.abort()
  }, [path])
  useTitle(read === null ? 'Edit' : `Edit ${read.body.name}`)
  return (
    <article className={style['screen']}>
      <nav className={style['way']} aria-label="Where you are">
        <Link href="/">Monitors</Link> / <Link href={home}>{read?.body.name ?? 'Monitor'}</Link>
      </nav>
      <h1>Edit</h1>
      {error !== null && <Notice error={error} />}
      {read === null && error === null && <p role="status">Loading…</p>}
      {read !== null &&
        (read.body.managed_by === 'api' ? (
          <EditForm path={path} home={home} first={read} />
        ) : (
          <Managed stored={read.body} place={{ kind: 'page', path, home }} />
        ))}
    </article>
  )
}

/** A manifest owns the monitor: it is shown, and edited there. */
const Managed = ({ stored, place }: { readonly stored: Stored; readonly place: Place }) => (
  <>
    <p className={style['ended']}>
      {stored.managed_by === 'file' ? 'A file declares this monitor' : 'A resource of a cluster declares this monitor'}
      {stored.declared_in !== undefined && (
        <>
          : <bdi>{stored.declared_in}</bdi>
        </>
      )}
      . Edit it there: what is changed here would be set back.
    </p>
    <ManifestPart place={place} />
  </>
)

interface EditFormProps {
  readonly path: string
  readonly home: string
  readonly first: Tagged<Stored>
}

function EditForm({ path, home, first }: EditFormProps) {
  const [, go] = useLocation()
  const queries = useQueryClient()
  const [base, setBase] = useState(first)
  /** What somebody else stored since, beside what was to be stored here. */
  const [other, setOther] = useState<{ readonly stored: Tagged<Stored>; readonly mine: MonitorCreate } | null>(null)
  const form = useDraft(() => draftOf(first.body))
  const looking = useLook()
  const { draft, change } = form
  async function look(typed: string) {
    const url = asAddress(typed)
    change((before) => ({ ...before, url }))
    await looking.start(lookAsked({ ...draft, url }))
  }
  async function save(body: MonitorCreate) {
    const keys = differingKeys(body, base.body)
    const patch = Object.fromEntries(keys.map((key) => [key, body[key] ?? null]))
    try {
      await ask(path, { method: 'PATCH', body: patch, ifMatch: base.tag })
    } catch (fault) {
      const stored = fault instanceof ApiFault && fault.status === 409 ? await askTagged<Stored>(path) : null
      if (stored === null || stored.tag === base.tag) throw fault
      setOther({ stored, mine: body })
      return
    }
    await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'look' })
    go(home)
  }
  return (
    <>
      <AddressPart form={form} looking={looking} onLook={(url) => void look(url)} />
      {other !== null && (
        <Conflict
          base={base.body}
          stored={other.stored.body}
          mine={other.mine}
          onChoose={(theirs) => {
            change(() => draftOf(merged({ base: base.body, stored: other.stored.body, mine: other.mine, theirs })))
            setBase(other.stored)
            setOther(null)
          }}
        />
      )}
      <WatchForm
        form={form}
        looking={looking}
        look={looking.look ?? NO_LOOK}
        onLook={(url) => void look(url)}
        save={{ word: 'Save', onSave: save }}
        effectOf={(body) => effectOf(body, base.body)}
      />
      <BacktestPart path={path} home={home} predicate={draft.predicate} />
    </>
  )
}

/** What is fetched and read. Another value of it makes the next run the first one of a series. */
const OF_BASELINE = ['url', 'extract_config', 'request_config', 'fetch_mode'] as const

function effectOf(body: MonitorCreate, base: MonitorCreate): string | null {
  const keys = differingKeys(body, base)
  if (keys.length === 0) return 'Nothing is changed yet.'
  if (!OF_BASELINE.some((key) => keys.includes(key))) return null
  return 'What is fetched or read is another one now: the next run compares nothing and fires nothing.'
}
