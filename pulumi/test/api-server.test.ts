import { afterAll, beforeAll, expect, test } from 'vitest'
import { toResourceNames } from '../../core/custom-resource/names.ts'
import { MONITOR_RESOURCE, resourcesPath, SERP_MONITOR_RESOURCE } from '../../schema/resource-kind.ts'
import { armCases, boundCases } from '../../test/crds/cases.ts'
import { MONITOR, SERP_MONITOR } from '../../test/crds/definition.ts'
import { monitorWith } from '../../test/crds/sample.ts'
import { type KubeApi, startKubeApi } from '../../test/support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../../test/support/kubernetes/kube-assets.ts'
import { pulumi, type Registered, runProgram, tidemark } from './program.ts'

const CRDS = new URL('../../crds/', import.meta.url).pathname

describeWithApiServer('What programs declare', () => {
  let kube: KubeApi
  beforeAll(async () => {
    kube = await startKubeApi()
    await kube.applyCrds(CRDS)
  })
  afterAll(() => kube.stop())

  function pathOf({ type, inputs }: Registered): string {
    const kind = inputs.kind === 'Monitor' ? MONITOR_RESOURCE : SERP_MONITOR_RESOURCE
    const isCore = type.startsWith('kubernetes:core')
    const list = isCore ? '/api/v1/namespaces/default/secrets' : resourcesPath(kind, 'default')
    return `${list}/${inputs.metadata.name}`
  }

  /** Applies an object as Pulumi's provider does: strictly, tried first. Returns what the server has then. */
  async function apply(declared: Registered, dryRun: boolean) {
    const query = `fieldManager=pulumi&fieldValidation=Strict${dryRun ? '&dryRun=All' : ''}`
    const answer = await kube.call(
      'PATCH',
      `${pathOf(declared)}?${query}`,
      declared.inputs,
      'application/apply-patch+yaml',
    )
    expect(answer.status, JSON.stringify([declared.inputs, answer.body])).toBeLessThan(300)
    return answer.body
  }

  test('is accepted by an API server, and has there what was declared', async () => {
    const { registered } = await runProgram(() => {
      const more = {
        requestHeaders: { Accept: 'text/html', Authorization: pulumi.secret('Bearer 1') },
        notifyOn: ['failing' as const],
        suspend: true,
      }
      return [
        new tidemark.Monitor('kettle', {
          ...more,
          name: 'Price of the kettle',
          url: 'https://shop.example/kettle',
          scheduleIntervalSeconds: 900,
          extractConfig: { method: 'css', fields: { price: '.price', name: 'h1' } },
          diffPredicate: {
            type: 'composite',
            operator: 'OR',
            conditions: [
              { type: 'field_decreases_by_percent', field: 'price', threshold: 5 },
              { type: 'field_equals', field: 'name', value: true },
            ],
          },
          requestConfig: {
            method: 'POST',
            body: '{"page": 1}',
            pagination: { type: 'page', in: 'body', param: 'page', maxPages: 3 },
          },
          deliveries: [{ type: 'webhook', url: pulumi.secret('https://hooks.example/1') }],
        }),
        new tidemark.SerpMonitor('rank', {
          name: 'Rank',
          keyword: 'kettle',
          scheduleIntervalSeconds: 3600,
          targetDomain: 'shop.example',
          deliveries: [{ type: 'discord', webhookUrl: pulumi.secret('https://hooks.example/2') }],
        }),
      ]
    })
    const objects = registered.filter(({ type }) => type.startsWith('kubernetes:'))
    expect(objects).toHaveLength(4)
    for (const declared of objects) {
      await apply(declared, true)
      await apply(declared, false)
      const { stringData, ...rest } = declared.inputs
      const data = Object.fromEntries(Object.entries(stringData ?? {}).map(([key, text]) => [key, btoa(String(text))]))
      const { body } = await kube.call('GET', pathOf(declared))
      expect(body).toMatchObject({ ...rest, ...(stringData && { data }) })
    }
  })

  test.each([
    ['Monitor', MONITOR, MONITOR_RESOURCE],
    ['SerpMonitor', SERP_MONITOR, SERP_MONITOR_RESOURCE],
  ] as const)('is accepted in every variant and at every bound of a %s', async (kind, definition, resource) => {
    // Null means the same as an absent key, which is how a program says it.
    const cases = [...armCases(definition), ...boundCases(definition)].filter(
      ({ valid, value }) => valid && value !== null,
    )
    const specs = cases.map(({ place, value, title }) => ({
      title,
      spec: toResourceNames(definition, monitorWith(place, value, definition)) as Record<string, unknown>,
    }))
    for (const [index, { title, spec }] of specs.entries()) {
      const name = `m${index}`
      const { registered } = await runProgram(() =>
        kind === 'Monitor' ? new tidemark.Monitor(name, spec as never) : new tidemark.SerpMonitor(name, spec as never),
      )
      const declared = registered.find(
        ({ type }) => type === `kubernetes:tidemark.dev/v1:${resource.kind}`,
      ) as Registered
      const { spec: stored } = await apply(declared, true)
      expect(stored, title).toMatchObject(spec)
    }
    expect(specs.length).toBeGreaterThan(10)
  })

  test('is refused by the server where it breaks a rule, not by the package', async () => {
    const { registered } = await runProgram(
      () =>
        new tidemark.Monitor('wrong', {
          name: 'Wrong',
          url: 'https://shop.example/',
          scheduleIntervalSeconds: 5,
          extractConfig: { method: 'full_page' },
          diffPredicate: { type: 'field_changes', field: 'price' },
        }),
    )
    const declared = registered.find(({ inputs }) => inputs.kind === 'Monitor') as Registered
    const query = 'fieldManager=pulumi&dryRun=All'
    const answer = await kube.call(
      'PATCH',
      `${pathOf(declared)}?${query}`,
      declared.inputs,
      'application/apply-patch+yaml',
    )
    expect(answer.status).toBe(422)
    expect(answer.body.message).toMatch(/scheduleIntervalSeconds/)
  })
})
