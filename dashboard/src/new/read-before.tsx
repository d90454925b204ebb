import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ask } from '../api/client.ts'
import type { Run, RunImages } from '../api/types.ts'
import { shownValue } from '../monitors/values.ts'
import { Ago } from '../parts/time.tsx'
import { Folded } from './form/folded.tsx'
import style from './new.module.css'
import own from './read-before.module.css'

interface ReadBeforeProps {
  /** Of the monitor, in the API and in the dashboard. */
  readonly path: string
  readonly home: string
  /** The names of the values. */
  readonly fields: readonly string[]
  readonly hasPictures: boolean
  /** A person comes from what failed. */
  readonly isOpen: boolean
}

/** The last runs that are looked at for a value. */
const RUNS = 50
const CHARS = 200

/** What each rule read last, and the picture of then: to point again after the page has changed. */
export function ReadBefore({ path, home, fields, hasPictures, isOpen }: ReadBeforeProps) {
  const { data } = useQuery({
    queryKey: ['read before', path],
    queryFn: ({ signal }) =>
      ask<{ readonly data: readonly Run[] }>(`${path}/runs?status=success&limit=${RUNS}`, { signal }),
  })
  const found = fields.map((field) => ({ field, run: data?.data.find(({ extracted }) => hasValue(extracted[field])) }))
  const last = found.find(({ run }) => run !== undefined)?.run
  if (fields.length === 0 || data === undefined || data.data.length === 0) return null
  return (
    <Folded summary="What was read before" isSet={isOpen}>
      <ul className={own['values']}>
        {found.map(({ field, run }) => (
          <li key={field}>
            <b>
              <bdi>{field}</bdi>
            </b>
            {run === undefined ? (
              <span className={style['soft']}>no value in the last {data.data.length} runs</span>
            ) : (
              <>
                <bdi>{shownValue(run.extracted[field], CHARS)}</bdi>
                <Link href={`${home}/runs/${encodeURIComponent(run.id)}`} className={style['soft']}>
                  <Ago at={run.started_at} />
                </Link>
              </>
            )}
          </li>
        ))}
      </ul>
      {hasPictures && last !== undefined && <PictureBefore run={last.id} />}
    </Folded>
  )
}

const hasValue = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)

function PictureBefore({ run }: { readonly run: string }) {
  const path = `/v1/run-images/${encodeURIComponent(run)}`
  const { data } = useQuery({
    queryKey: ['pictures', path],
    queryFn: ({ signal }) => ask<RunImages>(path, { signal }),
  })
  const address = data?.regions[0]?.afterUrl
  return address === undefined ? null : <img className={own['picture']} src={address} alt="The page as it was then" />
}
