import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { FAMILY, VALUE_FAMILIES } from '../../schema/chart/value-families.ts'
import { valueFamilies } from '../../tools/generate/chart/value-families.ts'
import { valueLeaves } from '../../tools/generate/chart/walk-values.ts'
import { describeIf } from '../support/run/skip.ts'
import { HELM_ADVICE, hasHelm, render, valuesFile } from './helm.ts'

/** Texts that nothing can judge before they are used: what another service calls its own, and settings. */
const FREE = [
  ...['pictures.bucket.name', 'pictures.bucket.region', 'operator.clusterId'],
  // A start says what is wrong with one of them.
  'settings.',
]

const FAMILIES = (
  parse(valueFamilies()) as readonly {
    readonly pattern: string
    readonly words: string
    readonly paths: readonly string[]
  }[]
).map((family, at) => ({ ...family, name: Object.keys(VALUE_FAMILIES)[at] as keyof typeof VALUE_FAMILIES }))

test.each(Object.entries(VALUE_FAMILIES))('The family %s tells its examples apart', (_, family) => {
  const pattern = new RegExp(family.pattern)
  expect(family.accepts.filter((one) => !pattern.test(one))).toEqual([])
  expect(family.rejects.filter((one) => pattern.test(one))).toEqual([])
})

test('Each text among the values of the chart has a family, a list of choices or a pattern', () => {
  const texts = valueLeaves().filter(({ node: { type } }) => type === 'string')
  expect(texts.length).toBeGreaterThan(100)
  const free = texts.filter(({ node }) => !node.enum && node.pattern === undefined && node[FAMILY] === undefined)
  const unjudged = free.map(({ path }) => path.join('.')).filter((path) => !FREE.some((own) => path.startsWith(own)))
  expect(unjudged).toEqual([])
})

/** Returns values with one value at a path of the generated file. */
function valuesAt([key = '', ...rest]: readonly string[], value: string): unknown {
  const within = (path: readonly string[]) => (path.length === 0 ? value : valuesAt(path, value))
  const [next] = rest
  if (next === '@') return { [key]: { [value]: '1' } }
  if (next !== '*') return { [key]: within(rest) }
  const one = within(rest.slice(1))
  return { [key]: ['requests', 'limits'].includes(key) ? { memory: one } : [one] }
}

/** Returns the value as Helm's messages name it. */
const shown = (path: string): string =>
  path.endsWith('/@')
    ? `a key of ${path.slice(0, -2).replaceAll('/', '.')}`
    : path
        .replace(/(requests|limits)\/\*/, '$1/memory')
        .replaceAll('/*', '[0]')
        .replaceAll('/', '.')

describeIf(hasHelm(), HELM_ADVICE)('The chart', () => {
  const rendered = (path: string, value: string) => {
    const [section = ''] = path.split('/')
    const values = valuesAt(path.split('/'), value) as Readonly<Record<string, unknown>>
    return render('-f', valuesFile('try-out'), '--set-json', `${section}=${JSON.stringify(values[section])}`)
  }

  test.each(FAMILIES)('takes a $name and refuses what is none in words', async ({ name, words, paths }) => {
    const { accepts, rejects } = VALUE_FAMILIES[name]
    const [path = ''] = paths
    expect(path).not.toBe('')
    const [right, wrong] = [await rendered(path, accepts[0]), await rendered(path, rejects[0])]
    // What the value is one part of may lack another part.
    expect(right.out).not.toContain('which is not')
    expect(wrong.ok).toBe(false)
    expect(wrong.out).toContain(`${shown(path)} is ${JSON.stringify(rejects[0])}, which is not ${words}`)
  })

  test.each([
    [['--set', 'egress.allowPrivateCidrs={10.0.0.0/8,10.0.0.0/33}'], 'egress.allowPrivateCidrs[1] is "10.0.0.0/33"'],
    [['--set', 'api.baseUrl=tidemark.example.com'], 'api.baseUrl is "tidemark.example.com", which is not an address'],
    [['--set', 'worker.resources.limits.memory=lots'], 'worker.resources.limits.memory is "lots"'],
    [['--set', 'encryptionKey.name=My-Keys'], 'encryptionKey.name is "My-Keys", which is not the name of an object'],
    [['--set', 'secretSettings.SMTP_URL.name=Mail'], 'secretSettings.SMTP_URL.name is "Mail"'],
    [['--set', 'settings.LLM_BASE_URL=models.example.com'], 'settings.LLM_BASE_URL is "models.example.com"'],
    [['--set-json', 'worker.tolerations=[{"operator":"exists"}]'], 'worker.tolerations[0].operator is "exists"'],
  ] as const)('%j is refused in words', async (args, message) => {
    const { ok, out } = await render('-f', valuesFile('try-out'), ...args)
    expect(ok).toBe(false)
    expect(out).toContain(message)
  })
})
