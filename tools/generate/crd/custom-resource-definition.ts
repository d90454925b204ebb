import { definitionName, RESOURCE_GROUP } from '../../../schema/resource-kind.ts'
import { nodeOf } from '../../../schema/shape/walk-schema.ts'
import type { Kind } from './kinds.ts'
import type { StructuralSchema } from './structural-schema.ts'
import { toStructural } from './to-structural.ts'

/** Returns the CustomResourceDefinition of a kind, v1. */
export const customResourceDefinition = (kind: Kind) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: definitionName(kind) },
  spec: {
    group: RESOURCE_GROUP,
    scope: 'Namespaced',
    names: {
      kind: kind.kind,
      listKind: `${kind.kind}List`,
      plural: kind.plural,
      singular: kind.singular,
      shortNames: [kind.shortName],
      categories: ['tidemark'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            description: kind.description,
            type: 'object',
            required: ['spec'],
            properties: {
              // The API server describes these three itself.
              apiVersion: { type: 'string' },
              kind: { type: 'string' },
              metadata: { type: 'object' },
              spec: specOf(kind),
              status: statusOf(kind),
            },
          },
        },
        subresources: { status: {} },
        selectableFields: kind.selectable.map((jsonPath) => ({ jsonPath })),
        additionalPrinterColumns: kind.columns,
      },
    ],
  },
})

const suspend: StructuralSchema = {
  description: 'No checks while true. The runs are kept.',
  type: 'boolean',
  default: false,
}

/** Returns the schema of the spec of a kind. */
export function specOf({ spec: definition, withoutKeys }: Kind): StructuralSchema {
  const whole = nodeOf(definition)
  const isKept = (key: string) => !withoutKeys.includes(key)
  const properties = Object.fromEntries(Object.entries(whole.properties ?? {}).filter(([key]) => isKept(key)))
  const spec = toStructural({ ...whole, properties, required: whole.required?.filter(isKept) ?? [] }, '')
  return {
    description: 'The configuration: what is watched, how often, and who is notified.',
    ...spec,
    properties: { ...spec.properties, suspend },
  }
}

/** Conditions are distinguished by their type, so that other writers than the operator may add theirs. */
function statusOf(kind: Kind): StructuralSchema {
  const status = toStructural(nodeOf(kind.status), 'status')
  const { conditions, ...properties } = status.properties ?? {}
  return {
    description: 'The result of the checks and the state of the resource. The operator writes it.',
    ...status,
    // Flux and Helm take a resource without a status for ready.
    default: { observedGeneration: -1 },
    properties: {
      ...properties,
      conditions: { ...conditions, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
    },
  }
}
