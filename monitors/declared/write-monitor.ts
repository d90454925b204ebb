import { isDeepStrictEqual } from 'node:util'
import { monitorManifest } from '../../core/custom-resource/monitor-manifest.ts'
import { toApiNames, toResourceNames } from '../../core/custom-resource/names.ts'
import { identityOfKey, nameForResource } from '../../core/custom-resource/resource-name.ts'
import { withSecrets } from '../../core/custom-resource/with-secrets.ts'
import { curlCommand } from '../../manifests/curl-command.ts'
import { pulumiProgram } from '../../manifests/pulumi-program.ts'
import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import { MASK } from '../../schema/monitor/mask.ts'
import type { WrittenForm } from '../../schema/monitor/written-monitor.ts'
import { nodeOf } from '../../schema/shape/walk-schema.ts'
import type { SpecKind } from '../kinds/spec-kind.ts'

/** A value that a text does not have, and how it refers to it. */
interface Hidden {
  readonly key: string
  readonly what: string
  /** For a caller that puts it there. It is not shown otherwise. */
  readonly value: string
}

interface Written {
  readonly text: string
  readonly secrets: readonly Hidden[]
}

/** Stands for a secret in a program while it is written. No text of a configuration has this character. */
const REFERENCE = '\0'

/**
 * Returns a configuration as text: as the manifest that a stored monitor has, or as a program or a request that makes
 * the same monitor. All have the secrets of the manifest replaced. `spec` has its defaults, which only the manifest
 * shows.
 */
export async function writeMonitor(kind: SpecKind, spec: EverySpec, as: WrittenForm): Promise<Written> {
  const { resource, definition } = kind
  const { name, namespace } = identityOfKey(spec.external_key) ?? { name: nameForResource(spec.name) }
  // Nothing is stored that the manifest could take over.
  const record = { id: '', isPaused: false, adopts: false }
  const declared = monitorManifest({ resource, definition, spec, name, ...record, ...(namespace && { namespace }) })
  const { manifest, secrets } = declared
  if (as === 'manifest') {
    // Few processes ever write YAML, and its package takes memory.
    const { manifestYaml } = await import('../../manifests/manifest-yaml.ts')
    return { text: manifestYaml(declared, name), secrets }
  }
  const resourceSpec = manifest['spec'] as Readonly<Record<string, unknown>>
  const bodyWith = (refer: (key: string) => string) => {
    const whole = toApiNames(
      definition,
      withSecrets(resourceSpec, ({ key }) => refer(key)),
    ) as object
    return withoutDefaults(definition, { ...spec, ...whole })
  }
  if (as === 'curl') {
    const hidden = secrets.map((secret) => ({ ...secret, key: MASK + secret.key }))
    const body = bodyWith((key) => MASK + key)
    return { text: curlCommand({ path: `/v1/${resource.collection}`, body, secrets: hidden }), secrets: hidden }
  }
  const ofStack = (key: string) => `${name}-${key}`
  const hidden = secrets.map((secret) => ({ ...secret, key: ofStack(secret.key) }))
  const { template_slug: _, ...body } = bodyWith((key) => REFERENCE + ofStack(key))
  const text = pulumiProgram({
    kind: resource.kind,
    name,
    spec: toResourceNames(definition, body) as Readonly<Record<string, unknown>>,
    secrets: hidden,
    keyOf: (value) => (value.startsWith(REFERENCE) ? value.slice(REFERENCE.length) : null),
  })
  return { text, secrets: hidden }
}

const withoutDefaults = (definition: object, spec: object): Readonly<Record<string, unknown>> => {
  const { properties = {} } = nodeOf(definition)
  return Object.fromEntries(
    Object.entries(spec).filter(([key, value]) => !isDeepStrictEqual(value, properties[key]?.default)),
  )
}
