import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { describeWithHelm, manifestsOf, podOf, valuesFile } from './helm.ts'

const file = (name: string) => new URL(`../../examples/cloudnativepg/${name}`, import.meta.url)

describeWithHelm('the example for CloudNativePG', () => {
  test('has the chart read the Secret that the operator of the cluster makes', async () => {
    const cluster = parse(await readFile(file('cluster.yaml'), 'utf8'))
    const manifests = await manifestsOf('-f', valuesFile('cluster'), '-f', file('values.yaml').pathname)
    const containers = manifests
      .map(podOf)
      .filter((pod) => pod !== null)
      .flatMap(({ spec }) => [...spec.containers, ...(spec.initContainers ?? [])])
    const addresses = containers.flatMap(({ env = [] }) => env.filter(({ name }) => name === 'DATABASE_URL'))
    // The operator names it after the cluster, and writes the whole address under this key.
    const own = { valueFrom: { secretKeyRef: { name: `${cluster.metadata.name}-app`, key: 'uri' } } }
    expect(addresses.length).toBeGreaterThan(2)
    for (const one of addresses) expect(one).toEqual({ name: 'DATABASE_URL', ...own })
    expect(cluster.spec.bootstrap.initdb).toMatchObject({ encoding: 'UTF8', owner: 'tidemark' })
  })
})
