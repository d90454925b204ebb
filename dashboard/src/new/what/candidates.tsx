import type { LookCandidates } from '../../api/types.ts'
import controls from '../../style/controls.module.css'
import style from '../new.module.css'
import { Fragile } from './fragile.tsx'
import what from './what.module.css'

export type Candidate = LookCandidates['values'][number]

/** Returns all rules for an element, those of its text first. */
export const flatOf = (candidates: LookCandidates | null): readonly Candidate[] =>
  candidates === null ? [] : [...candidates.values, ...candidates.attributes, ...candidates.lists]

interface CandidatesProps {
  readonly candidates: LookCandidates | null
  readonly chosen: Candidate | undefined
  onChoose(candidate: Candidate): void
}

/** The other rules that read the element that was pointed at. */
export function Candidates({ candidates, chosen, onChoose }: CandidatesProps) {
  if (candidates === null) return null
  const others = [...candidates.values, ...candidates.attributes].filter((one) => one !== chosen)
  return (
    <>
      {candidates.lists.length > 0 && (
        <p className={style['line']}>
          {candidates.lists.map((list) => (
            <button
              key={list.rule}
              type="button"
              className={controls['button']}
              aria-pressed={list === chosen}
              title={list.rule}
              onClick={() => onChoose(list)}
            >
              All {list.matches.toLocaleString('en')} of these
            </button>
          ))}
        </p>
      )}
      {others.length > 0 && (
        <details className={style['others']}>
          <summary>{others.length === 1 ? '1 other way' : `${others.length} other ways`}</summary>
          <ul>
            {others.map((candidate) => (
              <li key={candidate.rule}>
                <button type="button" className={style['place']} onClick={() => onChoose(candidate)}>
                  <code>{candidate.rule}</code> {candidate.fragile && <Fragile />}
                  <span className={what['reason']}>{candidate.reason}</span>
                  {candidate.value !== chosen?.value && <bdi className={what['gives']}>{candidate.value}</bdi>}
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
