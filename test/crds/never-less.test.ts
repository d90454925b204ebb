import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type KubeApi, startKubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { SERP_MONITOR } from './definition.ts'
import { LEAST } from './examples.ts'
import { api, asSpec, kubernetes } from './judges.ts'

const CRDS = new URL('../../crds/', import.meta.url).pathname

const ODD = [
  '',
  ':',
  '@',
  '%',
  '%41',
  '/',
  '//',
  '?',
  '#',
  '[',
  ']',
  '\\',
  ' ',
  '\t',
  '\u007f',
  '^',
  '|',
  '<',
  '"',
  "'",
  '`',
  '{',
  'é',
  '\u3000',
  '\u00ad',
  '😀',
  'a',
  'Z',
  '0',
  '.',
  '-',
  '_',
  '~',
  '!',
  '$',
  '&',
  '+',
  ',',
  ';',
  '=',
  '*',
]
const odd = fc.array(fc.constantFrom(...ODD), { maxLength: 6 }).map((parts) => parts.join(''))
const scheme = fc.constantFrom('http://', 'https://', 'HTTP://', 'https:/', 'http:///', 'https://:@', 'https://a@')
const host = fc.oneof(
  fc.domain(),
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
  fc.ipV4Extended(),
  odd,
)
const port = fc.oneof(
  fc.constant(''),
  fc.nat(70_000).map((number) => `:${number}`),
  fc.constantFrom(':', ':0080', ':8a'),
)
const tail = fc.oneof(
  fc.constant(''),
  fc.webPath(),
  odd.map((text) => `/${text}`),
  odd.map((text) => `?${text}#${text}`),
  odd,
)
const address = fc.tuple(scheme, host, port, tail).map((parts) => parts.join(''))
const email = fc.oneof(
  fc.emailAddress(),
  fc.tuple(odd, odd).map(([name, at]) => `a${name}@b${at}.example`),
)
const header = fc.dictionary(
  odd.map((text) => `x${text}`),
  odd,
  { maxKeys: 1, minKeys: 1 },
)
const fields = fc.dictionary(fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 100 })), fc.constant('.a'), {
  maxKeys: 1,
  minKeys: 1,
})

const SEARCH = { name: 'Kettle', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }

const KINDS: readonly [string, fc.Arbitrary<unknown>, (value: unknown) => object][] = [
  ['an address', address, (url) => ({ ...LEAST, url })],
  ['an e-mail address', email, (to) => ({ ...LEAST, deliveries: [{ type: 'email', to }] })],
  ['a header', header, (request_headers) => ({ ...LEAST, request_headers })],
  ['a field', fields, (names) => ({ ...LEAST, extract_config: { method: 'css', fields: names } })],
]

describeWithApiServer('What the API takes, a cluster takes', () => {
  let kube: KubeApi
  beforeAll(async () => {
    kube = await startKubeApi()
    await kube.applyCrds(CRDS)
  })
  afterAll(() => kube?.stop())

  test.each(KINDS)('%s of any kind', async (_, kind, monitorOf) => {
    let taken = 0
    await fc.assert(
      fc.asyncProperty(kind, async (value) => {
        const monitor = monitorOf(value)
        if (!api(monitor).ok) return
        taken++
        expect((await kubernetes(kube, asSpec(monitor))).faults).toEqual([])
      }),
      { numRuns: 500 },
    )
    expect(taken).toBeGreaterThan(50)
  })

  test.each([
    ['target_domain', fc.tuple(fc.oneof(fc.constant(''), scheme), host, port, tail).map((parts) => parts.join(''))],
    ['keyword', fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 5 }))],
  ])('%s of any kind', async (key, values) => {
    let taken = 0
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const search = { ...SEARCH, [key]: value }
        if (!api(search, SERP_MONITOR).ok) return
        taken++
        expect((await kubernetes(kube, asSpec(search, SERP_MONITOR), SERP_MONITOR)).faults).toEqual([])
      }),
      { numRuns: 500 },
    )
    expect(taken).toBeGreaterThan(50)
  })
})
