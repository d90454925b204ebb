const WIDTH = 96
const HEIGHT = 22
const PAD = 3

interface SparkProps {
  readonly values: readonly number[]
  /** The first place is at the top. */
  readonly isRank?: boolean
}

/** The last numbers of a field as a line, for the eye only: the value and the last change are beside it in words. */
export function Spark({ values, isRank = false }: SparkProps) {
  const numbers = values.filter(Number.isFinite)
  if (numbers.length < 2) return null
  const least = Math.min(...numbers)
  // A range that has no end is drawn flat.
  const range = Math.max(...numbers) - least
  const points = numbers.map((value, nth) => {
    const x = PAD + (nth / (numbers.length - 1)) * (WIDTH - 2 * PAD)
    const share = range > 0 && Number.isFinite(range) ? (value - least) / range : 0.5
    const height = isRank ? 1 - share : share
    return [x, HEIGHT - PAD - height * (HEIGHT - 2 * PAD)] as const
  })
  const path = points.map(([x, y], nth) => `${nth === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
  const [x, y] = points.at(-1) ?? [0, 0]
  return (
    <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={path} fill="none" stroke="var(--soft)" strokeWidth="1.3" strokeLinejoin="round" />
      <circle cx={x} cy={y} r="2.2" fill="var(--accent)" />
    </svg>
  )
}
