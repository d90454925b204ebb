import type { ClaimedNotice } from '../../store/deliveries/notices.ts'
import type { Mail } from '../mail/mailer.ts'
import { cleanText } from '../messages/clean-text.ts'
import { escapeHtml } from '../messages/escape-html.ts'
import { type Links, runUrl } from '../messages/links.ts'

/**
 * Returns the mail to the owner: which monitor, since when, why, and where to look. Its Message-ID is the notice's id.
 */
export function noticeMail(notice: ClaimedNotice, to: string, links: Links): Mail {
  const name = cleanText(notice.name)
  const { id, kind, monitor_id, run_id } = notice
  const { subject, lines } = TOLD[kind](name, notice)
  const run = runUrl(links, { monitor_id, run_id })
  const about = [`The page: ${cleanText(notice.url)}`, ...(run === null ? [] : [`The run:  ${run}`])]
  const end = 'The owner of a team gets this mail. Its settings turn it off: error_notifications.'
  const text = `${[...lines, about.join('\n'), `-- \n${end}`].join('\n\n')}\n`
  return { id, to, subject, text, html: htmlOf(subject, [...lines, ...about, end]) }
}

type Told = (name: string, notice: ClaimedNotice) => { readonly subject: string; readonly lines: readonly string[] }

const TOLD: Readonly<Record<ClaimedNotice['kind'], Told>> = {
  failing: (name, { error_message: reason }) => ({
    subject: `${name} is failing`,
    lines: [
      `The monitor "${name}" has failed five times in a row.`,
      ...(reason === null ? [] : [`The last time: ${cleanText(reason)}`]),
      'It goes on, more and more seldom, at least every 15 minutes or at its interval. You will hear once more, ' +
        'when it works again.',
    ],
  }),
  field_missing: (name) => ({
    subject: `${name} finds nothing`,
    lines: [
      `The monitor "${name}" gets its page, but every field that it extracts is empty. It cannot notice a change.`,
      'Compare its rules with the page as it is now. Where scripts make the page, set fetch_mode to browser.',
      'It goes on as before. You will hear once more, when a field has a value.',
    ],
  }),
  recovered: (name) => ({ subject: `${name} works again`, lines: [`The monitor "${name}" works again.`] }),
}

function htmlOf(title: string, lines: readonly string[]): string {
  const paragraphs = lines.map((line) => `<p style="overflow-wrap:anywhere">${escapeHtml(line)}</p>`)
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body style="font-family:sans-serif;line-height:1.5">
${paragraphs.join('\n')}
</body>
</html>
`
}
