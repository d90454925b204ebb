import { expect, test } from 'vitest'
import { CRASHED, DOWNLOAD, PDF, TOO_MUCH_WORK } from '../../../runners/browser/browser-faults.ts'
import { howUnrendered } from '../../../runners/check/last-resort.ts'
import { FETCH_REASONS } from '../../../schema/run/run.ts'

const SEARCH = 'https://www.bing.com/search?q=kettle'
const task = {
  url: 'https://shop.example/',
  queue: 'browser',
  reason: 'configured',
  extract: { method: 'css', fields: { a: 'b' } },
} as const

test('only a page that the configuration has rendered can be kept from it, by what is set', () => {
  expect(howUnrendered(task)).toBe('set fetch_mode to auto')
  expect(howUnrendered({ ...task, extract: { ...task.extract, wait_for: '.price' } })).toBe(
    'remove wait_for and set fetch_mode to auto',
  )
  expect(howUnrendered({ ...task, queue: 'visual' })).toBe(
    'disable visual_config and set fetch_mode to auto if it is browser',
  )
  // A page of results is rendered under auto too.
  expect(howUnrendered({ ...task, url: SEARCH })).toBeNull()
  for (const reason of FETCH_REASONS.filter((one) => one !== 'configured'))
    expect(howUnrendered({ ...task, reason }), reason).toBeNull()
})

test('no fault of a browser advises a fetch_mode that would change nothing', () => {
  const work = { cpuSeconds: 20, threads: 50 }
  const all = (unrendered: string | null) =>
    [CRASHED(unrendered), TOO_MUCH_WORK(work, unrendered), PDF(unrendered), DOWNLOAD(unrendered)].map(
      ({ message }) => message,
    )
  for (const message of all(null)) expect(message).not.toContain('fetch_mode')
  for (const message of all('set fetch_mode to auto')) expect(message).toMatch(/[,:]? set fetch_mode to auto[,.]/)
})
