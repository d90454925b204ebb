import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')

/**
 * Whether a request is signed by this secret as AWS Signature Version 4 says, and its body is the one that was signed:
 * written from the standard, for the test server checks no such signature.
 */
export function isSigned(request: IncomingMessage, body: Buffer, secret: string): boolean {
  const authorization = /^AWS4-HMAC-SHA256 Credential=[^/]+\/(.+), SignedHeaders=(.+), Signature=(\w+)$/
  const [, scope = '', names = '', signature] = authorization.exec(request.headers.authorization ?? '') ?? []
  const [date = '', region = '', service = ''] = scope.split('/')
  const payload = String(request.headers['x-amz-content-sha256'])
  const url = new URL(request.url ?? '', 'http://x')
  const query = [...url.searchParams].map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
  const headers = names.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`)
  const canonical = [request.method, url.pathname, query.sort().join('&'), headers.join(''), names, payload].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = ['aws4_request'].reduce(hmac, hmac(hmac(hmac(`AWS4${secret}`, date), region), service))
  return (
    payload === sha256(body) && names.split(';').includes('host') && hmac(key, toSign).toString('hex') === signature
  )
}
