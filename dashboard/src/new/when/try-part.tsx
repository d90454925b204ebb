import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/client.ts'
import type { DiffPredicate, ExtractConfig, PredicateTrial } from '../../api/types.ts'
import { shownValue, WHOLE_PAGE } from '../../monitors/values.ts'
import controls from '../../style/controls.module.css'
import { sentenceOf } from '../form/sentence-of.ts'
import style from '../new.module.css'
import { useSettled } from '../what/use-settled.ts'

interface TryPartProps {
  readonly predicate: DiffPredicate
  readonly config: ExtractConfig
  readonly names: readonly string[]
  /** The values now. */
  readonly values: Readonly<Record<string, unknown>>
}

const PAUSE_MS = 150

/** Returns the first field that a predicate is about. */
const fieldOf = (predicate: DiffPredicate): string | null => {
  if (predicate.type === 'composite') return predicate.conditions.map(fieldOf).find((one) => one !== null) ?? null
  return 'field' in predicate ? predicate.field : null
}

/** Returns a value as somebody types it: a further item of a list, or the same type as before. */
function nextOf(before: unknown, typed: string): unknown {
  if (Array.isArray(before)) return [...(before as readonly unknown[]), typed]
  const number = Number(typed)
  return typeof before === 'number' && typed.trim() !== '' && Number.isFinite(number) ? number : typed
}

/** A next value, and whether it would fire. */
export function TryPart({ predicate, config, names, values }: TryPartProps) {
  const [typed, setTyped] = useState('')
  const field = fieldOf(predicate) ?? names[0] ?? ''
  const before = values[field]
  const body = {
    diff_predicate: predicate,
    extract_config: config,
    before: values,
    after: { ...values, [field]: nextOf(before, typed) },
  }
  const settled = useSettled(body, PAUSE_MS)
  const { data, error } = useQuery({
    queryKey: ['try', settled],
    queryFn: ({ signal }) => ask<PredicateTrial>('/v1/predicates/try', { method: 'POST', body: settled, signal }),
    enabled: typed !== '',
    placeholderData: (earlier) => earlier,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  if (field === WHOLE_PAGE || before === undefined) return null
  const isList = Array.isArray(before)
  return (
    <div className={style['line']}>
      <label className={style['line']}>
        <span className={style['soft']}>
          Try: {isList ? 'a new item' : <bdi>{shownValue(before, 30)}</bdi>} {isList ? '' : '→'}
        </span>
        <input
          className={controls['input']}
          aria-label={isList ? 'A new item' : 'A next value'}
          maxLength={1000}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </label>
      <span role="status" className={style['trial']}>
        {typed !== '' && <Verdict trial={data} error={error} />}
      </span>
    </div>
  )
}

interface VerdictProps {
  readonly trial: PredicateTrial | undefined
  readonly error: unknown
}

/** Whether it fires, and why. */
function Verdict({ trial, error }: VerdictProps) {
  if (error !== null) return sentenceOf(error)
  if (trial === undefined) return null
  const word = trial.fires === null ? 'Nobody can say' : trial.fires ? 'Fires' : 'Does not fire'
  return (
    <>
      <b className={trial.fires === true ? style['good'] : undefined}>{word}</b>: <bdi>{trial.why}</bdi>
    </>
  )
}
