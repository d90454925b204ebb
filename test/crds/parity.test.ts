import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { camelCase } from '../../core/custom-resource/camel-case.ts'
import { SerpMonitorCreate } from '../../schema/serp/serp-monitor.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { type KubeApi, startKubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { armCases, boundCases, type Case, ruleCases } from './cases.ts'
import { type Definition, MONITOR, SERP_MONITOR } from './definition.ts'
import { DIFFERENCES } from './differences.ts'
import { EXAMPLES, largest } from './examples.ts'
import { api, asSpec, kubernetes } from './judges.ts'
import { monitorWith } from './sample.ts'

const CRDS = new URL('../../crds/', import.meta.url).pathname

describeWithApiServer('A monitor of the API and a Monitor of Kubernetes', () => {
  let kube: KubeApi
  beforeAll(async () => {
    kube = await startKubeApi()
    await kube.applyCrds(CRDS)
  })
  afterAll(() => kube?.stop())

  describe.each([
    ['of a page', MONITOR],
    ['of a search', SERP_MONITOR],
  ])('%s', (_, root) => {
    test('a rule gives the same answer to its examples in both engines, wherever it stands', async () => {
      expect(await disagreements(kube, ruleCases(root), root)).toEqual([])
    })

    test('a variant needs and refuses the same keys in both', async () => {
      expect(await disagreements(kube, armCases(root), root)).toEqual([])
    })

    test('a bound is kept and broken at the same value in both, and a value of another kind is refused', async () => {
      expect(await disagreements(kube, boundCases(root), root)).toEqual([])
    })
  })

  test('a monitor of a search is taken by both, with the same defaults', async () => {
    const least = { name: 'Kettle', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }
    expect(api(least, SERP_MONITOR)).toEqual({ ok: true, faults: [] })
    const filled = checkerOf(SerpMonitorCreate).validate(least, { defaults: true })
    const record = (filled.ok ? filled.value : {}) as Record<string, unknown>
    const { quiet_hours: _hours, message: _message, external_key: _key, labels: _labels, ...rest } = record
    const { rank_change_threshold: _, digest: _digest, ...stored } = rest
    const answer = await kubernetes(kube, asSpec(least, SERP_MONITOR), SERP_MONITOR)
    expect(answer.spec).toEqual({ ...(asSpec(stored, SERP_MONITOR) as object), suspend: false })
  })

  test.each(EXAMPLES)('$title is taken by both, as it is', async ({ monitor }) => {
    expect(api(monitor)).toEqual({ ok: true, faults: [] })
    const answer = await kubernetes(kube, asSpec(monitor))
    expect(answer).toMatchObject({ ok: true, spec: asSpec(monitor) })
  })

  test('the largest predicate there is costs the API server less than its budget', async () => {
    const monitor = largest()
    expect(api(monitor)).toEqual({ ok: true, faults: [] })
    expect(await kubernetes(kube, asSpec(monitor))).toMatchObject({ ok: true })
  }, 60_000)

  test.each(DIFFERENCES)('they still differ: $what', async ({ monitor, spec, valid }) => {
    expect({ api: api(monitor).ok, kubernetes: (await kubernetes(kube, spec ?? asSpec(monitor))).ok }).toEqual(valid)
  })
})

/**
 * What goes against the definition, in a line each: a verdict that is wrong, or a fault that the two see at different
 * places.
 */
async function disagreements(kube: KubeApi, cases: readonly Case[], root: Definition): Promise<string[]> {
  const found: string[] = []
  for (const { title, place, value, valid } of cases) {
    const monitor = monitorWith(place, value, root)
    const here = api(monitor, root)
    const there = await kubernetes(kube, asSpec(monitor, root), root)
    if (here.ok !== valid) found.push(`${title}: API: ${here.faults.join('; ')}`)
    if (there.ok !== valid) found.push(`${title}: Kubernetes: ${there.faults.join('; ')}`)
    if (!here.ok && !there.ok && !here.faults.some((fault) => there.faults.some((other) => alike(fault, other, title))))
      found.push(`${title}: ${here.faults.join('; ')} <> ${there.faults.join('; ')}`)
  }
  return found
}

/** Rules and variants have the same words here and there; what a shape says is the server's own. */
const OURS = /( (is required|is not allowed) with | accepts\[| rejects\[)/
/** Rules over several fields of a monitor, whose place is the whole. */
const OF_THE_WHOLE = /predicate|direct_or|wait_for_rendered|document_as_sent|pod_rendered|target_/
const WORDED_APART = /value|scalar|predicate_fields|clean_fields|known_options|needed_options/

function alike(fault: string, other: string, title: string): boolean {
  const [place, words] = [fault.slice(0, fault.indexOf(': ')), fault.slice(fault.indexOf(': ') + 2)]
  const otherPlace = other.slice(0, other.indexOf(': '))
  // An unknown key is told in words alone.
  if (!place.startsWith(otherPlace)) return false
  if (otherPlace === '' && !OF_THE_WHOLE.test(title)) return other.includes(`unknown field "spec.${place}"`)
  return WORDED_APART.test(title) || !OURS.test(`${title} ${words}`) || inCamelCase(other).endsWith(inCamelCase(words))
}

const inCamelCase = (text: string) => text.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, camelCase)
