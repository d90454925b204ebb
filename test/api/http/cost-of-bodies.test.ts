import { describe, expect, test } from 'vitest'
import { envelope } from '../../../api/http/api-error.ts'
import { BODY_LIMITS, bodyLimitOf } from '../../../api/http/body-limits.ts'
import { faultOf } from '../../../api/http/fault.ts'
import { isSigned, parseForm, readJsonBody, readRequest } from '../../../api/http/read-request.ts'
import type { Route } from '../../../api/http/route.ts'
import type { Services } from '../../../api/services.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { MonitorCreate } from '../../../schema/monitor/monitor.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import { MAX_ISSUES } from '../../../schema/validation/issue.ts'
import { servedRoutes } from '../../support/api/all-routes.ts'
import { worstBodies } from './worst-bodies.ts'

/** A body may cost this many times what `JSON.parse` of it costs, and what a clock of the system can tell. */
const MAX_TIMES = 30
const UNMEASURED_MS = 25
/** A body that seems to cost too much is answered so often: the first answers are of code that is not compiled yet. */
const MAX_ANSWERS = 8
/** The dearest bodies of 4 MiB. Whatever else is that large differs from its 64 KiB by its parsing. */
const LARGE: ReadonlySet<string> = new Set([
  'unknown keys',
  'nested lists',
  'a list without an end',
  'a text without an end',
  '.labels of keys',
  '.extract_config.schema of keys',
])
/** The details of an answer have at most `MAX_ISSUES` issues, of two texts of 600 characters. */
const MAX_ANSWER_BYTES = 256 * 1024

const writing = servedRoutes.filter(({ method }) => method !== 'GET')
const isForm = (route: Route) => route.policy === 'public' && route.isForm === true
const routeOf = (title: string) => writing.find(({ method, path }) => `${method} ${path}` === title)
/** A review of a body needs no more of the services. */
const services = { egress: createPolicy({ allowPrivateCidrs: [], neverAllow: [] }), plans: {} } as unknown as Services

interface Measured {
  readonly status: number
  readonly issues: number
  readonly bytes: number
  readonly ms: number
}

/** Reads a body as the route does. The processor time is that of this thread, up to the answer that would be sent. */
function measure(route: Route, bytes: Buffer): Measured {
  const before = process.threadCpuUsage()
  let status = 200
  let issues = 0
  let text = ''
  try {
    const body = isForm(route) ? parseForm(bytes) : readJsonBody(bytes)
    const params = Object.fromEntries(
      [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => [name, '00000000-0000-4000-8000-000000000000']),
    )
    readRequest(route, { params, query: {}, body }, services)
  } catch (thrown) {
    const { error } = faultOf(thrown, bodyLimitOf(route))
    status = error.status
    issues = error.details.length
    text = JSON.stringify(envelope(error, 'test'))
  }
  const { user, system } = process.threadCpuUsage(before)
  return { status, issues, bytes: Buffer.byteLength(text), ms: (user + system) / 1_000 }
}

/** Returns the mean of as many readings as take longer than the clock can tell: some clocks tick every 4 ms. */
function parseMs(text: string): number {
  const before = process.threadCpuUsage()
  for (let times = 1; ; times += 1) {
    try {
      JSON.parse(text)
    } catch {
      // A text without an end is read as far as one with an end.
    }
    const { user, system } = process.threadCpuUsage(before)
    const ms = (user + system) / 1_000
    if (ms >= UNMEASURED_MS) return ms / times
  }
}

/** Returns what is wrong with the answers to these bodies. The cheapest answer counts as the cost. */
function faultsOf(route: Route, size: number, isWanted = (_name: string) => true): string[] {
  return worstBodies(route.body ?? Closed({})).flatMap(({ name, write }) => {
    if (!isWanted(name)) return []
    const text = write(size)
    const bytes = Buffer.from(isForm(route) ? `x=${encodeURIComponent(text).slice(0, size - 2)}` : text)
    const title = `${route.path}: ${name} in ${bytes.length} bytes`
    if (bytes.length > size) return [`${title} is more than ${size}`]
    const first = measure(route, bytes)
    const mayCost = first.ms <= UNMEASURED_MS ? UNMEASURED_MS : UNMEASURED_MS + MAX_TIMES * parseMs(text)
    let { ms } = first
    for (let again = 1; ms > mayCost && again < MAX_ANSWERS; again += 1) ms = Math.min(ms, measure(route, bytes).ms)
    return [
      ...(first.status === 422 ? [] : [`${title} is answered with ${first.status}`]),
      ...(first.issues > 0 && first.issues <= MAX_ISSUES ? [] : [`${title} has ${first.issues} issues`]),
      ...(first.bytes <= MAX_ANSWER_BYTES ? [] : [`${title} is answered with ${first.bytes} bytes`]),
      ...(ms <= mayCost ? [] : [`${title} costs ${ms} ms, and may cost ${mayCost}`]),
    ]
  })
}

describe('the worst bodies that a limit allows', () => {
  test('are read by each route, but where the sender has signed the bytes', () => {
    expect(writing.filter(isSigned).map(({ path }) => path)).toEqual(['/webhooks/stripe'])
  })

  test.each(
    writing.filter((route) => !isSigned(route)).map((route) => [`${route.method} ${route.path}`, route] as const),
  )('%s: each is 422 with a bounded answer, and costs no more than a multiple of its parsing', (_title, route) => {
    // Those of 4 MiB follow, for the two largest schemas.
    expect(faultsOf(route, Math.min(bodyLimitOf(route), BODY_LIMITS.default)).join('\n')).toBe('')
  })

  test('of 4 MiB have names that the schema of a monitor gives them', () => {
    const names = worstBodies(MonitorCreate).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([...LARGE]))
  })

  test.each(['POST /v1/monitors', 'POST /v1/serp-monitors'])('%s: so are those of 4 MiB', (title) => {
    const route = routeOf(title)
    expect(route && faultsOf(route, BODY_LIMITS.configuration, (name) => LARGE.has(name)).join('\n')).toBe('')
  })
})
