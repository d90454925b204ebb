import type { Changes } from '../api/types.ts'

type ListedChange = Changes['data'][number]

/** Characters that mean something in Markdown. */
const MEANING = /[\\`*_{}[\]()#+!|<>~&-]/g
const LONGEST = 300

/** Returns a text that Markdown shows as it is, in one line: values of pages are nobody's markup. */
function plain(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  const cut = line.length <= LONGEST ? line : `${line.slice(0, LONGEST).toWellFormed()}…`
  return cut.replaceAll(MEANING, String.raw`\$&`)
}

const valueOf = (value: string | null): string => (value === null ? '…' : plain(value))
const percentOf = (percent: number | null): string =>
  percent === null ? '' : ` (${percent > 0 ? '+' : ''}${Math.round(percent * 10) / 10} %)`

/** Returns a change as Markdown: a line with a link to its run, and a table of the first fields that differ. */
export function changeMarkdown({ monitor, at, fields, more, visual_change_pct: pictured }: ListedChange, link: string) {
  const rows = fields.map(
    ({ field, before, after, percent }) =>
      `| ${plain(field)} | ${valueOf(before)} | ${valueOf(after)}${percentOf(percent)} |`,
  )
  const table = rows.length === 0 ? [] : ['', '| Field | Before | After |', '| --- | --- | --- |', ...rows]
  return [
    `**[${plain(monitor.name)}](<${link}>)** changed at ${at.slice(0, 16).replace('T', ' ')} UTC`,
    ...table,
    ...(pictured === null ? [] : ['', `${Math.round(pictured * 10) / 10} % of the picture changed.`]),
    ...(more === 0 ? [] : ['', `${more} more ${more === 1 ? 'field' : 'fields'} changed.`]),
    '',
  ].join('\n')
}
