import { expect, test } from 'vitest'
import { SERP_ENGINES } from '../../../schema/serp/serp-search.ts'
import { createTestApi } from '../../support/api/test-api.ts'
import { shared } from '../../support/run/shared.ts'

const api = shared(() => createTestApi())

test('the engines say which of them is left alone, until when, and after how many refusals', async () => {
  const owner = await api.owner({ plan: 'unlimited' })
  const read = async () => (await api.call(owner.api_key, 'GET', '/v1/serp-engines')).body['data']
  const idle = { left_alone_until: null, refusals: 0 }
  expect(await read()).toEqual(SERP_ENGINES.map((engine) => ({ engine, ...idle })))
  await api.sql(`insert into serp_engines (engine, refusals, refused_until) values
    ('bing', 3, '2999-01-01T00:00:00Z'), ('yandex', 1, '2000-01-01T00:00:00Z')`)
  expect(await read()).toEqual(
    SERP_ENGINES.map((engine) => ({
      engine,
      ...idle,
      ...(engine === 'bing' && { left_alone_until: '2999-01-01T00:00:00.000Z', refusals: 3 }),
      ...(engine === 'yandex' && { refusals: 1 }),
    })),
  )
})
