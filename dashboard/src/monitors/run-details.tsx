import { useQuery } from '@tanstack/react-query'
import { ApiFault, ask } from '../api/client.ts'
import type { Run, RunDiff } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { Ago } from '../parts/time.tsx'
import style from './monitor-page.module.css'
import { changesOf, hasLongTexts, shownValue } from './values.ts'

/** What is longer is cut: a value may be one line of a megabyte. */
const SHOWN = 4_000

/** A run: its fields before and after, and the words that differ. */
export function RunDetails({ id }: { readonly id: string }) {
  const path = `/v1/runs/${encodeURIComponent(id)}`
  const { data: run, error } = useQuery({
    queryKey: ['run', path],
    queryFn: ({ signal }) => ask<Run>(path, { signal }),
  })
  if (error) return <Notice error={error} />
  if (!run) return <p role="status">Loading…</p>
  const changes = changesOf(run)
  return (
    <section aria-label="Run">
      <h2 className={style['part']}>
        Run, <Ago at={run.completed_at ?? run.started_at} />
      </h2>
      <p className={style['facts']}>
        <b className={run.status === 'error' ? style['bad'] : undefined}>{run.status}</b>
        {run.fetch_method !== null && <span>{run.fetch_method}</span>}
        <span>{run.duration_ms} ms</span>
        {run.fired === true && <span>fired</span>}
        <span>{run.delivery_triggered ? 'messages were made' : 'no message was made'}</span>
      </p>
      {run.error_message !== null && <p className={style['fault']}>{run.error_message}</p>}
      {changes.length > 0 ? <Changes run={run} path={path} /> : <Values values={run.extracted} />}
    </section>
  )
}

function Changes({ run, path }: { readonly run: Run; readonly path: string }) {
  const { data } = useQuery({
    queryKey: ['difference', path],
    enabled: hasLongTexts(run),
    queryFn: ({ signal }) =>
      ask<RunDiff>(`${path}/diff`, { signal }).catch((error: unknown) => {
        // The text of a page is kept for a while only.
        if (error instanceof ApiFault && error.status === 404) return null
        throw error
      }),
  })
  return (
    <>
      <table className={style['table']}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {changesOf(run).map(({ field, before, after }) => (
            <tr key={field}>
              <th scope="row">
                <bdi>{field}</bdi>
              </th>
              <td>{before === undefined ? 'new' : <bdi>{shownValue(before, SHOWN)}</bdi>}</td>
              <td>{after === undefined ? 'gone' : <bdi>{shownValue(after, SHOWN)}</bdi>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {data?.fields.map((field) => (
        <Words key={`${field.field} ${field.of}`} field={field} />
      ))}
    </>
  )
}

/** The text of a field, with what was removed and added in it. */
const Words = ({ field: { field, words } }: { readonly field: RunDiff['fields'][number] }) => (
  <section aria-label={`Words of ${field}`}>
    <h3 className={style['part']}>
      <bdi>{field}</bdi>, by words
    </h3>
    {words.map(({ before_line: line, parts }) => (
      <p key={line} className={style['words']}>
        {parts.map(({ kind, text }, nth) => {
          const shown = shownValue(text, SHOWN)
          if (kind === 'removed') return <del key={nth}>{shown}</del>
          return kind === 'added' ? <ins key={nth}>{shown}</ins> : <span key={nth}>{shown}</span>
        })}
      </p>
    ))}
  </section>
)

const Values = ({ values }: { readonly values: Run['extracted'] }) => (
  <table className={style['table']}>
    <tbody>
      {Object.entries(values).map(([field, value]) => (
        <tr key={field}>
          <th scope="row">
            <bdi>{field}</bdi>
          </th>
          <td>
            <bdi>{shownValue(value, SHOWN)}</bdi>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
