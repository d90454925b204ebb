import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPlans } from '../../boot/settings/read-plans.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

async function plans(text: string) {
  const path = join(folder.path, 'plans.json')
  await writeFile(path, text)
  return readPlans({ TIDEMARK_PLANS_FILE: path })
}

test('limits of plans are read; without a file none differ', async () => {
  expect(readPlans({})).toEqual({})
  expect(await plans('{"lite": {"runsPerMonth": 2000, "maxTeamMembers": null}}')).toEqual({
    lite: { runsPerMonth: 2000, maxTeamMembers: null },
  })
})

test.each([
  ['{', 'which is not JSON'],
  ['[]', 'must be an object'],
  ['{"gold": {}}', 'gold'],
  ['{"lite": {"runsPerMonth": -1}}', 'lite.runsPerMonth'],
  ['{"lite": {"runsPerMonth": 1.5}}', 'lite.runsPerMonth'],
  ['{"lite": {"runsPerMonth": "many"}}', 'lite.runsPerMonth'],
  ['{"lite": {"runs": 5}}', 'lite.runs'],
  ['{"pro": {"retentionDays": null}}', 'pro.retentionDays'],
  ['{"pro": {"maxDeliveriesPerMonitor": 26}}', 'pro.maxDeliveriesPerMonitor'],
])('a file with %s is refused, and the path of the fault is named', async (text, at) => {
  await expect(plans(text)).rejects.toThrow('TIDEMARK_PLANS_FILE')
  await expect(plans(text)).rejects.toThrow(at)
})

test('a file that is not there is named', () => {
  expect(() => readPlans({ TIDEMARK_PLANS_FILE: '/nowhere/plans.json' })).toThrow(
    'TIDEMARK_PLANS_FILE names /nowhere/plans.json, which cannot be read (ENOENT)',
  )
})
