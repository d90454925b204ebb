import { useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useMe } from '../app/use-me.ts'
import { useTitle } from '../app/use-title.ts'
import { takeAskedAddress } from '../parts/asked-address.ts'
import { AddressPart } from './address-part.tsx'
import style from './new.module.css'
import { asAddress } from './suggested-name.ts'
import { useDraft } from './use-draft.ts'
import { useLook } from './use-look.ts'
import { WatchForm } from './watch-form.tsx'

/** A new monitor: an address, what to watch on the page, when to tell, and whom. */
export function NewPage() {
  useTitle('New monitor')
  const [, go] = useLocation()
  const { me } = useMe()
  const form = useDraft()
  const looking = useLook()
  const [given] = useState(takeAskedAddress)
  const { draft, change } = form
  async function look(typed: string) {
    const url = asAddress(typed)
    change((before) => ({ ...before, url }))
    const made = await looking.start(url)
    if (made) form.adopt(made)
  }
  useEffect(() => {
    if (given !== null) void look(given)
    // oxlint-disable-next-line react/exhaustive-deps -- It is looked at once, when the screen opens.
  }, [given])
  return (
    <article className={style['screen']}>
      <nav className={style['way']} aria-label="Where you are">
        <Link href="/">Monitors</Link>
      </nav>
      <h1>New monitor</h1>
      <AddressPart
        url={draft.url}
        looking={looking}
        issues={form.issues}
        // Until it is known, the service says it.
        refused={me?.permissions.includes('monitors.write') === false ? 'Your role may only read.' : null}
        onChange={(url) => change((before) => ({ ...before, url }))}
        onLook={() => void look(draft.url)}
      />
      {looking.look !== null && (
        <WatchForm
          form={form}
          looking={looking}
          look={looking.look}
          onLook={(url) => void look(url)}
          onDone={(id) => go(`/monitors/${encodeURIComponent(id)}`)}
        />
      )}
    </article>
  )
}
