import { createServer, type Server } from 'node:http'
import { createLogger } from '../../core/logger.ts'
import { TEMPLATES } from '../../core/templates/templates.ts'
import { createPolicy } from '../../egress/policy.ts'
import { createPatternMatcher } from '../../runners/pattern/pattern-matcher.ts'
import { createPreviews } from '../../worker/previews/previews.ts'
import { createTestApi, type TestApi } from '../support/api/test-api.ts'
import { type ApiDocument, readDocument } from './document.ts'

/** The API on a socket, a page that may be previewed, and the document that the API serves. */
export interface FuzzedService {
  readonly api: TestApi
  readonly origin: string
  readonly page: string
  readonly document: ApiDocument
  readonly slugs: readonly string[]
  /** What the service logged as an error. */
  readonly errors: readonly string[]
  close(): Promise<void>
}

export async function createFuzzedService(): Promise<FuzzedService> {
  const errors: string[] = []
  const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
  const previews = createPreviews({ egress, deadlineMs: 1_000 })
  const patterns = createPatternMatcher({ timeoutMs: 200 })
  const api = await createTestApi({
    egress,
    previews,
    patterns,
    signUp: 'open',
    // Each request comes from an address of its own, so that limits for addresses do not hide what is behind them.
    trustedProxies: ['127.0.0.1'],
    log: createLogger('error', { write: (line) => void errors.push(line) }),
  })
  const site = createServer((_, response) =>
    response
      .setHeader('content-type', 'text/html')
      .end('<h1>Kettle</h1><p class="price">12 EUR</p><ul><li>a<li>b</ul>'),
  )
  const page = await listen(site)
  const origin = await api.listen()
  const document = readDocument(await (await fetch(`${origin}/api/openapi.json`)).text())
  return {
    api,
    origin,
    page,
    document,
    slugs: TEMPLATES.map(({ slug }) => slug),
    errors,
    close: async () => {
      await api.close()
      await previews.close()
      await patterns.close()
      site.closeAllConnections()
      await new Promise((resolve) => site.close(resolve))
    },
  }
}

async function listen(site: Server): Promise<string> {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const address = site.address()
  if (address === null || typeof address === 'string') throw new Error('the page has no port')
  return `http://127.0.0.1:${address.port}/`
}
