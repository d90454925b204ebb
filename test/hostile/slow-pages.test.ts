import { afterAll, expect, test } from 'vitest'
import { createExtractor } from '../../runners/extract/pool/extractor.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import { css, faultCode, html, values } from '../runners/extract/pages.ts'

const SLOW: ExtractConfig = { method: 'regex', fields: { it: '^(a+)+$' } }
const VICTIM = html(`${'a'.repeat(40)}!`)
const GOOD = html('<p>good</p>')

const pool = createExtractor({ threads: 1 })
afterAll(() => pool.close())
const good = (key: number) => pool.extract(GOOD, css('p'), { key })
const slow = (key: number) => pool.extract(VICTIM, SLOW, { key, timeoutMs: 600 })

test('once they are known, slow monitors without end hold up no quick one, not even for a moment', async () => {
  expect(values(await good(1))).toEqual({ it: 'good' })
  // Strangers still: each is tried once, and stopped as somebody waits behind it.
  const strangers = [11, 12].map(slow)
  const firstOf = (others: readonly Promise<unknown>[]) =>
    Promise.race([Promise.all(others).then(() => 'slow'), good(1).then(() => 'quick')])
  expect(await firstOf(strangers)).toBe('quick')
  expect((await Promise.all(strangers)).map(faultCode)).toEqual(Array(2).fill('extract_timeout'))

  const known = [11, 12].map(slow)
  for (let n = 0; n < 20; n++) expect(values(await good(1))).toEqual({ it: 'good' })
  expect(await firstOf(known)).toBe('quick')
  expect((await Promise.all(known)).map(faultCode)).toEqual(Array(2).fill('extract_timeout'))
})

test('a slow page alone has all of its time, and gets its answer', async () => {
  const spin: ExtractConfig = { method: 'xpath', fields: { it: 'count(//b[count(//b[count(//b) > 0]) > 0])' } }
  const page = html('<b>x</b>'.repeat(150))
  const alone = await pool.extract(page, spin, { key: 21, timeoutMs: 20_000 })
  expect(values(alone)).toEqual({ it: 150 })
  // And among others, in the thread for slow pages.
  const [beside] = await Promise.all([pool.extract(page, spin, { key: 22, timeoutMs: 20_000 }), good(1), good(2)])
  expect(values(beside)).toEqual({ it: 150 })
})
