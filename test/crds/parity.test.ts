import { afterAll, beforeAll, expect, test } from 'vitest'
import { camelCase } from '../../core/custom-resource/camel-case.ts'
import { type KubeApi, startKubeApi } from '../support/kube-api.ts'
import { KUBE_ASSETS_ADVICE, kubeAssets } from '../support/kube-assets.ts'
import { describeIf } from '../support/skip.ts'
import { armCases, boundCases, type Case, ruleCases } from './cases.ts'
import { DIFFERENCES } from './differences.ts'
import { EXAMPLES, largest } from './examples.ts'
import { api, asSpec, kubernetes } from './judges.ts'

const CRDS = new URL('../../crds/', import.meta.url).pathname

describeIf(kubeAssets() !== null, KUBE_ASSETS_ADVICE)('A monitor of the API and a Monitor of Kubernetes', () => {
  let kube: KubeApi
  beforeAll(async () => {
    kube = await startKubeApi()
    await kube.applyCrds(CRDS)
  })
  afterAll(() => kube?.stop())

  test('a rule gives the same answer to its examples in both engines, wherever it stands', async () => {
    expect(await disagreements(kube, ruleCases())).toEqual([])
  })

  test('a variant needs and refuses the same keys in both', async () => {
    expect(await disagreements(kube, armCases())).toEqual([])
  })

  test('a bound is kept and broken at the same value in both, and a value of another kind is refused', async () => {
    expect(await disagreements(kube, boundCases())).toEqual([])
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
async function disagreements(kube: KubeApi, cases: readonly Case[]): Promise<string[]> {
  const found: string[] = []
  for (const { title, monitor, valid } of cases) {
    const here = api(monitor)
    const there = await kubernetes(kube, asSpec(monitor))
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
const OF_THE_WHOLE = /predicate|direct_or|wait_for_rendered/
const WORDED_APART = /value|scalar|predicate_fields/

function alike(fault: string, other: string, title: string): boolean {
  const [place, words] = [fault.slice(0, fault.indexOf(': ')), fault.slice(fault.indexOf(': ') + 2)]
  const otherPlace = other.slice(0, other.indexOf(': '))
  // An unknown key is told in words alone.
  if (!place.startsWith(otherPlace)) return false
  if (otherPlace === '' && !OF_THE_WHOLE.test(title)) return other.includes(`unknown field "spec.${place}"`)
  return WORDED_APART.test(title) || !OURS.test(`${title} ${words}`) || inCamelCase(other).endsWith(inCamelCase(words))
}

const inCamelCase = (text: string) => text.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, camelCase)
