import { useState } from 'react'
import { ApiFault, ask, type Issue } from '../../api/client.ts'
import type { SerpMonitorCreate, SerpPreview } from '../../api/types.ts'
import { useRefusal } from '../../app/use-refusal.ts'
import { webAddress } from '../../monitor/any-monitor.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { sentenceOf } from '../form/sentence-of.ts'
import style from '../new.module.css'
import { SEARCHED } from './search-draft.ts'
import own from './search.module.css'

interface SearchPreviewProps {
  readonly body: SerpMonitorCreate
  /** What is wrong with what was searched for. */
  onRefused(issues: readonly Issue[]): void
}

/** The results of the search now. It costs the runs of a check, so it is made when somebody asks for it. */
export function SearchPreview({ body, onRefused }: SearchPreviewProps) {
  const unwritable = useRefusal('monitors.write')
  const [found, setFound] = useState<{ readonly of: string; readonly results: SerpPreview } | null>(null)
  const [refusal, setRefusal] = useState<{ readonly of: string; readonly text: string } | null>(null)
  const [isSearching, setSearching] = useState(false)
  const question = Object.fromEntries(SEARCHED.map((key) => [key, body[key]]))
  const of = JSON.stringify(question)
  const { pages = 1, target_domain: target = null } = body
  async function search() {
    setSearching(true)
    setRefusal(null)
    try {
      const results = await ask<SerpPreview>('/v1/serp-monitors/preview', { method: 'POST', body: question })
      setFound({ of, results })
    } catch (error) {
      const issues = error instanceof ApiFault ? error.issues : []
      if (issues.length > 0) onRefused(issues)
      else setRefusal({ of, text: sentenceOf(error) })
    }
    setSearching(false)
  }
  return (
    <section aria-label="Results" className={style['part']}>
      <h2>Results now</h2>
      <div className={style['line']}>
        <ActionButton
          refused={unwritable ?? (body.keyword === '' ? 'There is no keyword yet.' : null)}
          isBusy={isSearching}
          onAct={() => void search()}
        >
          Search now
        </ActionButton>
        <span className={style['soft']}>It costs {pages === 1 ? 'one run' : `${pages} runs`}, as a check does.</span>
      </div>
      <div role="status">
        {isSearching && <p className={style['soft']}>The search is being made…</p>}
        {!isSearching && refusal?.of === of && <p className={style['fault']}>{refusal.text}</p>}
        {!isSearching && found !== null && <Found {...found.results} target={target} isOld={found.of !== of} />}
      </div>
    </section>
  )
}

interface FoundProps extends SerpPreview {
  readonly target: string | null
  /** Something else is asked for by now. */
  readonly isOld: boolean
}

function Found({
  status,
  organic_results: results,
  target_rank: rank,
  warnings,
  error_message: why,
  target,
  isOld,
}: FoundProps) {
  if (status === 'error') return <p className={style['fault']}>{why ?? 'The search failed.'}</p>
  return (
    <>
      {isOld && <p className={style['soft']}>These are the results of the search before you changed it.</p>}
      {target !== null && !isOld && (
        <p>
          <bdi>{target}</bdi> {rank === null ? 'is not in these results' : `has position ${rank}`}.
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning} className={style['soft']}>
          {warning}
        </p>
      ))}
      {results.length === 0 && <p className={style['soft']}>The search had no results.</p>}
      <ol className={own['results']} aria-label="Results of the search">
        {results.map(({ position, title, url, domain }) => (
          <li key={position} value={position} data-own={!isOld && position === rank ? '' : undefined}>
            <Result title={title} url={url} />
            <bdi className={style['soft']}>{domain}</bdi>
          </li>
        ))}
      </ol>
    </>
  )
}

/** The title of a result, with its address where it is one of the web. */
function Result({ title, url }: { readonly title: string; readonly url: string }) {
  const href = webAddress(url)
  return href === null ? (
    <bdi>{title}</bdi>
  ) : (
    <a href={href} target="_blank" rel="noreferrer">
      <bdi>{title}</bdi>
    </a>
  )
}
