import { type ReactNode, useRef, useState } from 'react'
import type { Run } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { useWidth } from '../app/use-width.ts'
import { useAddress } from '../monitor/use-address.ts'
import { isLongText, WHOLE_PAGE } from '../monitors/values.ts'
import { Choice } from '../parts/choice.tsx'
import { Ago } from '../parts/time.tsx'
import tones from '../style/tones.module.css'
import { ChangeSteps } from './change-steps.tsx'
import { ComparedWith } from './compared-with.tsx'
import style from './run.module.css'
import { TextDifference, type TextView } from './text-difference.tsx'
import { type Comparison, useComparison } from './use-comparison.ts'
import type { ListedChange, RunAddress } from './use-run.ts'
import { AllValues, ChangedValues, nameOf } from './value-table.tsx'

const BY = [
  ['words', 'Words'],
  ['lines', 'Lines'],
] as const
const BESIDE = [
  ['beside', 'Side by side'],
  ['inline', 'Inline'],
] as const
/** Two texts beside each other need so many pixels. */
const WIDE = 900

interface ComparedProps {
  readonly address: RunAddress
  readonly run: Run
  readonly change: ListedChange | null
  /** What else differs: pictures and results of searches. */
  children(comparison: Comparison): ReactNode
}

/** What differs between a run and an earlier one, and the choices of how it is shown. */
export function Compared({ address, run, change, children }: ComparedProps) {
  const [asked, choose] = useAddress()
  const root = useRef<HTMLElement>(null)
  const against = asked.get('against') ?? ''
  const comparison = useComparison({ run, against, change })
  const isWide = useWidth() >= WIDE
  const by = asked.get('by') === 'lines' ? 'lines' : 'words'
  const isInline = (asked.get('view') ?? (isWide ? 'beside' : 'inline')) === 'inline'
  const hasTexts = (comparison.texts ?? []).length > 0
  return (
    <section aria-label="What differs" ref={root}>
      <h2 className={style['part']}>What differs</h2>
      <div className={style['tools']}>
        <ComparedWith address={address} value={against} onChoose={(value) => choose({ against: value })} />
        {hasTexts && <Choice label="Marks" value={by} choices={BY} onChoose={(value) => choose({ by: value })} />}
        {hasTexts && (
          <Choice
            label="View of texts"
            value={isInline ? 'inline' : 'beside'}
            choices={BESIDE}
            onChoose={(value) => choose({ view: value })}
          />
        )}
        <span className={style['space']} />
        <ChangeSteps root={root} />
      </div>
      <Against comparison={comparison} />
      <Differences run={run} comparison={comparison} view={{ by, isInline }} isOther={against !== ''} />
      {children(comparison)}
    </section>
  )
}

const Against = ({ comparison: { other } }: { readonly comparison: Comparison }) =>
  other && (
    <p className={tones['soft']}>
      Before is the run of <Ago at={other.started_at} />.
    </p>
  )

interface DifferencesProps {
  readonly run: Run
  readonly comparison: Comparison
  readonly view: TextView
  readonly isOther: boolean
}

function Differences({ run, comparison: { fields, texts, refusal, error }, view, isOther }: DifferencesProps) {
  if (error !== null) return <Notice error={error} />
  const isSame = fields.length === 0 && refusal === null && texts !== null && run.organic_results === undefined
  return (
    <>
      {refusal !== null && <p className={tones['soft']}>{refusal}</p>}
      {isSame && <Same run={run} isOther={isOther} />}
      <ChangedValues fields={fields.filter((each) => !isShownAsText(each, refusal))} />
      {texts === null && refusal === null && <p role="status">Comparing…</p>}
      {texts?.map((field) => (
        <TextDifference
          key={`${field.field} ${field.of} ${view.by} ${view.isInline}`}
          field={field}
          title={nameOf(field.field)}
          view={view}
        />
      ))}
      {fields.length > 0 && <Rest run={run} />}
    </>
  )
}

/** A long text stands below the table, by what differs in it. The hash of a whole page says nothing to people. */
const isShownAsText = (each: Comparison['fields'][number], refusal: string | null): boolean =>
  each.field === WHOLE_PAGE || (refusal === null && isLongText(each))

/** The fields that do not differ too, for a person who asks for them. */
function Rest({ run }: { readonly run: Run }) {
  const [isOpen, setOpen] = useState(false)
  const count = Object.keys(run.extracted).filter((field) => field !== WHOLE_PAGE).length
  if (count === 0) return null
  return (
    <details className={style['rest']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>All values of the run, {count}</summary>
      {isOpen && <AllValues values={run.extracted} />}
    </details>
  )
}

const Same = ({ run, isOther }: { readonly run: Run; readonly isOther: boolean }) => (
  <>
    <p className={tones['soft']}>
      {isOther || run.status !== 'success'
        ? 'No value differs.'
        : 'No value differs from the run before, or it was the first one.'}
    </p>
    <AllValues values={run.extracted} />
  </>
)
