import { Move } from './move.tsx'
import type { MovedResult, Result } from './results.ts'
import style from './search-results.module.css'

interface ResultsBesideProps {
  readonly before: readonly Result[]
  readonly after: readonly MovedResult[]
  /** Those of before that are not listed any more. */
  readonly gone: readonly Result[]
}

/** So many places are shown. */
const PLACES = 100

/** The results of two checks beside each other, place by place. */
export function ResultsBeside({ before, after, gone }: ResultsBesideProps) {
  const places = Math.min(PLACES, Math.max(before.length, after.length))
  const isGone = new Set(gone.map(({ position }) => position))
  return (
    <table className={style['results']}>
      <thead>
        <tr>
          <th scope="col">#</th>
          <th scope="col">Before</th>
          <th scope="col">Now</th>
        </tr>
      </thead>
      <tbody>
        {Array.from({ length: places }, (_, nth) => (
          <tr key={nth}>
            <td>{nth + 1}</td>
            <td className={style['half']}>
              <Short result={before[nth]} />
              {isGone.has(before[nth]?.position ?? 0) && <span className={style['soft']}>gone now</span>}
            </td>
            <td className={style['half']}>
              <Short result={after[nth]?.result} />
              {after[nth] !== undefined && <Move position={after[nth].result.position} was={after[nth].was} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
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
