import { MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { MonitorResourceStatus } from '../../../schema/monitor/monitor-resource-status.ts'
import { nodeOf } from '../../../schema/shape/walk-schema.ts'
import type { StructuralSchema } from './structural-schema.ts'
import { toStructural } from './to-structural.ts'

const GROUP = 'tidemark.dev'

/** Returns the CustomResourceDefinition of `Monitor`, v1. */
export const monitorCrd = () => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `monitors.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: {
      kind: 'Monitor',
      listKind: 'MonitorList',
      plural: 'monitors',
      singular: 'monitor',
      shortNames: ['mon'],
      categories: ['tidemark'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            description: 'Watches a page, API or feed on a schedule and reports what changed.',
            type: 'object',
            required: ['spec'],
            properties: {
              apiVersion: { type: 'string' },
              kind: { type: 'string' },
              metadata: { type: 'object' },
              spec: monitorSpec(),
              status: monitorStatus(),
            },
          },
        },
        subresources: { status: {} },
        selectableFields: SELECTABLE,
        additionalPrinterColumns: COLUMNS,
      },
    ],
  },
})

const SELECTABLE = ['.spec.suspend', '.spec.fetchMode', '.spec.extractConfig.method', '.status.id'].map((jsonPath) => ({
  jsonPath,
}))

const condition = (type: string, what: string) => `.status.conditions[?(@.type=="${type}")].${what}`
const COLUMNS = [
  { name: 'Ready', type: 'string', jsonPath: condition('Ready', 'status') },
  { name: 'Healthy', type: 'string', jsonPath: condition('Healthy', 'status') },
  { name: 'Interval', type: 'integer', jsonPath: '.spec.scheduleIntervalSeconds', description: 'In seconds.' },
  { name: 'Last change', type: 'date', jsonPath: '.status.lastChange.time' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  { name: 'URL', type: 'string', jsonPath: '.spec.url', priority: 1 },
  { name: 'Reason', type: 'string', jsonPath: condition('Ready', 'message'), priority: 1 },
]

const suspend: StructuralSchema = {
  description: 'No checks while true. The runs are kept.',
  type: 'boolean',
  default: false,
}

/** A template only helps to fill in a form, so a manifest does not name one. */
const LEFT_OUT = 'template_slug'

export function monitorSpec(): StructuralSchema {
  const whole = nodeOf(MonitorSpec)
  const { [LEFT_OUT]: _, ...properties } = whole.properties ?? {}
  const required = whole.required?.filter((key) => key !== LEFT_OUT) ?? []
  const spec = toStructural({ ...whole, properties, required }, '')
  return { ...spec, properties: { ...spec.properties, suspend } }
}

/** Conditions are told apart by their type, so that others than the operator may add theirs. */
function monitorStatus(): StructuralSchema {
  const status = toStructural(nodeOf(MonitorResourceStatus), 'status')
  const { conditions, ...properties } = status.properties ?? {}
  return {
    ...status,
    properties: {
      ...properties,
      conditions: { ...conditions, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
    },
  }
}
