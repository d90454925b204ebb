import { useState } from 'react'
import type { DeliveryConfig, MonitorCreate } from '../../api/types.ts'
import controls from '../../style/controls.module.css'
import table from '../../style/table.module.css'
import { summaryOf } from '../draft/destinations.ts'
import { differingKeys } from '../draft/draft-body.ts'
import { disputedKeys } from '../draft/merged.ts'
import style from './conflict.module.css'

interface ConflictProps {
  readonly base: MonitorCreate
  readonly stored: MonitorCreate
  readonly mine: MonitorCreate
  /** The keys of which the other's value is taken. */
  onChoose(theirs: readonly string[]): void
}

const CHARS = 600

/** Returns a value as a person compares it, without its secrets. */
function shown(key: string, value: unknown): string {
  if (key === 'deliveries')
    return (value as readonly DeliveryConfig[] | undefined)?.map(summaryOf).join('\n') ?? 'nothing'
  if (key === 'request_headers') return Object.keys(value ?? {}).join('\n')
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? 'nothing')
  return text.length > CHARS ? `${text.slice(0, CHARS)}…` : text
}

/** Somebody else saved first: what they changed, and of what both changed, which of the two is to stay. */
export function Conflict({ base, stored, mine, onChoose }: ConflictProps) {
  const disputed = disputedKeys({ base, stored, mine })
  const changed = differingKeys(stored, base)
  const [theirs, choose] = useState<readonly string[]>([])
  return (
    <section role="alert" aria-label="Changed by somebody else" className={style['box']}>
      <h2>Somebody else changed this monitor after you read it. Nothing was saved.</h2>
      <p>Theirs: {changed.map((key) => key.replaceAll('_', ' ')).join(', ')}.</p>
      {disputed.length > 0 && (
        <table className={table['table']}>
          <thead>
            <tr>
              <th scope="col">You both changed</th>
              <th scope="col">Theirs</th>
              <th scope="col">Yours</th>
            </tr>
          </thead>
          <tbody>
            {disputed.map((key) => (
              <tr key={key}>
                <th scope="row">{key.replaceAll('_', ' ')}</th>
                {[true, false].map((isTheirs) => (
                  <td key={String(isTheirs)}>
                    <label>
                      <input
                        type="radio"
                        name={key}
                        aria-label={`${key.replaceAll('_', ' ')}: ${isTheirs ? 'theirs' : 'yours'}`}
                        checked={theirs.includes(key) === isTheirs}
                        onChange={() => choose(isTheirs ? [...theirs, key] : theirs.filter((one) => one !== key))}
                      />
                      <bdi>{shown(key, (isTheirs ? stored : mine)[key])}</bdi>
                    </label>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <button type="button" className={controls['button']} onClick={() => onChoose(theirs)}>
        Put both together
      </button>
      <p>Then look at it, and save again.</p>
    </section>
  )
}
