import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { readingHash } from '../../../core/diff/reading-hash.ts'
import { layerBit } from '../../../core/layer-bit.ts'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import type { Rendered, RenderRequest } from '../../../runners/browser/page/rendered.ts'
import { check } from '../../../runners/check/check.ts'
import type { PageTask } from '../../../runners/check/task.ts'
import { createExtractor } from '../../../runners/extract/pool/extractor.ts'
import { createPageReader } from '../../../runners/fetch/paging/page-reader.ts'
import type { RunFaultCode } from '../../../schema/run/run-fault.ts'

const agent = createGuardedAgent(createPolicy({ allowPrivateCidrs: [], neverAllow: [] }))
const extractor = createExtractor({ threads: 1 })
const pages = createPageReader()
afterAll(() => Promise.all([extractor.close(), pages.close(), agent.destroy()]))

const URL_OF_SHOP = 'https://shop.example/'

/** What the browser was asked for. */
let asked: ('sparse' | 'whole')[] = []
beforeEach(() => {
  asked = []
})

/** The price that a page shows, or the status that it is refused with; null: what it waits for is never shown. */
type Shown = string | number | null | { readonly price: string; readonly missesMedia: true } | RunFaultCode[]

const ANSWER = { status: 200, retryAfterMs: null, durationMs: 1 }

function rendered(shown: Shown): Rendered {
  if (Array.isArray(shown))
    return { ...ANSWER, ok: false, status: null, fault: { code: shown[0] ?? 'internal', message: 'no answer' } }
  if (shown !== null && typeof shown === 'object') return { ...rendered(shown.price), missesMedia: true } as Rendered
  if (shown === null) return { ...ANSWER, ok: false, fault: { code: 'timeout', message: 'never shown' } }
  if (typeof shown === 'number')
    return { ...ANSWER, ok: false, status: shown, fault: { code: 'http_status', message: 'refused' } }
  const body = Buffer.from(`<p class="price">${shown}</p>`)
  const page = { finalUrl: URL_OF_SHOP, redirected: false, contentType: 'text/html', etag: null, lastModified: null }
  const figures = { wireBytes: body.length, bodyHash: Buffer.alloc(16, shown), link: null, shots: [], warnings: [] }
  return { ...ANSWER, ok: true, kind: 'body', body, ...page, ...figures }
}

/** Checks a page whose values were `$7`, and that shows this without and with its media. */
async function checked(sparse: Shown, whole: Shown, more: Partial<PageTask> = {}) {
  const render = ({ withoutMedia = false }: RenderRequest) => {
    asked.push(withoutMedia ? 'sparse' : 'whole')
    return Promise.resolve(rendered(withoutMedia ? sparse : whole))
  }
  const task: PageTask = {
    ...{ no: 0, fence: 0, runId: '', monitorId: '', host: '', dueMs: null, claimedMs: 0, claimedAt: 0 },
    ...{ kind: 'page', queue: 'browser', url: URL_OF_SHOP, request: null, visual: null, headers: null },
    ...{ obstacle: null, triesStatic: false, reason: 'configured' },
    extract: { method: 'css', fields: { price: '.price' } },
    last: { etag: null, lastModified: null, bodyHash: Buffer.alloc(16, 'other') },
    withoutMedia: { readingHash: readingHash({ price: '$7' }), readBy: layerBit('browser') },
    ...more,
  }
  const signal = new AbortController().signal
  return check(task, { agent, extractor, pages, browser: { render }, signal })
}

describe('a check whose page may be rendered without its media', () => {
  test('ends where the values are those of the baseline', async () => {
    const reading = await checked('$7', '$7')
    expect(reading).toMatchObject({ kind: 'values', values: { price: '$7' }, withoutMedia: true })
    expect(asked).toEqual(['sparse'])
  })

  test('ends where the document is that of the baseline', async () => {
    const last = { etag: null, lastModified: null, bodyHash: Buffer.alloc(16, '$8') }
    expect(await checked('$8', '$7', { last })).toMatchObject({ kind: 'unchanged', withoutMedia: true })
    expect(asked).toEqual(['sparse'])
  })

  test('is made again with them where the values differ, which decides', async () => {
    const same = await checked('$8', '$8')
    expect(same).toMatchObject({ values: { price: '$8' } })
    expect(same).not.toHaveProperty('withoutMedia')
    expect(same).not.toHaveProperty('needsMedia')
    expect(asked).toEqual(['sparse', 'whole'])
  })

  test('needs them where both differ', async () => {
    expect(await checked('$8', '$7')).toMatchObject({ values: { price: '$7' }, needsMedia: true })
    expect(asked).toEqual(['sparse', 'whole'])
  })

  test('is made again with them where a page that arrived could not be read', async () => {
    expect(await checked(null, '$7')).toMatchObject({ values: { price: '$7' }, needsMedia: true })
    expect(await checked(null, null)).not.toHaveProperty('needsMedia')
    expect(asked).toEqual(['sparse', 'whole', 'sparse', 'whole'])
  })

  test('fails at once where the page did not arrive', async () => {
    expect(await checked(503, '$7')).toMatchObject({ kind: 'failed', withoutMedia: true })
    const none = await checked(['dns_failed'], '$7')
    expect(none).toMatchObject({ kind: 'failed', fault: { code: 'dns_failed' } })
    // Nothing was rendered.
    expect(none).not.toHaveProperty('withoutMedia')
    expect(asked).toEqual(['sparse', 'sparse'])
  })

  test('is made again with them where the page could not be rendered to its end', async () => {
    expect(await checked(['render_failed'], '$7')).toMatchObject({ values: { price: '$7' }, needsMedia: true })
  })

  test('needs them where the page looks as if it misses them, whatever it reads', async () => {
    expect(await checked({ price: '$7', missesMedia: true }, '$7')).toMatchObject({
      values: { price: '$7' },
      needsMedia: true,
    })
    expect(asked).toEqual(['sparse', 'whole'])
  })

  test('needs them where the site refuses to be asked a second time', async () => {
    expect(await checked('$8', 429)).toMatchObject({ kind: 'failed', needsMedia: true })
  })

  test('compares with what its own layer read', async () => {
    const withoutMedia = { readingHash: readingHash({ price: '$7' }), readBy: layerBit('static') }
    await checked('$7', '$7', { withoutMedia })
    expect(asked).toEqual(['sparse', 'whole'])
  })

  test.each([
    ['has no baseline', { last: null }],
    ['tries the direct request beside it', { triesStatic: true }],
  ])('has them where it %s', async (_, more) => {
    await checked('$8', '$7', more)
    expect(asked).toEqual(['whole'])
  })
})
