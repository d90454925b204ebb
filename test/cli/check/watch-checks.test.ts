import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openSite } from '../../support/network/site.ts'
import { startCli } from '../../support/process/cli-process.ts'
import { runHere } from '../../support/process/run-here.ts'
import { temporaryFolder } from '../../support/process/temporary-folder.ts'

vi.setConfig({ testTimeout: 120_000 })

test('a watched file is checked again when it changes, and what differs is shown', async () => {
  await using folder = await temporaryFolder()
  const page = join(folder.path, 'page.html')
  await writeFile(page, '<b>$1</b>')
  await using watch = startCli(['check', page, '--css', 'price=b', '--watch'])
  await watch.says(/price {3}"\$1"/)
  // The same result in another page is no news.
  await writeFile(page, '<p><b>$1</b>')
  await writeFile(page, '<b>$2</b>')
  await watch.says(/price {3}"\$2"/)
  watch.signal('SIGINT')
  expect(await watch.exited).toBe(130)
  expect(watch.stdout.match(/price/g)).toHaveLength(2)
  expect(watch.stderr).toContain(`Checked again when ${page} changes. Ctrl-C ends.`)
})

test('a monitor that is half written is reported, and read again when it changes', async () => {
  await using folder = await temporaryFolder()
  const [page, monitor] = [join(folder.path, 'page.html'), join(folder.path, 'monitor.json')]
  const body = (field: string) =>
    JSON.stringify({
      name: 'Kettle',
      url: 'https://shop.example.com/',
      schedule_interval_seconds: 3600,
      extract_config: { method: 'css', fields: { [field]: 'b' } },
      diff_predicate: { type: 'any_field_changes' },
    })
  await writeFile(page, '<b>$1</b>')
  await writeFile(monitor, body('price'))
  await using watch = startCli(['check', page, '--monitor', monitor, '--watch'])
  await watch.says(/price {3}"\$1"/)
  await writeFile(monitor, '{"name": ')
  await vi.waitFor(() => expect(watch.stderr).toContain('is not JSON'), 60_000)
  await writeFile(monitor, body('cost'))
  await watch.says(/cost {3}"\$1"/)
})

test('a manifest of a watched folder is read again when its file changes', async () => {
  await using folder = await temporaryFolder()
  const [page, monitors] = [join(folder.path, 'page.html'), join(folder.path, 'monitors')]
  const write = (field: string) => {
    const fires = 'diffPredicate: { type: any_field_changes }'
    const extract = `extractConfig: { method: css, fields: { ${field}: b } }\n  ${fires}`
    const spec = `name: Kettle\n  url: https://shop.example.com/\n  scheduleIntervalSeconds: 3600\n  ${extract}`
    const head = 'apiVersion: tidemark.dev/v1\nkind: Monitor\nmetadata: { name: kettle }'
    return writeFile(join(monitors, 'kettle.yaml'), `${head}\nspec:\n  ${spec}\n`)
  }
  await mkdir(monitors)
  await writeFile(page, '<b>$1</b>')
  await write('price')
  await using watch = startCli(['check', page, '--monitor', monitors, '--name', 'kettle', '--watch'])
  await watch.says(/price {3}"\$1"/)
  await write('cost')
  await watch.says(/cost {3}"\$1"/)
})

test('a watched address is checked at intervals, and shown when it differs', async () => {
  await using site = await openSite()
  await using watch = startCli(['check', site.url, '--css', 'price=.price', '--watch', '--every', '1', '--json'], {
    TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
  })
  await watch.says(/"price":"\$1"/)
  await vi.waitFor(() => expect(site.requests.length).toBeGreaterThan(2), 60_000)
  site.price('$2')
  await watch.says(/"price":"\$2"/)
  expect(watch.stdout.trim().split('\n')).toHaveLength(2)
})

test.each([
  [['-', '--watch'], '--watch cannot read standard input again'],
  [['page.html', '--watch', '--every', '0'], 'must be a whole number of seconds from 1 to 9999'],
])('%j is refused', async (words, message) => {
  expect(await runHere(['check', ...words])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
})
