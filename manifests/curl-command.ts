import { printableDocument } from '../core/printable.ts'
import { oneLine } from './one-line.ts'

interface Request {
  /** The path of the route, as in `/v1/monitors`. */
  readonly path: string
  readonly body: object
  readonly secrets: readonly { readonly key: string; readonly what: string }[]
}

/**
 * Returns a command for a shell that makes a monitor. The server and the key come from the variables of the command
 * line. The body is between lines that the shell reads as they are, and no line of JSON equals the last of these.
 */
export function curlCommand({ path, body, secrets }: Request): string {
  const json = printableDocument(JSON.stringify(body, null, 2))
  return [
    ...(secrets.length === 0 ? [] : ['# Values that may be secret are not shown. Write them in place of:']),
    ...secrets.map(({ key, what }) => `#   ${key}: ${oneLine(what)}`),
    `curl -sS "$TIDEMARK_URL${path}" -H "Authorization: Bearer $TIDEMARK_API_KEY" \\`,
    "  -H 'Content-Type: application/json' --data-binary @- <<'JSON'",
    json,
    'JSON',
    '',
  ].join('\n')
}
