import { useState } from 'react'
import { ShowMore } from '../parts/long-text.tsx'
import { Move } from './move.tsx'
import type { MovedResult, Result } from './results.ts'
import style from './search-results.module.css'

interface ResultsBesideProps {
  readonly before: readonly Result[]
  readonly after: readonly MovedResult[]
  /** Those of before that are not listed any more. */
  readonly gone: readonly Result[]
  /** Whether a result is of the site that the search watches, at its rank now or before. */
  isOurs(result: Result, isNow: boolean): boolean
}

/** So many places are shown at first, and more at each press. */
const PLACES = 100

/** The results of two checks beside each other, place by place. */
export function ResultsBeside({ before, after, gone, isOurs }: ResultsBesideProps) {
  const [room, setRoom] = useState(PLACES)
  const all = Math.max(before.length, after.length)
  const lookOf = (result: Result | undefined, isNow: boolean) =>
    `${style['half']} ${result && isOurs(result, isNow) ? style['ours'] : ''}`
  const isGone = new Set(gone.map(({ position }) => position))
  return (
    <>
      <table className={style['results']}>
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col">Before</th>
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: Math.min(room, all) }, (_, nth) => (
            <tr key={nth}>
              <th scope="row">{nth + 1}</th>
              <td className={lookOf(before[nth], false)}>
                <Short result={before[nth]} />
                {isGone.has(before[nth]?.position ?? 0) && <span className={style['soft']}>gone now</span>}
              </td>
              <td className={lookOf(after[nth]?.result, true)}>
                <Short result={after[nth]?.result} />
                {after[nth] !== undefined && <Move position={after[nth].result.position} was={after[nth].was} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {all > room && (
        <ShowMore shown={room} all={all} what="places" step={PLACES} onMore={() => setRoom(room + PLACES)} />
      )}
    </>
  )
}

/** A result in two lines. */
const Short = ({ result }: { readonly result: Result | undefined }) =>
  result !== undefined && (
    <>
      <bdi>{result.title === '' ? result.domain : result.title}</bdi>
      <span className={style['site']}>
        <bdi>{result.domain}</bdi>
      </span>
    </>
  )
