import { amountOf, type Gauge, shareOf } from './gauges.ts'
import style from './usage.module.css'

/** From this part on it is nearly used up. */
const NEARLY = 0.8

/** How much of something is used, as a bar and in words. */
export function GaugeRow({ gauge }: { readonly gauge: Gauge }) {
  const { name, used, limit, unit, stops } = gauge
  const share = shareOf(gauge)
  const look = share === null || share < NEARLY ? 'calm' : share < 1 ? 'nearly' : 'full'
  const words =
    limit === null ? `${amountOf(used, unit)}, without a limit` : `${amountOf(used, unit)} of ${amountOf(limit, unit)}`
  return (
    <li className={style['gauge']}>
      <span className={style['name']}>{name}</span>
      <span className={style['words']}>{words}</span>
      {share !== null && (
        <span
          role="meter"
          aria-label={name}
          aria-valuenow={Math.round(share * 100)}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuetext={words}
          className={style['bar']}
        >
          <span className={style[look]} style={{ width: `${share * 100}%` }} />
        </span>
      )}
      {share !== null && <span className={style['stops']}>{limit === 0 ? 'The plan has none.' : stops}</span>}
    </li>
  )
}
