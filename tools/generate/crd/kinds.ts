import type { TSchema } from 'typebox'
import { MonitorResourceStatus } from '../../../schema/monitor/monitor-resource-status.ts'
import { MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { MONITOR_RESOURCE, SERP_MONITOR_RESOURCE, type ResourceKind } from '../../../schema/resource-kind.ts'
import { SerpMonitorSpec } from '../../../schema/serp/serp-monitor.ts'

/** A column of `kubectl get`. Columns of priority 1 are shown by `-o wide` only. */
interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'date'
  readonly jsonPath: string
  readonly description: string
  readonly priority?: 1
}

/** One kind of custom resource, and the definitions that it is generated from. */
export interface Kind extends ResourceKind {
  readonly description: string
  /** The file that defines the spec, for the first line of the generated file. */
  readonly source: string
  readonly spec: TSchema
  readonly status: TSchema
  /** Keys of the spec that a manifest does not have. */
  readonly withoutKeys: readonly string[]
  /** Fields that `kubectl get --field-selector` accepts; at most eight. */
  readonly selectable: readonly string[]
  readonly columns: readonly Column[]
}

const condition = (type: string, what: string) => `.status.conditions[?(@.type=="${type}")].${what}`

/** The columns that every kind has, around its own. */
const columnsAround = (...own: readonly Column[]): readonly Column[] => [
  {
    name: 'Ready',
    type: 'string',
    jsonPath: condition('Ready', 'status'),
    description: 'Accepted, resolved and scheduled.',
  },
  { name: 'Healthy', type: 'string', jsonPath: condition('Healthy', 'status'), description: 'The checks succeed.' },
  ...own,
  {
    name: 'Interval',
    type: 'string',
    jsonPath: '.status.interval',
    description: 'How often it is checked.',
  },
  {
    name: 'Last change',
    type: 'date',
    jsonPath: '.status.lastChange.time',
    description: 'When the last change was found.',
  },
  {
    name: 'Age',
    type: 'date',
    jsonPath: '.metadata.creationTimestamp',
    description: 'Since the resource was created.',
  },
  {
    name: 'Reason',
    type: 'string',
    jsonPath: condition('Ready', 'message'),
    description: 'Why it is ready, or why not.',
    priority: 1,
  },
  {
    name: 'Health',
    type: 'string',
    jsonPath: condition('Healthy', 'message'),
    description: 'Why the checks succeed, or why not.',
    priority: 1,
  },
  {
    name: 'Delivering',
    type: 'string',
    jsonPath: condition('Delivering', 'status'),
    description: 'The destinations take messages.',
    priority: 1,
  },
]

const MONITOR: Kind = {
  ...MONITOR_RESOURCE,
  description: 'Watches a page, API or feed on a schedule and reports what changed.',
  source: 'schema/monitor/monitor.ts',
  spec: MonitorSpec,
  status: MonitorResourceStatus,
  // A template only helps to fill in a form. A resource has its own name and its own labels.
  withoutKeys: ['template_slug', 'external_key', 'labels'],
  selectable: ['.spec.suspend', '.spec.fetchMode', '.spec.extractConfig.method', '.status.id'],
  columns: columnsAround({
    name: 'Address',
    type: 'string',
    jsonPath: '.status.address',
    description: 'What is watched, shortened.',
  }),
}

const SERP_MONITOR: Kind = {
  ...SERP_MONITOR_RESOURCE,
  description: 'Asks a search engine for a keyword on a schedule and reports ranks, or what changed in the results.',
  source: 'schema/serp/serp-monitor.ts',
  spec: SerpMonitorSpec,
  status: MonitorResourceStatus,
  withoutKeys: ['external_key', 'labels'],
  selectable: ['.spec.suspend', '.spec.engine', '.spec.mode', '.status.id'],
  columns: columnsAround(
    {
      name: 'Keyword',
      type: 'string',
      jsonPath: '.status.address',
      description: 'What is searched for, shortened.',
    },
    { name: 'Engine', type: 'string', jsonPath: '.spec.engine', description: 'The search engine.' },
    { name: 'Rank', type: 'string', jsonPath: '.status.values.rank', description: 'The position of the target.' },
  ),
}

/** Every kind of custom resource. */
export const KINDS: readonly Kind[] = [MONITOR, SERP_MONITOR]
