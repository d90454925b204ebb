import { Link } from 'wouter'
import { COLLECTIONS, FAULTS } from '../api/types.ts'
import { Beside } from '../parts/beside.tsx'
import type { GridCells, GridColumn } from '../parts/grid.tsx'
import { Icon } from '../parts/icon.tsx'
import { Spark } from '../parts/spark.tsx'
import { Ago, every } from '../parts/time.tsx'
import style from './cells.module.css'
import type { Row } from './ordered-rows.ts'
import { State, stateOf } from './state.tsx'
import { WHOLE_PAGE } from './values.ts'

/** The columns of the list. Their ids are classes of the grid. */
export const COLUMNS: readonly GridColumn[] = [
  { id: 'choose', title: '' },
  { id: 'name', title: 'Monitor' },
  { id: 'state', title: 'State' },
  { id: 'value', title: 'Value' },
  { id: 'spark', title: 'Trend' },
  { id: 'change', title: 'Last change' },
  { id: 'next', title: 'Next check' },
  { id: 'labels', title: 'Labels' },
]

export const pathOf = ({ kind, id }: Pick<Row, 'kind' | 'id'>): string => `/${COLLECTIONS[kind]}/${id}`

const OWNERS = { kubernetes: 'Declared in a cluster', file: 'Declared in a file', api: '' } as const

/** Returns the cells of a row, by the ids of the columns. */
export const cellsOf = (row: Row, isChosen: boolean, onChoose: () => void): GridCells => ({
  choose: (
    <input
      type="checkbox"
      className={style['box']}
      tabIndex={-1}
      aria-label={`Select ${row.name}`}
      checked={isChosen}
      onClick={(event) => event.stopPropagation()}
      onChange={onChoose}
    />
  ),
  name: (
    <>
      <Link href={pathOf(row)} tabIndex={-1} className={style['name']}>
        <bdi>{row.name}</bdi>
        {row.unseen && <span className={style['new']}>new</span>}
      </Link>
      <span className={style['under']}>
        {row.managed_by !== 'api' && (
          <span className={style['owner']} title={OWNERS[row.managed_by]}>
            <Icon name="lock" />
          </span>
        )}
        <bdi>{row.target.replace(/^https?:\/\//, '')}</bdi>
      </span>
    </>
  ),
  state: (
    <>
      <State row={row} />
      <Muted mute={row.mute} />
    </>
  ),
  value:
    row.value === null ? (
      <span className={style['none']}>–</span>
    ) : (
      <>
        <bdi className={style['value']}>{row.value.text}</bdi>
        <bdi className={style['under']}>{row.value.field}</bdi>
      </>
    ),
  spark: <Spark values={row.spark} isRank={row.kind === 'serp' && row.value?.field === 'rank'} />,
  change: <LastChange row={row} />,
  next: (
    <>
      {row.next_run_at === null ? <span className={style['none']}>–</span> : <Ago at={row.next_run_at} />}
      <span className={style['under']}>{every(row.schedule_interval_seconds)}</span>
    </>
  ),
  labels: (
    <span className={style['labels']}>
      {Object.entries(row.labels).map(([key, value]) => (
        <bdi key={key} className={style['label']} title={`${key}=${value}`}>
          {value === '' ? key : `${key}=${value}`}
        </bdi>
      ))}
    </span>
  ),
})

/** That nobody is written to, and until when. */
const Muted = ({ mute }: Pick<Row, 'mute'>) =>
  mute !== null && (
    <span className={style['under']}>
      <Icon name="muted" />
      {mute.until === null ? (
        'Muted'
      ) : (
        <>
          Muted, ends <Ago at={mute.until} />
        </>
      )}
    </span>
  )

/** What changed last; of a monitor that fails, why. */
function LastChange({ row: { last_change: change, last_run: last, ...row } }: { readonly row: Row }) {
  if (stateOf({ ...row, last_change: change, last_run: last }) === 'failing' && last?.error_code)
    return (
      <>
        <span className={style['fault']}>{FAULTS[last.error_code]}</span>
        <span className={style['under']}>
          <Ago at={last.at} />
        </span>
      </>
    )
  if (change === null) return <span className={style['none']}>no change yet</span>
  return (
    <>
      <span className={style['change']}>
        <Found change={change} />
      </span>
      <span className={style['under']}>
        <Ago at={change.at} />
        {change.more > 0 && ` · ${change.more} more`}
      </span>
    </>
  )
}

function Found({ change: { field, before, after } }: { readonly change: NonNullable<Row['last_change']> }) {
  if (field === '') return 'the picture'
  return field === WHOLE_PAGE ? (
    'the text of the page'
  ) : (
    <span className={style['pair']}>
      <Beside before={before} after={after} />
    </span>
  )
}
