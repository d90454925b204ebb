import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHere } from '../support/process/run-here.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { importInto } from './import-into.ts'

test('the reporters of urlwatch become destinations, whose addresses are in Secrets', async () => {
  await using folder = await temporaryFolder()
  const reporters = join(folder.path, 'urlwatch.yaml')
  const hook = 'https://hooks.slack.com/services/T0/B0/s3cret'
  await writeFile(reporters, `report:\n  slack: { enabled: true, webhook_url: ${hook} }\n`)
  const jobs = 'name: Kettle\nurl: https://shop.example.com/\n'
  const { monitors, stdout } = await importInto(folder.path, 'urlwatch', jobs, '--reporters', reporters)
  expect(monitors.get('kettle')?.deliveries).toEqual([{ type: 'slack', webhookUrl: hook }])
  expect(stdout.match(/s3cret/g)).toHaveLength(1)

  await writeFile(join(folder.path, 'jobs.yaml'), jobs)
  const refused = await runHere(['import', 'urlwatch', join(folder.path, 'jobs.yaml'), '--reporters', 'nothing.yaml'])
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([2, '', expect.stringContaining('nothing.yaml')])
})
