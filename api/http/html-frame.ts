import { createHash } from 'node:crypto'
import { escapeHtml } from '../../deliveries/messages/escape-html.ts'

/** Returns what a content security policy allows one style sheet by, which stands in a page. */
export const styleSource = (style: string): string =>
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`

/** Returns a whole document. `title` is plain text; `head` and `body` are HTML. */
export const htmlFrame = (title: string, head: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Tidemark</title>
${head}
</head>
<body>
${body}
</body>
</html>
`
