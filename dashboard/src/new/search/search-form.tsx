import { useState } from 'react'
import type { Issue } from '../../api/client.ts'
import type { SerpMonitorCreate } from '../../api/types.ts'
import { messageNames } from '../draft/message-names.ts'
import { withTelling } from '../draft/notified.ts'
import style from '../new.module.css'
import { SavePart } from '../save/save-part.tsx'
import { IntervalField } from '../when/interval-field.tsx'
import { WhomPart } from '../whom/whom-part.tsx'
import { LEAST_INTERVAL, searchBody, suggestedSearchName } from './search-draft.ts'
import { SearchFields } from './search-fields.tsx'
import { SearchPreview } from './search-preview.tsx'
import { SearchWhen } from './search-when.tsx'
import own from './search.module.css'

interface SearchFormProps {
  readonly search: SerpMonitorCreate
  /** What is stored now, by its tag: with another one, the destinations are others. */
  readonly tag?: string
  /** What the button says. */
  readonly word: string
  onChange(change: (before: SerpMonitorCreate) => SerpMonitorCreate): void
  onSave(body: SerpMonitorCreate): Promise<void>
  /** Returns what saving this does besides. Null: nothing. */
  effectOf?(body: SerpMonitorCreate): string | null
}

/** All of a search that is watched. */
export function SearchForm({ search, tag, word, onChange, onSave, effectOf }: SearchFormProps) {
  const [issues, setIssues] = useState<readonly Issue[]>([])
  function change(of: (before: SerpMonitorCreate) => SerpMonitorCreate) {
    setIssues([])
    onChange(of)
  }
  const set = (next: Partial<SerpMonitorCreate>) => change((before) => ({ ...before, ...next }))
  const suggested = suggestedSearchName(search)
  const body = searchBody(search, suggested)
  const { deliveries = [], labels = {}, pages = 1, schedule_interval_seconds: interval } = search
  return (
    <div className={own['form']}>
      <div className={style['right']}>
        <section aria-label="What" className={style['part']}>
          <h2>What</h2>
          <SearchFields search={search} issues={issues} onChange={set} />
        </section>
        <SearchPreview body={body} onRefused={setIssues} />
      </div>
      <div className={style['right']}>
        <section aria-label="When to tell" className={style['part']}>
          <h2>When</h2>
          <SearchWhen search={search} issues={issues} onChange={set} />
          <IntervalField
            interval={interval}
            least={LEAST_INTERVAL}
            runs={pages}
            issues={issues}
            onInterval={(seconds) => set({ schedule_interval_seconds: seconds })}
          />
        </section>
        <section aria-label="Whom" className={style['part']}>
          <h2>Whom</h2>
          <WhomPart
            key={tag}
            notified={{ ...search, deliveries }}
            names={messageNames({ kind: 'serp', labels: Object.keys(labels) })}
            issues={issues}
            onChange={(next) =>
              change((before) => {
                const notified = next({ ...before, deliveries: before.deliveries ?? [] })
                const { message, digest, quiet_hours: hours } = notified
                return withTelling(
                  { ...before, deliveries: notified.deliveries },
                  { message, digest, quiet_hours: hours },
                )
              })
            }
          />
        </section>
        <SavePart
          kind="SerpMonitor"
          name={search.name}
          suggested={suggested}
          body={body}
          issues={issues}
          isPending={false}
          word={word}
          effect={effectOf?.(body) ?? null}
          onName={(name) => set({ name })}
          onRefused={setIssues}
          onSave={onSave}
        />
      </div>
    </div>
  )
}
