import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CliProcess, startCli } from '../support/process/cli-process.ts'
import { runHere } from '../support/process/run-here.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { verifier } from '../support/worker/signature-verifier.ts'

const shared = process.env['TIDEMARK_SHARED']
const saved = (name: string) => readFileSync(join(shared ?? '', 'serp-fixtures', name), 'utf8')

/** What a saved page holds, as a person counted it. */
interface Expected {
  readonly expected: readonly { readonly title: string; readonly url: string; readonly domain: string }[]
}

describeIf(shared !== undefined, 'set TIDEMARK_SHARED to the folder with the recorded pages')(
  'a SERP monitor of an installation, against saved pages of Bing',
  () => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>
    let serve: CliProcess
    let server: Server
    let origin = ''
    let environment: Record<string, string>
    let ask: (method: string, path: string, body?: object) => Promise<{ status: number; body: Answer }>
    /** The text in the first page that a later check finds in the place of the first title. */
    let title: string | null = null
    let isRefusing = false
    const searched: string[] = []
    const received: { readonly body: string; readonly signature: string }[] = []

    interface Answer {
      readonly id: string
      readonly run_id: string
      readonly secret: string
      readonly data: readonly Run[]
    }
    interface Run {
      readonly id: string
      readonly status: string
      readonly organic_results: readonly { readonly position: number; readonly title: string; readonly url: string }[]
      readonly target_rank: number | null
      readonly error_message: string | null
      readonly serp_check: object
    }

    const pages = [1, 2, 3].map((page) => `bing-2020-session-p${page}`)
    const first = () => (JSON.parse(saved(`${pages[0]}.json`)) as Expected).expected[0]

    beforeAll(async () => {
      const texts = pages.map((page) => saved(`${page}.html`))
      server = createServer((request, response) => {
        const url = new URL(request.url ?? '', 'http://127.0.0.1')
        if (url.pathname === '/hook') {
          let body = ''
          request.on('data', (part: Buffer) => (body += part.toString()))
          request.on('end', () => {
            received.push({ body, signature: String(request.headers['service-signature']) })
            response.end()
          })
          return
        }
        if (url.pathname !== '/search') return void response.writeHead(404).end()
        searched.push(url.search)
        if (isRefusing) return void response.writeHead(429, { 'content-type': 'text/html' }).end('<p>No.</p>')
        const at = ['7', '17'].indexOf(url.searchParams.get('first') ?? '') + 1
        const text = texts[at] ?? ''
        const was = first()?.title ?? ''
        response.setHeader('content-type', 'text/html; charset=utf-8')
        response.end(at === 0 && title !== null ? text.replaceAll(was, title) : text)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      folder = await temporaryFolder()
      environment = {
        TIDEMARK_DATA_DIR: join(folder.path, 'data'),
        TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
        TIDEMARK_SERP_ENDPOINTS: JSON.stringify({ bing: origin }),
        TIDEMARK_SERP_SPACING_MS: '0',
        TIDEMARK_EXIT_COUNTRY: 'us',
        PORT: '0',
      }
      serve = startCli(['serve'], environment)
      const [banner = '', base = ''] = await serve.says(/Tidemark is running at (http:\S+)\n[\s\S]*\n\n/)
      const key = /API key\s+(svc_\w+)/.exec(banner)?.[1] ?? ''
      ask = async (method, path, body) => {
        const answer = await fetch(`${base}${path}`, {
          method,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        })
        return { status: answer.status, body: (await answer.json()) as Answer }
      }
    }, 180_000)
    afterAll(async () => {
      await serve[Symbol.asyncDispose]()
      server.close()
      await folder[Symbol.asyncDispose]()
    })

    /** The run that ends after so many. */
    async function ended(id: string, count: number): Promise<Run> {
      const list = () => ask('GET', `/v1/serp-monitors/${id}/runs`)
      const { body } = await eventually(
        list,
        ({ body: { data } }) => data.length >= count && data[0]?.status !== 'running',
        { forMs: 90_000, everyMs: 100 },
      )
      const [last] = body.data
      if (!last) throw new Error('no run')
      return last
    }

    test('reads three pages, tells a change by a signed webhook, and leaves a refusing engine alone', async () => {
      const { expected } = JSON.parse(saved(`${pages[0]}.json`)) as Expected
      const made = await ask('POST', '/v1/serp-monitors', {
        ...{ name: 'Shoes', keyword: 'shoes', engine: 'bing', mode: 'full_analysis', pages: 3 },
        schedule_interval_seconds: 600,
        deliveries: [{ type: 'webhook', url: `${origin}/hook` }],
      })
      expect(made.status).toBe(201)
      const { id } = made.body
      const run = await ended(id, 1)
      expect(run).toMatchObject({ status: 'success', target_rank: null })
      expect(run.serp_check).toMatchObject({ outcome: 'ok', pages: 3, country: 'exact', is_guess: false })
      expect(run.organic_results.slice(0, expected.length).map(({ url }) => url)).toEqual(
        expected.map(({ url }) => url),
      )
      expect(run.organic_results.map(({ position }) => position)).toEqual(run.organic_results.map((_, at) => at + 1))
      expect(searched).toHaveLength(3)

      title = 'Another title'
      expect((await ask('POST', `/v1/serp-monitors/${id}/run`)).status).toBe(200)
      await ended(id, 2)
      const [hook] = await eventually(
        () => received,
        ({ length }) => length > 0,
      )
      const payload = JSON.parse(hook?.body ?? '') as Record<string, unknown>
      expect(payload).toMatchObject({
        diff: { fields_changed: [], before: {}, after: {} },
        serp_analysis: { keyword: 'shoes', results: expect.any(Array), previous_results: expect.any(Array) },
        monitor: { name: 'Shoes', url: expect.stringMatching(/^https:\/\/www\.bing\.com\/search\?q=shoes&/) },
      })
      const { results, previous_results: before } = payload['serp_analysis'] as Record<string, { title: string }[]>
      expect([results?.[0]?.title, before?.[0]?.title]).toEqual(['Another title', expected[0]?.title])
      const { body } = await ask('GET', `/v1/serp-monitors/${id}/signing-secret`)
      expect(verifier?.verifyHeader(hook?.body ?? '', hook?.signature ?? '', body.secret, 300)).toBe(true)

      isRefusing = true
      await ask('POST', `/v1/serp-monitors/${id}/run`)
      expect(await ended(id, 3)).toMatchObject({ status: 'error', serp_check: { outcome: 'blocked' } })
      const asked = searched.length
      await ask('POST', `/v1/serp-monitors/${id}/run`)
      const alone = await ended(id, 4)
      expect(alone).toMatchObject({ status: 'error', serp_check: { outcome: 'left_alone' }, organic_results: [] })
      expect(alone.error_message).toContain('Bing refused earlier checks')
      expect(searched).toHaveLength(asked)
      expect(received).toHaveLength(1)
      const unread = await runHere(['admin', 'unread-page'], environment)
      expect(unread).toMatchObject({ code: 0, stdout: '' })
      expect(unread.stderr).toContain('No page was unreadable in the last seven days.\n')
    }, 240_000)
  },
)
