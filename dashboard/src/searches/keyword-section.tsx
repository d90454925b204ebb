import { Link } from 'wouter'
import { FAULTS } from '../api/types.ts'
import { pathOf } from '../monitors/cells.tsx'
import { State, stateOf } from '../monitors/state.tsx'
import { Beside } from '../parts/beside.tsx'
import { Spark } from '../parts/spark.tsx'
import { Ago } from '../parts/time.tsx'
import tones from '../style/tones.module.css'
import { type byKeyword, keywordPath, type SearchRow } from './by-keyword.ts'
import { marketWords } from './market-words.ts'
import style from './searches.module.css'

interface KeywordSectionProps {
  readonly group: ReturnType<typeof byKeyword>[number]
}

/** A keyword, with where it is searched for and how that stands. */
export const KeywordSection = ({ group: { keyword, rows } }: KeywordSectionProps) => (
  <section aria-label={keyword}>
    <h2 className={style['keyword']}>
      <Link href={keywordPath(keyword)}>
        <bdi>{keyword}</bdi>
      </Link>
      {rows.length > 1 && <span className={tones['soft']}>{rows.length.toLocaleString('en')} searches</span>}
    </h2>
    <ul className={style['rows']}>
      {rows.map((row) => (
        <Row key={row.id} row={row} />
      ))}
    </ul>
  </section>
)

const Row = ({ row }: { readonly row: SearchRow }) => (
  <li className={style['row']} data-row={row.id}>
    <State row={row} />
    <span className={style['market']}>
      <Link href={pathOf(row)} data-focus="">
        {marketWords(row.search)}
      </Link>
      {row.unseen && <span className={style['new']}>new</span>}
      <span className={style['under']}>
        <bdi>{row.search.target_domain ?? 'no site is watched'}</bdi>
        {row.name !== row.search.keyword && (
          <>
            {' · '}
            <bdi>{row.name}</bdi>
          </>
        )}
      </span>
    </span>
    <span className={style['place']}>
      {row.value === null ? (
        <span className={tones['soft']}>–</span>
      ) : (
        <>
          <b>{row.value.text}</b>
          <span className={style['under']}>{row.value.field}</span>
        </>
      )}
    </span>
    <span className={style['spark']}>
      <Spark values={row.spark} isRank={row.value?.field === 'rank'} />
    </span>
    <span className={style['last']}>
      <Last row={row} />
    </span>
  </li>
)

/** What changed last; of a search that fails, why. */
function Last({ row }: { readonly row: SearchRow }) {
  const { last_run: last, last_change: change } = row
  if (stateOf(row) === 'failing' && last?.error_code)
    return (
      <>
        <span className={tones['bad']}>{FAULTS[last.error_code]}</span>
        <span className={style['under']}>
          <Ago at={last.at} />
        </span>
      </>
    )
  if (change === null) return <span className={tones['soft']}>no change yet</span>
  return (
    <>
      <Beside before={change.before} after={change.after} />
      <span className={style['under']}>
        <Ago at={change.at} />
      </span>
    </>
  )
}
