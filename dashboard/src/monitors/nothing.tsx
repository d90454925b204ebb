import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { usePermission } from '../app/use-me.ts'
import { askFor } from '../parts/asked-address.ts'
import controls from '../style/controls.module.css'
import style from './list.module.css'

/** What the API makes a monitor of, with a key of the team. */
const FIRST = `curl ${location.origin}/v1/monitors \\
  -H "Authorization: Bearer $TIDEMARK_KEY" -H 'Content-Type: application/json' \\
  -d '{"url": "https://example.com/", "name": "Example",
       "extract_config": {"method": "full_page"},
       "schedule_interval_seconds": 3600,
       "diff_predicate": {"type": "any_field_changes"}}'`

/** An installation without monitors: what to do first. An address is enough. */
export function NothingYet() {
  const [address, setAddress] = useState('')
  const [, go] = useLocation()
  const mayWrite = usePermission('monitors.write')
  return (
    <div className={style['nothing']}>
      <h1>Nothing is watched yet</h1>
      {mayWrite && (
        <form
          className={style['first']}
          onSubmit={(event) => {
            event.preventDefault()
            go('/new', { state: askFor(address) })
          }}
        >
          <label htmlFor="first-address">The address of a page, an API or a feed</label>
          <input
            id="first-address"
            className={controls['input']}
            inputMode="url"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={2048}
            placeholder="https://example.com/"
            value={address}
            onChange={({ target }) => setAddress(target.value)}
          />
          <button type="submit" className={`${controls['button']} ${controls['main']}`}>
            Look
          </button>
        </form>
      )}
      <p>Or make a monitor on the command line, by a manifest, or with the API. It is in this list at once.</p>
      <pre>
        <code>{FIRST}</code>
      </pre>
      <a className={controls['button']} href="/docs/quickstart">
        Quickstart: your first change
      </a>
    </div>
  )
}

export const NothingFound = () => (
  <div className={style['nothing']}>
    <h1>No monitor matches</h1>
    <p>Other words or fewer filters may find it.</p>
    <Link className={controls['button']} href="/">
      Show all monitors
    </Link>
  </div>
)
