import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { failTimes } from '../support/database/check-states.ts'
import type { KubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { openOperatorSetup, type OperatorSetup, startCluster } from './operator-setup.ts'

const PAGE = await readFile(new URL('../../docs/custom-resources.md', import.meta.url), 'utf8')
/** The block of output in the page that begins with this. */
const block = (start: string) =>
  Array.from(PAGE.matchAll(/```text\n(.*?)```/gs), ([, text = '']) => text).find((text) =>
    text.trim().startsWith(start),
  ) ?? ''
const AGE = /^\d+[smhd]$/

describeWithApiServer('kubectl, as the page of custom resources shows it', () => {
  let kube: KubeApi
  let setup: OperatorSetup
  beforeAll(async () => {
    kube = await startCluster()
    setup = await openOperatorSetup(kube)
    const at = (name: string) => ({ url: `https://shop.example/${name}` })
    await setup.apply('kettle', at('kettle'))
    await setup.apply('urn', at('urn'))
    await setup.apply('pot', {
      ...at('pot'),
      scheduleIntervalSeconds: 3_600,
      extractConfig: { method: 'css', fields: { price: 'b[[' } },
    })
    for (const name of ['kettle', 'urn']) await setup.until(name, 'Ready', 'Scheduled')
    await setup.until('pot', 'Ready', 'Invalid')
    await ran('kettle', 0)
    await ran('urn', 6)
    // A change of the resource is a reason to look at once.
    for (const name of ['kettle', 'urn']) await setup.apply(name, { ...at(name), name: 'Price' })
    await setup.until('kettle', 'Healthy', 'Succeeding')
    await setup.until('urn', 'Healthy', 'Failing')
    const lastChange = { time: new Date().toISOString(), runId: '0198c0de-0000-7000-8000-000000000001', fields: [] }
    await setup.stop()
    const patch = { status: { lastChange } }
    await kube.call('PATCH', `${setup.path('kettle')}/status`, patch, 'application/merge-patch+json')
  }, 60_000)
  afterAll(async () => {
    await setup[Symbol.asyncDispose]()
    await kube.stop()
  })

  const ran = (name: string, failures: number) => failTimes(setup, { resource: name }, failures)
  const cells = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) =>
        line
          .trim()
          .split(/ {2,}/)
          .map((cell) => (AGE.test(cell) && cell !== '15m' && cell !== '1h' ? 'age' : cell)),
      )

  test('get', async () => {
    const shown = await kube.kubectl('get', 'monitors', '-n', setup.namespace)
    expect(cells(shown)).toEqual(cells(block('NAME')))
  })

  test('get -o wide, with the reasons', async () => {
    const shown = await kube.kubectl('get', 'mon', '-o', 'wide', '-n', setup.namespace)
    expect(shown).toMatch(/^NAME .* REASON +HEALTH +DELIVERING$/m)
    expect(shown).toMatch(/^kettle .* The monitor is scheduled\. +The checks succeed\. *$/m)
    expect(shown).toMatch(/^pot .* spec\.extractConfig\.fields\.price is not a CSS selector/m)
  })

  test('describe, with why it is not healthy', async () => {
    const shown = await kube.kubectl('describe', 'monitor', 'urn', '-n', setup.namespace)
    const timeless = (text: string) =>
      text.replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME').replace('The last checks failed.', 'The site answered 503.')
    expect(timeless(shown)).toContain(timeless(block('Conditions:')))
    expect(shown).toMatch(/Normal +Created .* The monitor [-0-9a-f]+ was created\./)
  })

  test('explain', async () => {
    const shown = await kube.kubectl('explain', 'monitor.status.conditions')
    expect(shown).toContain('Ready: accepted, resolved and scheduled.')
    expect(await kube.kubectl('explain', 'monitor.spec.suspend')).toContain('No checks while true.')
  })

  test('a dry run on the server answers violated rules in words', async () => {
    const { spec } = await setup.read('kettle')
    const said = async (change: object) => {
      const metadata = { name: 'bad', namespace: setup.namespace }
      const body = { apiVersion: 'tidemark.dev/v1', kind: 'Monitor', metadata, spec: { ...spec, ...change } }
      const path = `/apis/tidemark.dev/v1/namespaces/${setup.namespace}/monitors?dryRun=All`
      const answer = await kube.call('POST', path, body)
      expect(answer.status).toBe(422)
      return answer.body.message as string
    }
    expect(await said({ url: 'ftp://shop.example/' })).toMatch(/spec\.url: .*http/)
    expect(await said({ scheduleIntervalSeconds: 5 })).toContain('should be greater than or equal to 60')
    expect(await said({ diffPredicate: { type: 'field_changes' } })).toMatch(/spec\.diffPredicate.*field/)
  })
})
