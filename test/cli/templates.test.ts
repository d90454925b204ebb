import { expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { TEMPLATES } from '../../core/templates/templates.ts'
import { startShell } from '../support/process/cli-process.ts'
import { runHere } from '../support/process/run-here.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 240_000 })

test('tidemark templates lists all templates, without a server', async () => {
  const names = await runHere(['templates', '-o', 'name'])
  expect([names.code, names.stdout]).toEqual([0, TEMPLATES.map(({ slug }) => `${slug}\n`).join('')])
  const table = await runHere(['templates'])
  expect(table.stdout).toMatch(/^TEMPLATE +CATEGORY +EVERY +ADDRESS +WHAT IT REPORTS\n/)
  expect(table.stdout).toMatch(/^status-page +\S+ +\S+ +yours +\S/m)
  expect(JSON.parse((await runHere(['templates', '--json'])).stdout)).toEqual(TEMPLATES)
})

test('every template makes a valid manifest', async () => {
  const each = './tidemark templates --from-template $slug --url https://example.com/ --name my-$slug; echo ---'
  const line = `for slug in $(./tidemark templates -o name); do ${each}; done | ./tidemark validate -f -`
  await using shell = startShell(line)
  expect([await shell.exited, shell.stdout, shell.stderr]).toEqual([0, `${TEMPLATES.length} manifests are valid\n`, ''])
})

test('a manifest has the name and address that are given, and else those of the template', async () => {
  const words = ['templates', '--from-template', 'generic-css-selector']
  const own = await runHere(words)
  expect(parse(own.stdout)).toMatchObject({
    kind: 'Monitor',
    metadata: { name: 'generic-css-selector' },
    spec: { url: 'https://example.com/', scheduleIntervalSeconds: 3600 },
  })
  const named = await runHere([...words, '--url', 'https://shop.example.com/', '--name', 'kettle', '--json'])
  expect(JSON.parse(named.stdout)).toMatchObject({
    metadata: { name: 'kettle' },
    spec: { url: 'https://shop.example.com/', extractConfig: { method: 'css' } },
  })
})

test.each([
  [['--from-template', 'status-page'], 'the template status-page has no address of its own: give one by --url'],
  [['--from-template', 'nothing'], 'there is no template "nothing"; there are:'],
  [['--from-template', 'generic-full-page', '--url', 'http://10.1.2.3/'], '--url The target is not allowed'],
  [['--from-template', 'generic-full-page', '--name', 'A kettle'], '--name must have'],
  [['--name', 'kettle'], '--url and --name belong to --from-template'],
])('a command line that is not valid ends with 2: %j', async (words, message) => {
  const { code, stdout, stderr } = await runHere(['templates', ...words])
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
})
