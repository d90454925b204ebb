import { expect, test } from 'vitest'
import { EXAMPLES, type Manifest, describeWithHelm, manifestsOf, podOf, valuesFile } from './helm.ts'

/** Values that name a Secret of the release, each by another name. */
const NAMING = {
  encryptionKey: { name: 'of-encryption' },
  imagePullSecrets: [{ name: 'of-registry' }],
  api: { ingress: { enabled: true, host: 'a.example', tlsSecretName: 'of-tls' } },
  secretSettings: { SMTP_URL: { name: 'of-mail', key: 'url' }, LLM_API_KEY: { name: 'of-model' } },
  extraEnv: [
    { name: 'A', value: 'b' },
    { name: 'B', valueFrom: { secretKeyRef: { name: 'of-env', key: 'b' } } },
    { name: 'C', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
  ],
  extraVolumes: [
    { name: 'ca', secret: { secretName: 'of-volume' } },
    { name: 'all', projected: { sources: [{ secret: { name: 'of-projection' } }, { configMap: { name: 'open' } }] } },
    { name: 'open', configMap: { name: 'open' } },
  ],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/company' }],
  runner: { extraVolumes: [{ name: 'ca', secret: { secretName: 'of-runner' } }] },
}

const operatorArgs = (manifests: readonly Manifest[]): readonly string[] =>
  manifests
    .flatMap((manifest) => podOf(manifest)?.spec.containers ?? [])
    .flatMap(({ name, args = [] }) => (name === 'operator' ? args : []))

/** Returns the names that follow the flag. */
function namesIn(args: readonly string[]): readonly string[] {
  const rest = args.slice(args.indexOf('--own-secrets') + 1)
  const end = rest.findIndex((one) => one.startsWith('--'))
  return rest.slice(0, end === -1 ? rest.length : end).toSorted()
}

/** Returns the names of all Secrets that objects refer to, whatever the objects are. */
function namedIn(value: unknown): readonly string[] {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'secretName' && typeof inner === 'string') return [inner]
    if ((key === 'secretKeyRef' || key === 'secretRef') && inner?.name) return [inner.name]
    if (key === 'secret' && inner?.name) return [inner.name]
    if (key === 'imagePullSecrets') return inner.map(({ name }: { name: string }) => name)
    return namedIn(inner)
  })
}

describeWithHelm('The operator of the chart', () => {
  test.each(EXAMPLES)('knows the Secrets that the objects of %s.yaml name', async (name) => {
    const manifests = await manifestsOf('-f', valuesFile(name), '--set', 'operator.enabled=true,owner.create=true')
    const named = new Set([...namedIn(manifests), 'tidemark-keys'])
    expect(namesIn(operatorArgs(manifests))).toEqual([...named].toSorted())
  })

  test('knows every Secret that a value names', async () => {
    const values = Object.entries(NAMING).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`])
    const manifests = await manifestsOf('-f', valuesFile('cluster'), ...values)
    const names = namesIn(operatorArgs(manifests))
    expect(names).toEqual([...new Set([...namedIn(manifests), 'tidemark-keys'])].toSorted())
    expect(names.filter((name) => name.startsWith('of-'))).toEqual(
      ['encryption', 'env', 'mail', 'model', 'projection', 'registry', 'runner', 'tls', 'volume'].map(
        (of) => `of-${of}`,
      ),
    )
    const shared = await manifestsOf(
      ...['-f', valuesFile('cluster'), '--set-json', 'global={"imagePullSecrets":[{"name":"of-all"}]}'],
    )
    expect(namesIn(operatorArgs(shared))).toContain('of-all')
  })

  test('reads Secrets without the label only where a value says so', async () => {
    const args = async (...more: string[]) =>
      operatorArgs(await manifestsOf('-f', valuesFile('cluster'), ...more)).filter((one) => one.includes('unlabelled'))
    expect(await args()).toEqual([])
    expect(await args('--set', 'operator.secrets.requireLabel=false')).toEqual(['--read-unlabelled-secrets'])
    expect(await args('--set', 'operator.secrets=null')).toEqual([])
  })
})
