import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { EXAMPLES, describeWithHelm, program, valuesFile } from '../../test/charts/helm.ts'
import { PROGRAM, runProgram, tidemark } from './program.ts'

const RELEASE = 'kubernetes:helm.sh/v3:Release'
const KUBE = ['--kube-version', '1.34.10']

test('The chart is a release with the values of the program, in the namespace tidemark', async () => {
  const { one } = await runProgram(() => new tidemark.Tidemark('watch', { values: { api: { replicas: 3 } } }))
  expect(one(RELEASE)).toMatchObject({ name: 'watch', parent: 'tidemark:index:Tidemark' })
  expect(one(RELEASE).inputs).toMatchObject({
    name: 'watch',
    namespace: 'tidemark',
    createNamespace: true,
    timeout: 600,
    values: { api: { replicas: 3 } },
  })
})

test('The chart of the package is named by a path that is the same on every machine', async () => {
  const before = process.cwd()
  process.chdir(PROGRAM)
  try {
    const { one } = await runProgram(() => new tidemark.Tidemark('watch'))
    expect(one(RELEASE).inputs.chart).toBe('./node_modules/@tidemark/pulumi/chart')
  } finally {
    process.chdir(before)
  }
})

test('Another chart and version can be named', async () => {
  const { one } = await runProgram(
    () =>
      new tidemark.Tidemark('watch', { chart: 'oci://registry.example/tidemark', version: '1.2.3', releaseName: 'a' }),
  )
  expect(one(RELEASE).inputs).toMatchObject({ chart: 'oci://registry.example/tidemark', version: '1.2.3', name: 'a' })
})

describeWithHelm('The objects of a release', () => {
  test.each(EXAMPLES)('are those of helm template with %s.yaml', async (name) => {
    const values = parse(await readFile(valuesFile(name), 'utf8'))
    const { one } = await runProgram(() => new tidemark.Tidemark('tidemark', { values }))
    const { inputs } = one(RELEASE)
    const file = join(PROGRAM, `${name}.json`)
    await writeFile(file, JSON.stringify(inputs.values))
    const chart = join(process.cwd(), inputs.chart)
    const ours = await program('helm', 'template', inputs.name, chart, '-n', inputs.namespace, ...KUBE, '-f', file)
    expect(ours.ok, ours.out).toBe(true)
    const golden = await readFile(new URL(`../../test/charts/golden/${name}.yaml`, import.meta.url), 'utf8')
    const manifests = ours.out
      .split(/^---\n/m)
      .filter((text) => !/^kind: CustomResourceDefinition$/m.test(text) && text.trim() !== '')
    expect(manifests.join('---\n')).toBe(golden)
  })

  test('are refused where a value is unknown to the chart', async () => {
    // The types refuse it too.
    const { one } = await runProgram(() => new tidemark.Tidemark('tidemark', { values: { apis: {} } as never }))
    const file = join(PROGRAM, 'unknown.json')
    await writeFile(file, JSON.stringify(one(RELEASE).inputs.values))
    const chart = join(process.cwd(), one(RELEASE).inputs.chart)
    const refused = await program('helm', 'template', 'tidemark', chart, ...KUBE, '-f', file)
    expect(refused.ok).toBe(false)
    expect(refused.out).toMatch(/apis/)
  })
})
