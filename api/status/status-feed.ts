import { createHmac } from 'node:crypto'
import { runIdTime } from '../../core/run-id.ts'
import { runChangeWords, seen } from '../../core/status/public-monitor.ts'
import { escapeHtml } from '../../deliveries/messages/escape-html.ts'
import type { FoundStatusPage, PublicChange } from '../../store/status/public-pages.ts'
import { feedAddress, statusAddress } from './status-address.ts'

/**
 * Returns the changes of a status page as RSS 2.0, the newest first. Programs that read feeds take the texts for HTML
 * or for plain text, so no text has a mark that begins a tag in either.
 */
export function statusFeed(page: FoundStatusPage, changes: readonly PublicChange[], baseUrl: string): string {
  const link = escapeHtml(baseUrl + statusAddress(page.slug))
  const shown = new Map(page.monitors.map((one) => [one.no, one]))
  const items = changes.flatMap((change) => {
    const monitor = shown.get(change.no)
    if (!monitor) return []
    const words = runChangeWords(change.change, monitor.show_value && change.run_id >= monitor.values_floor)
    const at = runIdTime(change.run_id) + change.start_offset_ms + change.duration_ms
    return [{ title: monitor.name, words, date: new Date(at).toUTCString(), guid: guidOf(page.id, change.run_id) }]
  })
  const xml = items.map(
    ({ title, words, date, guid }) => `<item>
<title>${plain(title)}</title>
<description>${plain(words)}</description>
<link>${link}</link>
<guid isPermaLink="false">${guid}</guid>
<pubDate>${date}</pubDate>
</item>`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${plain(page.title)}</title>
<link>${link}</link>
<description>${plain(`Changes of ${page.title}`)}</description>
<atom:link href="${escapeHtml(baseUrl + feedAddress(page.slug))}" rel="self" type="application/rss+xml"/>
<ttl>15</ttl>
${xml.join('\n')}
</channel>
</rss>
`
}

/** Marks that look like those of a tag, and begin none. */
const LOOKALIKE: Readonly<Record<string, string>> = { '<': '‹', '>': '›' }

/** Returns text for an element of XML. Read as HTML after that, it has no tag either. */
const plain = (text: string): string =>
  escapeHtml(seen(text).replaceAll(/[<>]/g, (mark) => LOOKALIKE[mark] ?? mark)).replaceAll(/\ufffe|\uffff/g, '')

/** Returns what tells a change from others. It says nothing of the run or the monitor. */
const guidOf = (pageId: string, runId: string): string =>
  createHmac('sha256', pageId).update(runId).digest('base64url').slice(0, 27)
