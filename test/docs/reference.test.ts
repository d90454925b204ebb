import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { POLICIES } from '../../api/auth/policies.ts'
import { readRequest } from '../../api/http/read-request.ts'
import type { Method, Route } from '../../api/http/route.ts'
import type { Services } from '../../api/services.ts'
import { allowedBy } from '../../core/machine/plan.ts'
import { createPolicy } from '../../egress/policy.ts'
import { AUDIT_ACTIONS } from '../../schema/account/audit.ts'
import { SUBSCRIPTION_STATUSES } from '../../schema/account/billing.ts'
import { PLANS, TIERS } from '../../schema/account/plan.ts'
import { DELIVERY_DELAYS_SECONDS } from '../../schema/run/delivery.ts'
import { routes } from '../support/api/all-routes.ts'
import { boundsOfTheCode } from './bounds-of-the-code.ts'
import { routeOf, schemaOf, written } from './named-schemas.ts'
import { CALLS, type Call, PAGES, TABLES, tablesOf } from './reference-pages.ts'

/** The page to practise on is on the reader's own machine. */
const servicesOf = (page: string): Services => {
  const allowPrivateCidrs = page.startsWith('reference/') ? [] : ['127.0.0.0/8']
  return { egress: createPolicy({ allowPrivateCidrs, neverAllow: [] }) } as Services
}

