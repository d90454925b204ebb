import { type ReactNode, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { askTagged, type Tagged } from '../api/client.ts'
import type { Monitor } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { useTitle } from '../app/use-title.ts'
import { type Place, placeOf } from '../monitor/any-monitor.ts'
import { ManifestPart } from '../monitor/manifest-part.tsx'
import style from './new.module.css'

type Owned = Pick<Monitor, 'name' | 'managed_by' | 'declared_in'>

interface EditFrameProps<Stored extends Owned> {
  readonly kind: Place['kind']
  readonly id: string
  /** Returns the form for what is stored. */
  children(stored: Tagged<Stored>, place: Place): ReactNode
}

/** The page of an edit. A monitor that a manifest owns is shown, and edited there. */
export function EditFrame<Stored extends Owned>({ kind, id, children }: EditFrameProps<Stored>) {
  const place = placeOf(kind, id)
  const { path, home } = place
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
        (read.body.managed_by === 'api' ? children(read, place) : <Managed owned={read.body} place={place} />)}
    </article>
  )
}

/** A manifest owns the monitor: it is shown, and edited there. */
const Managed = ({ owned, place }: { readonly owned: Owned; readonly place: Place }) => (
  <>
    <p className={style['ended']}>
      {owned.managed_by === 'file' ? 'A file declares this monitor' : 'A resource of a cluster declares this monitor'}
      {owned.declared_in !== undefined && (
        <>
          : <bdi>{owned.declared_in}</bdi>
        </>
      )}
      . Edit it there: what is changed here would be set back.
    </p>
    <ManifestPart place={place} />
  </>
)
