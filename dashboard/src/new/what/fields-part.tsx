import type { Issue } from '../../api/client.ts'
import type { LookCandidates } from '../../api/types.ts'
import { WHOLE_PAGE } from '../../monitors/values.ts'
import { Choice } from '../../parts/choice.tsx'
import controls from '../../style/controls.module.css'
import {
  type Draft,
  type Language,
  namesOf,
  ofKind,
  type Treatments,
  withField,
  withFieldName,
  withLanguage,
  withoutField,
  withTypedRule,
} from '../draft/draft.ts'
import { pathOf } from '../draft/path-of.ts'
import { withTreated, withTreatedValue } from '../draft/treatments.ts'
import { FaultLine, faultOf } from '../form/fault-line.tsx'
import style from '../new.module.css'
import { Candidates, type Candidate, flatOf } from './candidates.tsx'
import { Fragile } from './fragile.tsx'
import { PromptField } from './prompt-field.tsx'
import { TreatmentsPart } from './treatments-part.tsx'
import { ValueShown } from './value-shown.tsx'
import what from './what.module.css'

const LANGUAGES: readonly (readonly [Language, string])[] = [
  ['css', 'CSS selector'],
  ['xpath', 'XPath'],
  ['json_path', 'JSONPath'],
  ['structured_data', 'JSONPath of structured data'],
  ['regex', 'Pattern'],
]

const KINDS = [
  ['fields', 'Parts of it'],
  ['full_page', 'The whole page'],
  ['prompt', 'A prompt'],
] as const

interface FieldsPartProps {
  readonly draft: Draft
  readonly issues: readonly Issue[]
  /** What a run would store, by the names of the fields. */
  readonly values: Readonly<Record<string, unknown>>
  readonly matches: Readonly<Record<string, { readonly count: number }>>
  /** There is a page to try rules on. */
  readonly isLooked: boolean
  /** Other values are on their way. */
  readonly isOld: boolean
  readonly candidates: LookCandidates | null
  onChange(change: (draft: Draft) => Draft): void
  onCandidate(candidate: Candidate): void
}

/** What is watched: fields with their rules and values, or the whole page. */
export function FieldsPart(props: FieldsPartProps) {
  const { draft, candidates, onChange } = props
  const kinds = <KindsPart draft={draft} onChange={onChange} />
  if (draft.kind === 'full_page')
    return (
      <>
        <p>
          <b>The text of the whole page.</b> A run stores its hash, and shows which lines differ.
          {draft.ignore.length > 0 && (
            <span className={style['soft']}>
              {' '}
              Without <bdi>{draft.ignore.join(', ')}</bdi>
            </span>
          )}
        </p>
        <OthersTreated draft={draft} issues={props.issues} onChange={onChange} />
        {kinds}
      </>
    )
  if (draft.kind === 'prompt')
    return (
      <>
        <PromptField prompt={draft.prompt} issues={props.issues} onChange={onChange} />
        <OthersTreated draft={draft} issues={props.issues} onChange={onChange} />
        {kinds}
      </>
    )
  const chosen = flatOf(candidates).find(({ rule }) => rule === draft.fields[draft.active]?.rule)
  return (
    <>
      {draft.fields.map((field, index) => (
        <Field
          key={index}
          {...props}
          field={field}
          index={index}
          chosen={index === draft.active ? chosen : undefined}
        />
      ))}
      <Candidates candidates={candidates} chosen={chosen} onChoose={props.onCandidate} />
      <p className={style['line']}>
        <button type="button" className={controls['button']} onClick={() => onChange(withField)}>
          Another field
        </button>
        <label className={style['line']}>
          <span className={style['soft']}>Rules are</span>
          <select
            className={controls['select']}
            value={draft.language}
            onChange={({ target }) => {
              const language = LANGUAGES.find(([name]) => name === target.value)?.[0]
              if (language) onChange((before) => withLanguage(before, language))
            }}
          >
            {LANGUAGES.map(([language, word]) => (
              <option key={language} value={language}>
                {word}
              </option>
            ))}
          </select>
        </label>
      </p>
      {kinds}
    </>
  )
}

