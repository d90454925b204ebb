import type { Issue } from '../../api/client.ts'
import type { Treatment } from '../../api/types.ts'
import controls from '../../style/controls.module.css'
import type { Treatments } from '../draft/draft.ts'
import { pathOf } from '../draft/path-of.ts'
import { MOST_TREATMENTS, TREATMENTS, treatmentOf } from '../draft/treatments.ts'
import { FaultLine } from '../form/fault-line.tsx'
import { NumberInput } from '../when/number-input.tsx'
import style from './what.module.css'

interface TreatmentsPartProps {
  /** Of the value. */
  readonly name: string
  /** What the value is called here. */
  readonly label: string
  readonly treatments: Treatments
  readonly issues: readonly Issue[]
  onChange(treatments: Treatments): void
}

/** What is done to a value before it is compared, in order. */
export function TreatmentsPart({ name, label, treatments, issues, onChange }: TreatmentsPartProps) {
  const path = pathOf('extract_config.clean', name)
  return (
    <>
      {treatments.map((treatment, index) => (
        <div key={index} className={style['treatment']} role="group" aria-label={`Treatment ${index + 1} of ${label}`}>
          <TreatmentLine treatment={treatment} onChange={(next) => onChange(treatments.with(index, next))} />
          <button
            type="button"
            className={controls['quiet']}
            aria-label={`Remove treatment ${index + 1} of ${label}`}
            onClick={() => onChange(treatments.filter((_, nth) => nth !== index))}
          >
            Remove
          </button>
        </div>
      ))}
      <FaultLine id={`${path}-fault`} issues={issues} path={path} />
      {treatments.length < MOST_TREATMENTS && (
        <div>
          <button
            type="button"
            className={controls['quiet']}
            onClick={() => onChange([...treatments, treatmentOf('drop_lines')])}
          >
            {treatments.length === 0 ? `Treat ${label} before it is compared` : 'Then'}
          </button>
        </div>
      )}
    </>
  )
}

interface TreatmentLineProps {
  readonly treatment: Treatment
  onChange(treatment: Treatment): void
}

const TreatmentLine = ({ treatment, onChange }: TreatmentLineProps) => (
  <>
    <select
      className={controls['select']}
      aria-label="What is done to its lines or items"
      value={treatment.do}
      onChange={({ target }) => {
        const kind = TREATMENTS.find(([one]) => one === target.value)?.[0]
        if (kind) onChange(treatmentOf(kind, treatment))
      }}
    >
      {TREATMENTS.map(([kind, words]) => (
        <option key={kind} value={kind}>
          {words}
        </option>
      ))}
    </select>
    {'pattern' in treatment && (
      <TextInput
        label="Pattern"
        placeholder="/sponsored/"
        value={treatment.pattern}
        onChange={(pattern) => onChange({ ...treatment, pattern })}
      />
    )}
    {'text' in treatment && (
      <>
        by
        <TextInput
          label="Text in its place"
          placeholder="nothing"
          value={treatment.text}
          onChange={(text) => onChange({ ...treatment, text })}
        />
      </>
    )}
    {'count' in treatment && (
      <NumberInput label="How many" value={treatment.count} onChange={(count) => onChange({ ...treatment, count })} />
    )}
    {treatment.do === 'between' && (
      <>
        <TextInput
          label="Text before it"
          value={treatment.after}
          onChange={(after) => onChange({ ...treatment, after })}
        />
        and
        <TextInput
          label="Text behind it"
          value={treatment.before}
          onChange={(before) => onChange({ ...treatment, before })}
        />
      </>
    )}
  </>
)

interface TextInputProps {
  readonly label: string
  readonly placeholder?: string
  readonly value: string
  onChange(value: string): void
}

const TextInput = ({ label, placeholder, value, onChange }: TextInputProps) => (
  <input
    className={controls['input']}
    aria-label={label}
    placeholder={placeholder}
    spellCheck={false}
    autoComplete="off"
    maxLength={1000}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  />
)
