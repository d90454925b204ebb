import { describe, expect, test } from 'vitest'
import type { Lookup } from '../../egress/dns-lookup.ts'
import { createResolver } from '../../egress/resolve.ts'

function failing(code: string): Lookup {
  return () => Promise.reject(Object.assign(new Error(code), { code }))
}

function counting(addresses: readonly string[] = ['1.1.1.1']): { lookup: Lookup; asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    lookup: (name) => {
      asked.push(name)
      return Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })))
    },
  }
}

describe('a resolver', () => {
  test.each([
    ['ENOTFOUND', 'not_found'],
    ['ENODATA', 'not_found'],
    ['EAI_AGAIN', 'failed'],
    ['ESERVFAIL', 'failed'],
    ['ETIMEOUT', 'timeout'],
    ['EAI_FAIL', 'failed'],
  ])('names %s %s', async (code, cause) => {
    const resolver = createResolver({ lookup: failing(code) })
    expect(await resolver.resolve('a.test')).toEqual({ ok: false, failure: { kind: 'dns', cause } })
  })

  test('counts an empty answer as no such host', async () => {
    const resolver = createResolver({ lookup: counting([]).lookup })
    expect(await resolver.resolve('a.test')).toEqual({ ok: false, failure: { kind: 'dns', cause: 'not_found' } })
  })

  test('gives up on a lookup that hangs, and does not start it again while it hangs', async () => {
    let asked = 0
    const lookup: Lookup = () => {
      asked++
      return new Promise(() => {})
    }
    const resolver = createResolver({ lookup, timeoutMs: 20 })
    const answers = await Promise.all([resolver.resolve('a.test'), resolver.resolve('A.test.')])
    expect(answers.map((answer) => !answer.ok && answer.failure)).toEqual(
      Array(2).fill({ kind: 'dns', cause: 'timeout' }),
    )
    await resolver.resolve('a.test')
    expect(asked).toBe(1)
  })

  test('asks nobody about literals and localhost', async () => {
    const { lookup, asked } = counting()
    const resolver = createResolver({ lookup })
    expect(await resolver.resolve('10.0.0.1')).toMatchObject({ addresses: [{ address: '10.0.0.1', family: 4 }] })
    expect(await resolver.resolve('[::1]')).toMatchObject({ addresses: [{ address: '::1', family: 6 }] })
    expect(await resolver.resolve('x.LOCALHOST.')).toMatchObject({
      addresses: [{ address: '127.0.0.1' }, { address: '::1' }],
    })
    expect(asked).toEqual([])
  })

  test('uses an answer again for a few seconds, and no longer', async () => {
    const { lookup, asked } = counting()
    let now = 1_000
    const resolver = createResolver({ lookup, cacheMs: 5_000, now: () => now })
    await resolver.resolve('a.test')
    now = 5_999
    await resolver.resolve('a.test')
    expect(asked).toEqual(['a.test'])
    now = 6_001
    await resolver.resolve('a.test')
    expect(asked).toEqual(['a.test', 'a.test'])
  })

  test('keeps no more than a thousand names', async () => {
    const { lookup, asked } = counting()
    const resolver = createResolver({ lookup, cacheMs: 60_000 })
    for (let i = 0; i <= 1_000; i++) await resolver.resolve(`a${i}.test`)
    await resolver.resolve('a1000.test')
    expect(asked).toHaveLength(1_001)
    await resolver.resolve('a0.test')
    expect(asked).toHaveLength(1_002)
  })

  test('remembers for ten seconds that the servers of a name are silent', async () => {
    let asked = 0
    let now = 1_000
    const lookup: Lookup = () => (asked++, Promise.reject(Object.assign(new Error(), { code: 'ETIMEOUT' })))
    const resolver = createResolver({ lookup, now: () => now })
    await resolver.resolve('a.test')
    now = 10_999
    expect(await resolver.resolve('a.test', 'another team')).toMatchObject({ failure: { cause: 'timeout' } })
    expect(asked).toBe(1)
    now = 11_001
    await resolver.resolve('a.test')
    expect(asked).toBe(2)
  })

  test('gives a team only its share of the lookups at once, and others theirs at once', async () => {
    const asked: string[] = []
    const lookup: Lookup = (name) => {
      asked.push(name)
      return name.startsWith('hang') ? new Promise(() => {}) : Promise.resolve([{ address: '1.1.1.1', family: 4 }])
    }
    const resolver = createResolver({ lookup, timeoutMs: 2_500, pending: { total: 4, perTeam: 3 } })
    const hanging = Array.from({ length: 10 }, (_, n) => resolver.resolve(`hang${n}.test`, 'one'))
    const from = performance.now()
    expect(await resolver.resolve('good.test', 'other')).toMatchObject({ ok: true })
    // Before any of the others is given up.
    expect(performance.now() - from).toBeLessThan(2_000)
    expect(asked).toEqual(['hang0.test', 'hang1.test', 'hang2.test', 'good.test'])
    expect(await Promise.all(hanging)).toEqual(
      Array(10).fill({ ok: false, failure: { kind: 'dns', cause: 'timeout' } }),
    )
  })

  test.each([8, 30])('answers a team beside %i teams whose names are all silent', async (silent) => {
    const lookup: Lookup = (name) =>
      name.startsWith('hang') ? new Promise(() => {}) : Promise.resolve([{ address: '1.1.1.1', family: 4 }])
    const resolver = createResolver({ lookup, timeoutMs: 300 })
    expect(await resolver.resolve('first.test', 'victim')).toMatchObject({ ok: true })
    const hanging = Array.from({ length: silent * 100 }, (_, n) =>
      resolver.resolve(`hang${n}.test`, `team ${Math.floor(n / 100)}`),
    )
    const good = Array.from({ length: 20 }, (_, n) => resolver.resolve(`good${n}.test`, 'victim'))
    expect(await Promise.all(good)).toEqual(Array(20).fill(expect.objectContaining({ ok: true })))
    if (silent === 8) expect(await resolver.resolve('new.test', 'a new team')).toMatchObject({ ok: true })
    await Promise.all(hanging)
  })

  test('does not make a team wait for the turn of another one that asked for the same name', async () => {
    const lookup: Lookup = (name) =>
      name === 'hang.test' ? new Promise(() => {}) : Promise.resolve([{ address: '1.1.1.1', family: 4 }])
    const resolver = createResolver({ lookup, timeoutMs: 300, pending: { total: 4, perTeam: 1 } })
    const hanging = [resolver.resolve('hang.test', 'one'), resolver.resolve('good.test', 'one')]
    expect(await resolver.resolve('good.test', 'other')).toMatchObject({ ok: true })
    // Once it is known, it is known to all.
    expect(await resolver.resolve('good.test', 'one')).toMatchObject({ ok: true })
    await Promise.all(hanging)
  })
})
