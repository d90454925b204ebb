import type { Kind } from '../checks/bare-loop.ts'
import type { Spread } from './stats.ts'

export const SHORT_NAMES: Readonly<Record<Kind, string>> = {
  unchanged: 'unchanged pages',
  etag: 'pages answered 304',
  changed: 'pages that change each time',
  large: 'large pages that change each time',
}

/** Returns a table in the layout that the formatter gives it. */
export function grid(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[], fill: string): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, fill)).join(' | ')} |`
  return [line(head, ' '), line([], '-'), ...rows.map((row) => line(row, ' '))].join('\n')
}

export const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
const percent = (value: number): string => `${Math.round(value * 100)} %`
export const megabytes = (bytes: number): string => whole(bytes / 1_000_000)
export const kilobytes = (bytes: number): string => whole(bytes / 1_024)
export const share = ({ median, min, max }: Spread): string =>
  `**${percent(median)}** (${percent(min)}–${percent(max)})`
export const tenths = (value: number): string => value.toFixed(1)
export const spread = ({ median, min, max }: Spread, format = whole): string =>
  `${format(median)} (${format(min)}–${format(max)})`
