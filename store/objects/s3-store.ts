import { AwsV4Signer } from 'aws4fetch'
import { createHash } from 'node:crypto'
import { Agent, request } from 'undici'
import { retryWhile } from '../../concurrency/loops/retry.ts'
import { checkedName, type ObjectStore, ObjectStoreError } from './object-store.ts'

/** A bucket of an S3-compatible service, with its credentials. */
export interface S3Options {
  /** Scheme, host and port; buckets are named in the path. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  /** Time limit of one try, in milliseconds. Default 15,000. */
  readonly timeoutMs?: number
}

interface Wanted {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  readonly name: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

interface Answered {
  readonly status: number
  readonly bytes: Uint8Array
}

/** A service that does not answer, or answers 429 or a 5xx status, is asked again for this long. */
const PATIENCE_MS = 1_000

/** The service is away or has no time. */
class BusyError extends ObjectStoreError {}

/** Returns a store of objects in a bucket. Its endpoint comes from the settings, so it may be at a private address. */
export function createS3Store(options: S3Options): ObjectStore {
  const { endpoint, bucket, timeoutMs = 15_000 } = options
  const agent = new Agent({ connections: 16, connect: { timeout: 5_000 } })

  async function once({ method, name, query = {}, body }: Wanted): Promise<Answered> {
    const url = new URL(`${endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucket)}/${name}`)
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
    const { headers } = await new AwsV4Signer({
      ...credentials(options),
      method,
      url: url.href,
      headers: {
        'x-amz-content-sha256': createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
        ...(body && { 'content-type': 'image/png' }),
      },
    }).sign()
    const answer = await request(url, {
      method,
      headers: Object.fromEntries(headers),
      body: body ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : null,
      dispatcher: agent,
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: answer.statusCode, bytes: new Uint8Array(await answer.body.arrayBuffer()) }
  }

  /** Returns a response with one of the statuses. Throws for any other. */
  const ask = (wanted: Wanted, statuses: readonly number[]): Promise<Answered> =>
    retryWhile(
      async () => {
        const answer = await once(wanted).catch((cause: unknown) => {
          throw new BusyError(whatOf(wanted), { cause })
        })
        if (statuses.includes(answer.status)) return answer
        throw refusal(wanted, answer)
      },
      { patienceMs: PATIENCE_MS, isRetryable: (error) => error instanceof BusyError, onRetry: () => {} },
    )

  return {
    put: async (name, bytes) => void (await ask({ method: 'PUT', name: checkedName(name), body: bytes }, [200])),
    async get(name) {
      const { status, bytes } = await ask({ method: 'GET', name: checkedName(name) }, [200, 404])
      if (status === 404 && textOf(bytes).includes('NoSuchBucket'))
        throw new ObjectStoreError(`there is no bucket ${bucket}`)
      return status === 404 ? null : bytes
    },
    remove: async (name) => void (await ask({ method: 'DELETE', name: checkedName(name) }, [200, 204, 404])),
    async *names() {
      for (let token = ''; ;) {
        const query = { 'list-type': '2', ...(token && { 'continuation-token': token }) }
        const page = textOf((await ask({ method: 'GET', name: '', query }, [200])).bytes)
        for (const [, key = ''] of page.matchAll(/<Key>([^<]*)<\/Key>/g)) yield unescaped(key)
        token = unescaped(/<NextContinuationToken>([^<]*)</.exec(page)?.[1] ?? '')
        if (token === '') return
      }
    },
    close: () => agent.destroy(),
  }
}

function credentials({ accessKeyId, secretAccessKey, sessionToken, region }: S3Options) {
  return { accessKeyId, secretAccessKey, region, service: 's3', ...(sessionToken && { sessionToken }) }
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')
const unescaped = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

const whatOf = ({ method, name }: Wanted) =>
  `the object store did not ${VERBS[method]} ${name === '' ? 'its bucket' : name}`

function refusal(wanted: Wanted, { status, bytes }: Answered): ObjectStoreError {
  const code = /<Code>([\w.]{1,60})<\/Code>/.exec(textOf(bytes))?.[1]
  const Fault = status >= 500 || status === 429 ? BusyError : ObjectStoreError
  return new Fault(`${whatOf(wanted)}: ${status}${code === undefined ? '' : ` ${code}`}`)
}

const VERBS = { GET: 'give', PUT: 'take', DELETE: 'delete' } as const
