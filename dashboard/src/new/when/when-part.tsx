import type { Issue } from '../../api/client.ts'
import type { DiffPredicate, ExtractConfig } from '../../api/types.ts'
import controls from '../../style/controls.module.css'
import { groupOf } from '../draft/conditions.ts'
import { FaultLine } from '../form/fault-line.tsx'
import style from '../new.module.css'
import { GroupLines } from './group-lines.tsx'
import { LeafLine } from './leaf-line.tsx'
import { TryPart } from './try-part.tsx'

interface WhenPartProps {
  readonly predicate: DiffPredicate
  readonly config: ExtractConfig | null
  readonly names: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
  readonly issues: readonly Issue[]
  onChange(predicate: DiffPredicate): void
}

/** When to tell somebody: a sentence with the choices that fit the value, and a trial of it. */
export function WhenPart({ predicate, config, names, values, issues, onChange }: WhenPartProps) {
  return (
    <>
      <div className={style['line']}>
        <span>Tell me when</span>
        {predicate.type !== 'composite' && (
          <LeafLine leaf={predicate} names={names} values={values} onChange={onChange} />
        )}
      </div>
      {predicate.type === 'composite' ? (
        <GroupLines group={predicate} depth={1} names={names} values={values} onChange={onChange} />
      ) : (
        <p>
          <button type="button" className={controls['quiet']} onClick={() => onChange(groupOf(predicate, names))}>
            Add a condition
          </button>
        </p>
      )}
      <FaultLine id="when-fault" issues={issues} path="diff_predicate" />
      {config !== null && <TryPart predicate={predicate} config={config} names={names} values={values} />}
    </>
  )
}
