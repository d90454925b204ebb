import { type PublicMonitor, publicMonitor, seen } from '../../core/status/public-monitor.ts'
import { agoWords, dateWords } from '../../core/status/time-words.ts'
import { escapeHtml as safe } from '../../deliveries/messages/escape-html.ts'
import { PUBLIC_STATES, type PublicState } from '../../schema/status/public-state.ts'
import { MAX_SHOWN_MONITORS } from '../../schema/status/status-page.ts'
import type { FoundStatusPage } from '../../store/status/public-pages.ts'
import { htmlFrame, styleSource } from '../http/html-frame.ts'
import { feedAddress } from './status-address.ts'

const STYLE = `
:root{color-scheme:light dark;--ink:#1f2937;--soft:#5b6472;--line:#d8dde3;--card:#fff;--ground:#f3f4f6;--link:#0f766e}
:root{--good:#15803d;--new:#1d4ed8;--bad:#b91c1c}
@media(prefers-color-scheme:dark){
:root{--ink:#e5e7eb;--soft:#9ca3af;--line:#374151;--card:#1f2937;--ground:#111827;--link:#5eead4}
:root{--good:#4ade80;--new:#93c5fd;--bad:#fca5a5}}
*{box-sizing:border-box}
body{margin:0;padding:32px 16px;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main,header,footer{max-width:760px;margin:0 auto;overflow-wrap:anywhere}
h1{margin:0;font-size:28px;line-height:1.25}
header p{margin:6px 0 0}
p{margin:0}
a{color:var(--link)}
ul{margin:20px 0 0;padding:0;list-style:none;background:var(--card);border:1px solid var(--line);border-radius:10px}
li{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:2px 20px;padding:14px 18px}
li+li{border-top:1px solid var(--line)}
h2{margin:0;font-size:16px;font-weight:600}
.state{display:flex;align-items:center;gap:8px;font-weight:600;white-space:nowrap}
.state::before{content:"";width:10px;height:10px;border-radius:50%;background:currentColor}
.up_to_date{color:var(--good)}.changed{color:var(--new)}.not_readable,.overdue{color:var(--bad)}
.paused,.waiting,.soft,footer{color:var(--soft)}
.soft,footer{font-size:14px}
.value{grid-column:1/-1}
.value span{color:var(--soft)}
.change{grid-column:1/-1}
.empty{margin-top:20px;padding:18px;background:var(--card);border:1px solid var(--line);border-radius:10px}
.preview{margin-bottom:24px;padding:10px 14px;border:1px dashed var(--soft);border-radius:8px}
footer{display:flex;flex-wrap:wrap;gap:4px 20px;margin-top:20px}
footer p:last-child{margin-left:auto}
@media(max-width:480px){body{padding:20px 12px}li{grid-template-columns:minmax(0,1fr);padding:12px 14px}}
`.trim()

/** Nothing is loaded, nothing runs, and nothing is asked: the one style is named by its hash. */
export const STATUS_HEADERS = {
  'content-security-policy':
    `default-src 'none'; ${styleSource(STYLE)}; ` + "form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  // The address may be one that nobody should guess.
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
} as const

/** Returns the document of a public status page. */
export const statusHtml = (page: FoundStatusPage): string => html(page, '')

/** Returns the same document for the team, with what is different now. */
export function previewHtml(page: FoundStatusPage): string {
  const who = page.published ? 'The page is published.' : 'Only your team sees it: the page is not published.'
  return html(page, `<p class="preview" role="note">This is a preview. ${who}</p>\n`)
}

function html(page: FoundStatusPage, above: string): string {
  const nowMs = Date.parse(page.at)
  const monitors = page.monitors.map((one) => publicMonitor(one, nowMs))
  const title = seen(page.title)
  const robots = page.indexed ? '' : '<meta name="robots" content="noindex">\n'
  const feed = `<link rel="alternate" type="application/rss+xml" title="Changes" href="${feedAddress(page.slug)}">\n`
  return htmlFrame(
    title,
    `${robots}${feed}<style>${STYLE}</style>`,
    `<header>
${above}<h1><bdi>${safe(title)}</bdi></h1>
<p>${summaryOf(monitors)}</p>
</header>
<main>
${listOf(monitors, nowMs)}
${page.hasMore ? `<p class="soft">Only the first ${MAX_SHOWN_MONITORS} are shown.</p>` : ''}
</main>
<footer>
<p>As of ${timeOf(nowMs, dateWords(nowMs))}</p>
<p><a href="${feedAddress(page.slug)}">Changes as RSS</a></p>
<p>Tidemark</p>
</footer>`,
  )
}

const listOf = (monitors: readonly PublicMonitor[], nowMs: number): string =>
  monitors.length === 0
    ? '<p class="empty">Nothing is shown here yet.</p>'
    : `<ul>\n${monitors.map((one) => monitorHtml(one, nowMs)).join('\n')}\n</ul>`

const ORDER = Object.keys(PUBLIC_STATES) as readonly PublicState[]

/** Returns how many monitors are in which state, in a sentence. */
function summaryOf(monitors: readonly PublicMonitor[]): string {
  const counts = ORDER.map((state) => ({ state, count: monitors.filter((one) => one.state === state).length }))
  const present = counts.filter(({ count }) => count > 0)
  const [only] = present
  if (only && present.length === 1 && only.count > 1)
    return `All ${only.count}: ${PUBLIC_STATES[only.state].words.toLowerCase()}`
  return present.map(({ state, count }) => `${count} ${PUBLIC_STATES[state].words.toLowerCase()}`).join(' · ')
}

function monitorHtml({ name, state, value, change, checkedMs }: PublicMonitor, nowMs: number): string {
  const shown = value
    ? `\n<p class="value"><span><bdi>${safe(value.field)}</bdi>:</span> <bdi>${safe(value.text)}</bdi></p>`
    : ''
  const changed = change ? changeHtml(change, nowMs) : 'No change so far'
  return `<li><h2><bdi>${safe(name)}</bdi></h2>
<p class="state ${state}">${PUBLIC_STATES[state].words}</p>${shown}
<p class="change soft">${changed}</p>${checkedHtml(checkedMs, nowMs, state)}</li>`
}

/** A state is as old as the last check: of a team without runs it can be some days old. */
function checkedHtml(atMs: number | null, nowMs: number, state: PublicState): string {
  if (atMs === null) return ''
  const words =
    state === 'overdue'
      ? `Not checked since ${timeOf(atMs, dateWords(atMs))}`
      : `Checked ${timeOf(atMs, agoWords(atMs, nowMs))}`
  return `\n<p class="change soft">${words}</p>`
}

const changeHtml = ({ atMs, words }: NonNullable<PublicMonitor['change']>, nowMs: number): string =>
  `<bdi>${safe(words)}</bdi> · ${timeOf(atMs, `${agoWords(atMs, nowMs)}, ${dateWords(atMs)}`)}`

/** Of an instant up to its minutes: so a page on which nothing happens is the same for a minute. */
const MINUTES = '2026-05-24T14:03'.length

const timeOf = (atMs: number, words: string): string =>
  `<time datetime="${new Date(atMs).toISOString().slice(0, MINUTES)}Z">${words}</time>`
