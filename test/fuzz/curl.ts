import type { Sent } from './client.ts'

const MAX_BYTES = 100_000
const SECRET = new Set(['authorization', 'cookie'])

/** A request as a line for a shell. Credentials stand as a variable that is named after whose they are. */
export function curlLine(origin: string, { method, target, headers, body }: Sent, who: string): string {
  const secret = `$${who.toUpperCase().replaceAll(/\W/g, '_')}`
  const parts = ['curl -sS -i --path-as-is -X', method, quote(origin + target)]
  for (const [name, value] of Object.entries(headers)) {
    const shown =
      SECRET.has(name) && who !== 'garbage' ? (value.startsWith('Bearer ') ? `Bearer ${secret}` : `${secret}`) : null
    parts.push('-H', shown === null ? quote(`${name}: ${value}`) : `"${name}: ${shown}"`)
  }
  if (body === null) return parts.join(' ')
  if (body.length > MAX_BYTES)
    return `${parts.join(' ')} --data-binary '…' # ${body.length} bytes: ${body.toString().slice(0, 200)}…`
  const text = body.toString()
  const isPlain = Buffer.from(text).equals(body) && !/[\0-\x1f]/.test(text)
  if (isPlain) return `${parts.join(' ')} --data-binary ${quote(text)}`
  return `base64 -d <<<${body.toString('base64')} | ${parts.join(' ')} --data-binary @-`
}

const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