/** The route that serves a call, with the values of its parameters; the one with the fewest wins, as in the router. */
function servedBy(method: Method, path: string): { route: Route; params: object } {
  const found = routes.flatMap((route) => {
    const pattern = new RegExp(`^${route.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
    const match = route.method === method ? pattern.exec(path) : null
    return match ? [{ route, params: { ...match.groups } }] : []
  })
  const best = found.sort((one, other) => Object.keys(one.params).length - Object.keys(other.params).length)[0]
  if (!best) throw new Error(`nothing serves ${method} ${path}`)
  return best
}

const number = (text: string) => Number(text.replaceAll(',', ''))
const code = (cell = '') => /`([^`]+)`/.exec(cell)?.[1] ?? ''
const titled = (calls: readonly Call[]) =>
  calls.map((call): [string, Call] => [`${call.page}: ${call.method} ${call.path}`, call])

describe('the calls of the API that no test runs', () => {
  test('are found', () => expect(CALLS.length).toBeGreaterThan(30))

  test.each(titled(CALLS))('%s is taken as it is written', (_, call) => {
    const { route, params } = servedBy(call.method, call.path)
    readRequest(route, { params, query: call.query, body: call.body }, servicesOf(call.page))
    expect(call.sendsJson).toBe(call.body !== undefined)
  })

  test.each(titled(CALLS))('%s carries a credential that may', (_, call) => {
    const { policy } = servedBy(call.method, call.path).route
    if (policy === 'public') expect(call.credential).toBeNull()
    else if (POLICIES[policy].scope === null) expect(call.credential).toBe('SESSION')
    else expect(['KEY', 'SESSION']).toContain(call.credential)
  })
})

describe('the tables of the reference', () => {
  const fields = tablesOf('fields').map((table): [string, typeof table] => [`${table.page}: ${table.about}`, table])

  test.each(fields)('%s has every field and no other', (_, { about, rows }) => {
    const { properties } = schemaOf(about) as unknown as { properties: object }
    expect(rows.map(([name]) => code(name)).sort()).toEqual(Object.keys(properties).sort())
  })

  const operations = TABLES.filter(({ head }) => head[0] === 'Operation').flatMap((table) =>
    table.rows.map((row): [string, readonly string[], boolean] => [row[0] ?? '', row, table.head[1] === 'Permission']),
  )

  test.each(operations)('%s stands as its route says', (first, [, permission, answer], hasPermission) => {
    const { policy, answers, beyond = false } = routeOf(code(first))
    expect(first.includes('†')).toBe(beyond)
    if (!hasPermission) return
    expect(permission?.replaceAll('`', '')).toBe(policy)
    expect(answer?.slice(0, 3)).toBe(Object.keys(answers)[0])
  })

  test('every operation stands in one', () => {
    const missing = routes.map(written).filter((one) => !operations.some(([first]) => code(first) === one))
    expect(missing).toEqual(['GET /api/openapi.json'])
  })

  test('the permissions are those of the policies', () => {
    const [table] = tablesOf('policies')
    expect(table?.rows.map(([name, role, scope]) => [code(name), { role, scope }])).toEqual(
      Object.entries(POLICIES).map(([name, { role, scope }]) => [name, { role, scope: scope ?? 'none' }]),
    )
  })

  test('the plans are those of the code', () => {
    const [table] = tablesOf('plans')
    expect(table?.head.slice(1).map((name) => name.replace(' †', ''))).toEqual(TIERS)
    for (const [name, ...figures] of table?.rows ?? []) {
      const limit = code(name) as keyof (typeof PLANS)['free']
      expect([limit, figures.map((cell) => (/\d/.test(cell) ? number(cell) : null))]).toEqual([
        limit,
        TIERS.map((tier) => PLANS[tier][limit]),
      ])
    }
    expect(table?.rows.map(([name]) => code(name)).sort()).toEqual(Object.keys(PLANS.free).sort())
  })

  test('what a team may run is what its plan lets run', () => {
    const over = { tier: 'free', serp: 'trial', trialActive: false } as const
    const bare = { tier: 'lite', serp: 'none', trialActive: false } as const
    const teams: Readonly<Record<string, Parameters<typeof allowedBy>[0]>> = {
      'a trial': { ...over, trialActive: true, credits: 0 },
      'a trial that is over': { ...over, credits: 0 },
      'a trial that is over, with credits': { ...over, credits: 9 },
      'a plan with SERP': { ...bare, serp: 'included', credits: 0 },
      'a plan without SERP, with credits': { ...bare, credits: 1 },
      'a plan without SERP and without credits': { ...bare, credits: 0 },
    }
    const word = (runs: boolean) => (runs ? 'run' : 'locked')
    expect(tablesOf('standings')[0]?.rows).toEqual(
      Object.entries(teams).map(([team, facts]) => {
        const { pages, searches } = allowedBy(facts)
        return [team, word(pages), word(searches)]
      }),
    )
  })

  test('a plan holds in the statuses of a subscription that the code names', () => {
    expect(tablesOf('subscription statuses')[0]?.rows.map(([status, holds]) => [code(status), holds])).toEqual(
      Object.entries(SUBSCRIPTION_STATUSES).map(([status, holds]) => [status, holds ? 'yes' : 'no']),
    )
  })

  test('the actions of the audit log are known, with their targets', () => {
    const rows = tablesOf('audit')[0]?.rows ?? []
    expect(rows.length).toBeGreaterThan(10)
    for (const [action, target] of rows)
      expect([code(action), code(target)]).toEqual([
        code(action),
        AUDIT_ACTIONS[code(action) as keyof typeof AUDIT_ACTIONS],
      ])
  })

  test('the attempts are those of the schedule', () => {
    const [table] = tablesOf('attempts')
    expect(table?.rows.map(([attempt, seconds = '']) => [Number(attempt), number(seconds)])).toEqual(
      DELIVERY_DELAYS_SECONDS.map((seconds, at) => [at + 1, seconds]),
    )
  })

  test.each(boundsOfTheCode)('the limits say of %s: %s', (what, bound) => {
    const rows = tablesOf('limits')[0]?.rows ?? []
    expect(rows.filter(([name]) => name === what).map(([, cell]) => cell)).toContain(bound)
  })
})

describe('the links of the reference', () => {
  const headings = (text: string) =>
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    )
  const links = PAGES.flatMap(({ name, text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']): [string, string] => [name, link]),
  )

  test.each(links)('%s leads to %s', (name, link) => {
    const [path = '', anchor] = link.split('#')
    const target = new URL(path === '' ? name : path, new URL('../../docs/reference/', import.meta.url))
    expect(existsSync(target)).toBe(true)
    if (anchor === undefined) return
    expect(headings(readFileSync(target, 'utf8'))).toContain(anchor)
  })
})
