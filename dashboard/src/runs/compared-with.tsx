import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import type { Run } from '../api/types.ts'
import { changesOf, shownValue, WHOLE_PAGE } from '../monitors/values.ts'
import controls from '../style/controls.module.css'
import { monitorPath, type RunAddress } from './use-run.ts'

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
/** So many changed runs are offered. */
const OFFERED = 50
const SHOWN = 30

interface ComparedWithProps {
  readonly address: RunAddress
  readonly value: string
  onChoose(value: string): void
}

/** What a run is compared with: the run before, what the reader last saw, or one of the runs that changed. */
export function ComparedWith({ address, value, onChoose }: ComparedWithProps) {
  const path = `${monitorPath(address)}/runs?changed=true&limit=${OFFERED}`
  const { data } = useQuery({
    queryKey: ['runs', path],
    queryFn: ({ signal }) => ask<{ readonly data: readonly Run[] }>(path, { signal }),
  })
  const others = (data?.data ?? []).filter(({ id }) => id !== address.run)
  const isListed = value === '' || value === 'seen' || others.some(({ id }) => id === value)
  return (
    <label>
      Compared with
      <select className={controls['select']} value={value} onChange={(event) => onChoose(event.target.value)}>
        <option value="">the run before</option>
        <option value="seen">what I last saw</option>
        {!isListed && <option value={value}>the run of the link</option>}
        <optgroup label="Runs that changed">
          {others.map((run) => (
            <option key={run.id} value={run.id}>
              {`${time.format(Date.parse(run.started_at))} ${gistOf(run)}`}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  )
}

/** Returns the first change of a run in a few words. */
function gistOf(run: Run): string {
  const [first] = changesOf(run)
  if (first === undefined || first.field === WHOLE_PAGE) return ''
  // An option has no elements. These two keep marks of another direction to themselves.
  return `\u{2068}(${shownValue(first.field, SHOWN)}: ${shownValue(first.after, SHOWN)})\u{2069}`
}
