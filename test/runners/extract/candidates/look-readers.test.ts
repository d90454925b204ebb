import { afterAll, describe, expect, test } from 'vitest'
import { candidatesReader, offersReader } from '../../../../runners/extract/candidates/look-readers.ts'
import { createExtractor } from '../../../../runners/extract/pool/extractor.ts'
import { html, json, page } from '../pages.ts'

const extractor = createExtractor({ threads: 1 })
afterAll(() => extractor.close())
const call = { timeoutMs: 30_000 }

describe('a thread of the extractor', () => {
  const given = html('<!doctype html><body><p>a</p><p id=price>$5</p>')
  const other = html('<!doctype html><body><p id=price>$6</p>')

  test('reads the candidates of an element, with the value in the other document', async () => {
    const asked = candidatesReader({ path: [1, 1], method: null, other })
    const answer = await extractor.read(asked, given, call)
    expect(answer).toMatchObject({
      ok: true,
      read: { candidates: { values: [{ rule: '#price', value: '$5', other: { value: '$6', isSame: false } }, {}] } },
    })
  })

  test('says when the document has no such element, and when it cannot be read', async () => {
    const asked = candidatesReader({ path: [1, 9], method: null, other: null })
    expect(await extractor.read(asked, given, call)).toEqual({ ok: true, read: { candidates: null } })
    expect(await extractor.read(asked, page('PNG', 'image/png'), call)).toMatchObject({
      ok: true,
      read: { fault: { code: 'wrong_type' } },
    })
  })

  test('reads guesses and the outline at once', async () => {
    expect(await extractor.read(offersReader(), given, call)).toMatchObject({
      ok: true,
      read: { guesses: [{ kind: 'price' }, { kind: 'page' }], outline: null },
    })
    expect(await extractor.read(offersReader(), json({ a: 1 }), call)).toMatchObject({
      ok: true,
      read: { guesses: [{ kind: 'json' }, { kind: 'page' }], outline: { nodes: [{ rule: '$' }, { rule: '$.a' }] } },
    })
    expect(await extractor.read(offersReader(), page(' ', 'text/html'), call)).toEqual({
      ok: true,
      read: { guesses: [], outline: null },
    })
  })

  test('is stopped when a page takes too long', async () => {
    const slow = html(`<!doctype html><body>${'<p class=a>x</p>'.repeat(190_000)}`)
    expect(await extractor.read(offersReader(), slow, { timeoutMs: 100 })).toMatchObject({
      ok: false,
      fault: { code: 'extract_timeout' },
    })
  })
})