interface FieldTreatedProps extends Pick<FieldProps, 'field' | 'issues'> {
  onTreated(clean: Treatments): void
}

/** What is done to the value of a rule. */
const FieldTreated = ({ field: { name, rule, clean = [] }, issues, onTreated }: FieldTreatedProps) =>
  rule.trim() !== '' && (
    <TreatmentsPart name={name} label={name} treatments={clean} issues={issues} onChange={onTreated} />
  )

/** What is done to values that have no rule here. */
const OthersTreated = ({ draft, issues, onChange }: Pick<FieldsPartProps, 'draft' | 'issues' | 'onChange'>) =>
  namesOf(draft).map((name) => (
    <TreatmentsPart
      key={name}
      name={name}
      label={name === WHOLE_PAGE ? 'the text' : name}
      treatments={(Object.hasOwn(draft.treated, name) && draft.treated[name]) || []}
      issues={issues}
      onChange={(clean) => onChange((before) => withTreatedValue(before, name, clean))}
    />
  ))

const KindsPart = ({ draft, onChange }: Pick<FieldsPartProps, 'draft' | 'onChange'>) => (
  <p>
    <Choice
      label="What is watched"
      value={draft.kind}
      choices={KINDS}
      onChoose={(kind) => onChange((before) => ofKind(before, kind))}
    />
    <label className={style['line']}>
      <input
        type="checkbox"
        checked={draft.readsDocument}
        onChange={({ target }) => onChange((before) => ({ ...before, readsDocument: target.checked }))}
      />
      It is a file: PDF, DOCX, XLSX, CSV, TSV or a calendar
    </label>
  </p>
)

interface FieldProps extends FieldsPartProps {
  readonly field: Draft['fields'][number]
  readonly index: number
  /** The candidate that its rule is. */
  readonly chosen: Candidate | undefined
}

function Field({ draft, issues, values, matches, isLooked, isOld, field, index, chosen, onChange }: FieldProps) {
  const { name, rule } = field
  const fault = { id: `rule-fault-${index}`, issues, path: pathOf('extract_config.fields', name) }
  const count = matches[name]?.count
  const isMany = draft.fields.length > 1
  return (
    <div
      className={style['field']}
      data-active={isMany && index === draft.active ? '' : undefined}
      onFocusCapture={() => index !== draft.active && onChange((before) => ({ ...before, active: index }))}
    >
      <div className={style['line']}>
        <input
          className={`${controls['input']} ${what['name']}`}
          aria-label="Name of the value"
          maxLength={100}
          value={name}
          onChange={({ target }) => onChange((before) => withFieldName(before, index, target.value))}
        />
        <div className={isOld ? what['old'] : what['value']} aria-live="polite">
          {isLooked && rule.trim() !== '' && <ValueShown value={values[name]} />}
        </div>
        {(isMany || rule !== '') && (
          <button
            type="button"
            className={controls['quiet']}
            aria-label={`Remove ${name}`}
            onClick={() => onChange((before) => withoutField(before, index))}
          >
            Remove
          </button>
        )}
      </div>
      <textarea
        className={style['area']}
        aria-label={`Rule of ${name}`}
        rows={Math.min(4, Math.ceil(rule.length / 46) || 1)}
        spellCheck={false}
        autoComplete="off"
        maxLength={1000}
        placeholder="[itemprop=price]"
        value={rule}
        onChange={({ target }) =>
          onChange((before) => withTypedRule({ ...before, active: index }, target.value.replaceAll('\n', ' ')))
        }
        {...faultOf(fault)}
      />
      <FaultLine {...fault} />
      <FieldTreated
        field={field}
        issues={issues}
        onTreated={(clean) => onChange((before) => withTreated(before, index, clean))}
      />
      <p className={style['facts']}>
        {count !== undefined && <span>{count === 1 ? '1 match' : `${count.toLocaleString('en')} matches`}</span>}
        {chosen && <span>{chosen.reason}</span>}
        {chosen?.fragile === true && <Fragile />}
      </p>
    </div>
  )
}
