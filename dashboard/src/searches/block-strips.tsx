import { Link } from 'wouter'
import type { Series } from '../api/types.ts'
import { minuteFormat } from '../parts/formats.ts'
import style from './block-strips.module.css'

type Blocks = NonNullable<Series['blocks']>
export const BLOCK_NAMES = {
  ai_overview: 'AI overview',
  featured_snippet: 'Featured snippet',
} as const satisfies Readonly<Record<Blocks[number]['block'], string>>
const BLOCKS = Object.keys(BLOCK_NAMES) as (keyof typeof BLOCK_NAMES)[]

/** So many stretches are told in words. */
const TOLD = 20

interface BlockStripsProps {
  readonly series: Pick<Series, 'blocks' | 'from' | 'to'>
  /** The address of the monitor. */
  readonly home: string
}

/** When an engine showed something beside its results. Nothing, where its pages do not tell. */
export const BlockStrips = ({ series: { blocks = [], from, to }, home }: BlockStripsProps) =>
  blocks.length > 0 && (
    <div className={style['strips']}>
      {BLOCKS.map((block) => (
        <Strip
          key={block}
          name={BLOCK_NAMES[block]}
          stretches={blocks.filter((stretch) => stretch.block === block)}
          time={[Date.parse(from), Date.parse(to)]}
          home={home}
        />
      ))}
    </div>
  )

interface StripProps {
  readonly name: string
  readonly stretches: Blocks
  readonly time: readonly [number, number]
  readonly home: string
}

function Strip({ name, stretches, time: [from, to], home }: StripProps) {
  const shown = stretches.filter(({ is_shown: isShown }) => isShown)
  const last = stretches.at(-1)
  const x = (at: string | null) =>
    (Math.max(0, (at === null ? to : Date.parse(at)) - from) / Math.max(1, to - from)) * 100
  if (last === undefined)
    return (
      <p className={style['strip']}>
        <span>{name}</span> <span className={style['soft']}>not known: the pages of this engine do not tell</span>
      </p>
    )
  return (
    <details className={style['strip']}>
      <summary>
        <span>{name}</span>
        <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
          {stretches.map((stretch) => (
            <rect
              key={stretch.from}
              className={stretch.is_shown ? style['shown'] : style['none']}
              x={x(stretch.from)}
              y={stretch.is_shown ? 0 : 4}
              width={Math.max(0.4, x(stretch.to) - x(stretch.from))}
              height={stretch.is_shown ? 10 : 2}
            />
          ))}
        </svg>
        <span className={style['soft']}>
          {last.is_shown && last.to === null ? 'shown now' : shown.length > 0 ? 'was shown' : 'not shown'}
        </span>
      </summary>
      <ul>
        {stretches
          .toReversed()
          .slice(0, TOLD)
          .map(({ from: begin, to: end, is_shown: isShown, run_id: run }) => (
            <li key={begin}>
              {isShown ? 'Shown' : 'Not shown'} from{' '}
              <Link href={`${home}/runs/${run}`}>{minuteFormat.format(Date.parse(begin))}</Link>
              {end === null ? ' until now' : ` until ${minuteFormat.format(Date.parse(end))}`}
            </li>
          ))}
      </ul>
    </details>
  )
}
