import { WHOLE_PAGE } from '../../monitors/values.ts'
import controls from '../../style/controls.module.css'
import { choicesFor, type Leaf, leafOf, linesOf, valueKindOf } from '../draft/conditions.ts'
import { NumberInput } from './number-input.tsx'

interface LeafLineProps {
  readonly leaf: Leaf
  readonly names: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
  onChange(leaf: Leaf): void
}

/** A condition as a sentence. */
export function LeafLine({ leaf, names, values, onChange }: LeafLineProps) {
  const field = 'field' in leaf ? leaf.field : (names[0] ?? '')
  const kind = field === WHOLE_PAGE ? 'page' : valueKindOf(values[field])
  const choices = choicesFor(kind, leaf.type)
  return (
    <>
      {names.length > 1 && leaf.type !== 'any_field_changes' ? (
        <select
          className={controls['select']}
          aria-label="Value"
          value={field}
          onChange={({ target }) => onChange(leafOf(leaf.type, target.value, leaf))}
        >
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      ) : (
        leaf.type !== 'any_field_changes' && <bdi>{field === WHOLE_PAGE ? 'the text of the page' : field}</bdi>
      )}
      <select
        className={controls['select']}
        aria-label="Condition"
        value={leaf.type}
        onChange={({ target }) => {
          const type = choices.find(([choice]) => choice === target.value)?.[0]
          if (type) onChange(leafOf(type, field, leaf))
        }}
      >
        {choices.map(([type, words]) => (
          <option key={type} value={type}>
            {words}
          </option>
        ))}
      </select>
      <Detail leaf={leaf} onChange={onChange} />
    </>
  )
}

/** The number, the pattern or the value that a condition is about. */
function Detail({ leaf, onChange }: Pick<LeafLineProps, 'leaf' | 'onChange'>) {
  if ('threshold' in leaf)
    return (
      <>
        <NumberInput label="Amount" value={leaf.threshold} onChange={(threshold) => onChange({ ...leaf, threshold })} />
        {leaf.type.endsWith('percent') ? ' % or more' : leaf.type.endsWith('absolute') ? ' or more' : ''}
      </>
    )
  if (leaf.type === 'field_matches_regex')
    return (
      <input
        className={controls['input']}
        aria-label="Pattern"
        spellCheck={false}
        maxLength={1000}
        value={leaf.pattern}
        onChange={({ target }) => onChange({ ...leaf, pattern: target.value })}
      />
    )
  if (leaf.type === 'lines_added' || leaf.type === 'lines_removed')
    return (
      <>
        that matches{' '}
        <input
          className={controls['input']}
          aria-label="Pattern of the line"
          placeholder="any"
          spellCheck={false}
          maxLength={1000}
          value={leaf.pattern ?? ''}
          onChange={({ target }) => onChange(linesOf(leaf.type, leaf.field, target.value))}
        />
      </>
    )
  if (leaf.type === 'list_gains_unseen_items') return <ForgetAfter leaf={leaf} onChange={onChange} />
  if (leaf.type === 'field_equals')
    return (
      <input
        className={controls['input']}
        aria-label="Value to be"
        value={String(leaf.value)}
        onChange={({ target }) => onChange({ ...leaf, value: target.value })}
      />
    )
  return null
}

interface ForgetAfterProps {
  readonly leaf: Extract<Leaf, { readonly type: 'list_gains_unseen_items' }>
  onChange(leaf: Leaf): void
}

/** After how long an item counts as never shown. */
const ForgetAfter = ({ leaf: { type, field, forget_after_days: days }, onChange }: ForgetAfterProps) => (
  <>
    <label>
      <input
        type="checkbox"
        checked={days !== undefined}
        onChange={({ target }) => onChange({ type, field, ...(target.checked && { forget_after_days: 90 }) })}
      />{' '}
      or not for
    </label>
    {days !== undefined && (
      <>
        <NumberInput
          label="Days"
          value={days}
          onChange={(forget_after_days) => onChange({ type, field, forget_after_days })}
        />
        {' days'}
      </>
    )}
  </>
)
