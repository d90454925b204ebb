import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { pageErrorsOf } from '../../boot/parts/page-errors.ts'
import { createLogger } from '../../core/logger.ts'

test('an error of ours is counted and logged with its stack, by all parts of a process in one metric', async () => {
  const registry = new Registry()
  const lines: string[] = []
  const log = createLogger('info', { write: (line) => void lines.push(line) })
  const [worker, api] = [pageErrorsOf({ registry, log }), pageErrorsOf({ registry, log })]
  worker('TypeError\n    at adoptAttributes (html.ts:36:1)', 'run_1')
  api('TypeError\n    at adoptAttributes (html.ts:36:1)')
  expect(await registry.getSingleMetricAsString('tidemark_page_errors_total')).toContain('tidemark_page_errors_total 2')
  const [first, second] = lines.map((line): unknown => JSON.parse(line))
  expect(first).toMatchObject({
    level: 'error',
    run_id: 'run_1',
    err: { message: 'TypeError\n    at adoptAttributes (html.ts:36:1)' },
    msg: 'a page could not be read because of an error of Tidemark',
  })
  expect(second).toMatchObject({ run_id: null })
})
