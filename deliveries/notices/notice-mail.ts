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
  const subject = kind === 'failing' ? `${name} is failing` : `${name} works again`
  const lines = kind === 'failing' ? failing(notice) : [`The monitor "${name}" works again.`]
  const run = runUrl(links, { monitor_id, run_id })
  const about = [`The page: ${cleanText(notice.url)}`, ...(run === null ? [] : [`The run:  ${run}`])]
  const end = 'The owner of a team gets this mail. Its settings turn it off: error_notifications.'
  const text = `${[...lines, about.join('\n'), `-- \n${end}`].join('\n\n')}\n`
  return { id, to, subject, text, html: htmlOf(subject, [...lines, ...about, end]) }
}

function failing({ name, error_message: reason }: ClaimedNotice): string[] {
  return [
    `The monitor "${cleanText(name)}" has failed five times in a row.`,
    ...(reason === null ? [] : [`The last time: ${cleanText(reason)}`]),
    'It goes on, more and more seldom, at least every 15 minutes or at its interval. You will hear once more, ' +
      'when it works again.',
  ]
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
