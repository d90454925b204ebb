import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { KubeApi } from '../support/kubernetes/kube-api.ts'

interface Definition {
  properties?: Record<string, Definition>
  additionalProperties?: unknown
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[]
}

/**
 * Writes JSON schemas of everything that the API server knows, custom resources included, for kubeconform. Returns the
 * template of their names. They are strict: a key that the server does not know is refused.
 */
export async function writeKubeSchemas(kube: KubeApi, folder: string): Promise<string> {
  const { body: index } = await kube.call('GET', '/openapi/v3')
  for (const path of Object.keys(index.paths)) {
    if (!/^apis?\/.*v\d+$/.test(path)) continue
    const { body } = await kube.call('GET', `/openapi/v3/${path}`)
    const schemas = (body.components?.schemas ?? {}) as Record<string, Definition>
    const text = JSON.stringify(schemas, strict).replaceAll('#/components/schemas/', '#/definitions/')
    for (const [name, schema] of Object.entries(schemas))
      for (const { group, version, kind } of schema['x-kubernetes-group-version-kind'] ?? []) {
        const file = `${kind}-${group === '' ? '' : `${group.split('.')[0]}-`}${version}.json`.toLowerCase()
        const root = JSON.stringify({ $ref: `#/definitions/${name}` }).slice(1, -1)
        await writeFile(join(folder, file), `{${root},"definitions":${text}}`)
      }
  }
  return join(folder, '{{ .ResourceKind }}{{ .KindSuffix }}.json')
}

function strict(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const node = value as Definition
  if (!isMap(node.properties) || node.additionalProperties !== undefined) return value
  // A property that is called "properties" is no keyword.
  return 'type' in node && typeof node.type === 'string' ? { ...node, additionalProperties: false } : value
}

const isMap = (value: unknown): boolean => value !== null && typeof value === 'object' && !Array.isArray(value)
