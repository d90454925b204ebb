import { Link } from 'wouter'
import controls from '../style/controls.module.css'
import style from './list.module.css'

/** What the API makes a monitor of, with a key of the team. */
const FIRST = `curl ${location.origin}/v1/monitors \\
  -H "Authorization: Bearer $TIDEMARK_KEY" -H 'Content-Type: application/json' \\
  -d '{"url": "https://example.com/", "name": "Example",
       "extract_config": {"method": "full_page"},
       "schedule_interval_seconds": 3600,
       "diff_predicate": {"type": "any_field_changes"}}'`

/** An installation without monitors: what to do first. */
export const NothingYet = () => (
  <div className={style['nothing']}>
    <h1>Nothing is watched yet</h1>
    <p>Make a monitor on the command line, by a manifest, or with the API. It is in this list at once.</p>
    <pre>
      <code>{FIRST}</code>
    </pre>
    <a className={`${controls['button']} ${controls['main']}`} href="/docs/quickstart">
      Quickstart: your first change
    </a>
  </div>
)

export const NothingFound = () => (
  <div className={style['nothing']}>
    <h1>No monitor matches</h1>
    <p>Other words or fewer filters may find it.</p>
    <Link className={controls['button']} href="/">
      Show all monitors
    </Link>
  </div>
)
