import { Link } from 'wouter'
import type { Series } from '../api/types.ts'
import { minuteFormat } from '../parts/formats.ts'
import plotted from './plot-part.module.css'
import { inWords } from './series-view.ts'

interface NumbersTableProps {
  readonly series: Series
  /** The address of the monitor. */
  readonly home: string
}

/** The numbers of a plot as a table. */
export const NumbersTable = ({ series: { field, points }, home }: NumbersTableProps) => (
  <details className={plotted['numbers']}>
    <summary>The numbers as a table</summary>
    <div className={plotted['scroll']} role="region" aria-label="Numbers">
      <table className={plotted['table']}>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">
              <bdi>{field}</bdi>
            </th>
            <th scope="col">Run</th>
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map(({ at, value, min, max, run_id: run }) => (
            <tr key={`${at} ${run}`}>
              <td>{minuteFormat.format(Date.parse(at))}</td>
              <td>
                {inWords(field, value)}
                {min !== max && ` (${inWords(field, min)} to ${inWords(field, max)})`}
              </td>
              <td>{run === null ? 'before' : <Link href={`${home}/runs/${run}`}>Open</Link>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
)
