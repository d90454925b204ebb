import { isolate } from '../../core/text/clean-text.ts'
import type { Change } from './change.ts'
import type { EmailStory } from './email-story.ts'
import { escapeHtml } from './escape-html.ts'
import type { ChangedLine } from './story.ts'

const INK = '#1f2937'
const SOFT = '#6b7280'
const LINE = '#e5e7eb'
const TEAL = '#0f766e'
const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const CARD = `width:100%;max-width:560px;margin:0 auto;background:#ffffff;border:1px solid ${LINE};border-radius:8px`
const BUTTON =
  `display:inline-block;padding:10px 18px;border-radius:6px;background:${TEAL};color:#ffffff;` +
  'text-decoration:none;font-weight:600'
const BAR = 'padding-left:10px;border-left:3px solid'
const FOOTER = `max-width:560px;margin:16px auto 0;color:${SOFT};font-size:13px;text-align:center`

/**
 * Returns the HTML part of a mail: one column, styles inside the elements, nothing that is loaded from outside. All
 * text from a monitor or a page goes through `safe`.
 */
export function emailHtml(story: EmailStory, hasPicture = false): string {
  const { name, headline, own, changes, others, notes, lines, page, action, footer } = story
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>${safe(headline)}</title>
</head>
<body style="margin:0;padding:24px 12px;background:#f9fafb;color:${INK};${FONT};font-size:16px;line-height:1.5">
<table role="presentation" align="center" cellpadding="0" cellspacing="0" style="${CARD}">
<tr><td style="padding:24px 28px 8px">
<h1 style="margin:0;font-size:20px;line-height:1.3;overflow-wrap:anywhere">${safe(name)}</h1>
<p style="margin:4px 0 0;color:${SOFT};font-size:14px;overflow-wrap:anywhere">${page === null ? '' : pageHtml(page)}</p>
</td></tr>
${own === null ? '' : row(own.html)}
${changes.map(changeHtml).join('\n')}
${[...notes, ...(others === null ? [] : [`… ${others}.`])].map(noteHtml).join('\n')}
${hasPicture ? row(PICTURE) : ''}
${lines.length === 0 ? '' : row(lines.map(lineHtml).join(''))}
<tr><td style="padding:20px 28px 28px">
${action === null ? '' : `<a href="${safe(action.url)}" style="${BUTTON}">${safe(action.button)}</a>`}
</td></tr>
</table>
<p style="${FOOTER}">${safe(footer)}</p>
</body>
</html>
`
}

const safe = escapeHtml
/** The Content-ID of the picture inside a mail. */
export const PICTURE_ID = 'page@tidemark'
const PICTURE =
  `<img src="cid:${PICTURE_ID}" alt="The page after the change" ` +
  `style="display:block;max-width:100%;height:auto;border:1px solid ${LINE};border-radius:4px">`
const pageHtml = ({ url, text }: NonNullable<EmailStory['page']>) =>
  url === null ? safe(text) : `<a href="${safe(url)}" style="color:${SOFT}">${safe(text)}</a>`
const row = (html: string) => `<tr><td style="padding:12px 28px 0;overflow-wrap:anywhere">${html}</td></tr>`
const noteHtml = (text: string) => row(safe(text))
const label = (text: string) => `<div style="color:${SOFT};font-size:13px">${safe(text)}</div>`

function lineHtml({ kind, text }: ChangedLine): string {
  if (kind === 'remark') return `<div style="color:${SOFT};font-size:13px">${safe(text)}</div>`
  const style = kind === 'added' ? `${BAR} ${TEAL}` : `${BAR} ${LINE};color:${SOFT}`
  return `<div style="margin-top:4px;${style}">${kind === 'added' ? '+' : '−'} ${safe(text)}</div>`
}

function changeHtml({ field, before, after, note, isShort, items }: Change): string {
  const extra = note === null ? '' : ` <span style="color:${SOFT}">(${safe(note)})</span>`
  if (items) {
    const lines = items.lines.map((line) => `<div style="margin-top:4px">${safe(line)}</div>`)
    return row(`<div style="color:${SOFT};font-size:13px">${safe(field)}${extra}</div>${lines.join('')}`)
  }
  const was = `<span style="color:${SOFT}">${safe(isolate(before))}</span>`
  const is = `<strong>${safe(isolate(after))}</strong>`
  if (isShort) return row(`${label(field)}<div>${was} → ${is}${extra}</div>`)
  const longIs = `<div style="margin-top:6px;${BAR} ${TEAL}">${safe(isolate(after))}</div>`
  const longWas = `<div style="margin-top:4px;${BAR} ${LINE};color:${SOFT}">${safe(isolate(before))}</div>`
  return row(`<div style="color:${SOFT};font-size:13px">${safe(field)}${extra}</div>${longWas}${longIs}`)
}
