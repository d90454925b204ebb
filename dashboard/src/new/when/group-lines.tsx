import type { DiffPredicate } from '../../api/types.ts'
import { Choice } from '../../parts/choice.tsx'
import controls from '../../style/controls.module.css'
import { defaultLeaf, type Group, groupOf } from '../draft/conditions.ts'
import style from './group-lines.module.css'
import { LeafLine } from './leaf-line.tsx'

/** Groups nest at most so deep, with at most so many conditions each. The API says so too. */
const DEEPEST = 3
const MOST = 25

const OPERATORS = [
  ['AND', 'all of these'],
  ['OR', 'any of these'],
] as const

interface GroupLinesProps {
  readonly group: Group
  /** From 1. */
  readonly depth: number
  readonly names: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
  onChange(predicate: DiffPredicate): void
}

/** Conditions that are joined, as the API nests them. A group of one is that condition. */
export function GroupLines({ group, depth, names, values, onChange }: GroupLinesProps) {
  const { conditions } = group
  const replace = (index: number, next: DiffPredicate) =>
    onChange({ ...group, conditions: conditions.with(index, next) })
  const remove = (index: number) => {
    const left = conditions.filter((_, nth) => nth !== index)
    const [only] = left
    onChange(left.length === 1 && only !== undefined ? only : { ...group, conditions: left })
  }
  const add = (next: DiffPredicate) => onChange({ ...group, conditions: [...conditions, next] })
  return (
    <div role="group" aria-label={`Conditions, ${group.operator}`} className={style['group']}>
      <Choice
        label="How they are joined"
        value={group.operator}
        choices={OPERATORS}
        onChoose={(operator) => onChange({ ...group, operator })}
      />
      {conditions.map((condition, index) => (
        <div key={index} className={style['condition']}>
          {condition.type === 'composite' ? (
            <GroupLines
              group={condition}
              depth={depth + 1}
              names={names}
              values={values}
              onChange={(next) => replace(index, next)}
            />
          ) : (
            <LeafLine leaf={condition} names={names} values={values} onChange={(next) => replace(index, next)} />
          )}
          <button
            type="button"
            className={controls['quiet']}
            aria-label={`Remove condition ${index + 1}`}
            onClick={() => remove(index)}
          >
            Remove
          </button>
        </div>
      ))}
      {conditions.length < MOST && (
        <span className={style['condition']}>
          <button type="button" className={controls['quiet']} onClick={() => add(defaultLeaf(names))}>
            Add a condition
          </button>
          {depth < DEEPEST && (
            <button
              type="button"
              className={controls['quiet']}
              onClick={() => add(groupOf(defaultLeaf(names), names, group.operator === 'AND' ? 'OR' : 'AND'))}
            >
              Add a group
            </button>
          )}
        </span>
      )}
    </div>
  )
}
