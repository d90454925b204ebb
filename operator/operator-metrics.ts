import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { KindOperator } from './kind-operator.ts'
import type { ReconcileOutcome } from './operator-context.ts'
import { conditionCounts } from './reconcile/condition-counts.ts'

/** The metrics of an operator. */
export interface OperatorMetrics {
  /** This process began or ceased to lead. */
  leads(isLeader: boolean): void
  /** A look at a resource ended after so many seconds. */
  reconciled(kind: string, outcome: ReconcileOutcome, seconds: number): void
  /** Shows what a leader works on. `perResource`: also each resource by its name, as many series as resources. */
  watch(
    kinds: readonly KindOperator[],
    events: { readonly dropped: number },
    options: { readonly perResource: boolean },
  ): void
}

/** Seconds. Most looks take some milliseconds; one that waits for a Secret or the store takes seconds. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 2, 10, 60]

export function createOperatorMetrics(registry: Registry): OperatorMetrics {
  const registers = [registry]
  const leader = new Gauge({
    name: 'tidemark_operator_leader',
    help: 'Whether this process leads: 1 or 0. Of the operators of one cluster, one does.',
    registers,
  })
  const seconds = new Histogram({
    name: 'tidemark_operator_reconcile_seconds',
    help: 'Duration of the looks at a resource, by kind and outcome (done, fault).',
    labelNames: ['kind', 'outcome'],
    buckets: BUCKETS,
    registers,
  })
  return {
    leads: (isLeader) => leader.set(isLeader ? 1 : 0),
    reconciled: (kind, outcome, duration) => seconds.observe({ kind, outcome }, duration),
    watch(kinds, events, { perResource }) {
      watch(registry, kinds, events)
      watchConditions(registry, kinds)
      if (perResource) watchEach(registry, kinds)
    },
  }
}

type Figure = (kind: KindOperator) => number

function watch(registry: Registry, kinds: readonly KindOperator[], events: { readonly dropped: number }): void {
  const registers = [registry]
  const described = (name: string, help: string) => ({ name: `tidemark_operator_${name}`, help, registers })
  const gauge = (name: string, help: string, value: Figure) =>
    new Gauge({
      ...described(name, help),
      labelNames: ['kind'],
      collect() {
        for (const one of kinds) this.set({ kind: nameOf(one) }, value(one))
      },
    })
  const counter = (name: string, help: string, value: Figure) =>
    new Counter({
      ...described(name, help),
      labelNames: ['kind'],
      collect() {
        this.reset()
        for (const one of kinds) this.inc({ kind: nameOf(one) }, value(one))
      },
    })
  gauge('resources', 'Resources in the cluster.', ({ resources }) => resources.state().size)
  gauge('queue_depth', 'Resources that wait to be reconciled.', ({ queue }) => queue.depth)
  gauge('failing_resources', 'Resources whose last reconciliation failed.', ({ queue }) => queue.failing)
  gauge(
    'watch_quiet_seconds',
    'Seconds since the last event or bookmark of the API server.',
    ({ resources }) => resources.state().quietMs / 1_000,
  )
  counter('lists_total', 'Complete lists of resources.', ({ resources }) => resources.state().lists)
  counter(
    'resyncs_total',
    'Comparisons of resources with their records.',
    ({ reconciler }) => reconciler.resynced.resyncs,
  )
  counter(
    'corrections_total',
    'Differences that such a comparison found. A steady rate means that somebody changes records in the store.',
    ({ reconciler }) => reconciler.resynced.corrections,
  )
  new Counter({
    name: 'tidemark_operator_events_dropped_total',
    help: 'Events that were dropped because too many came at once.',
    registers,
    collect() {
      this.reset()
      this.inc(events.dropped)
    },
  })
}

function watchConditions(registry: Registry, kinds: readonly KindOperator[]): void {
  new Gauge({
    name: 'tidemark_operator_conditions',
    help:
      'Resources by kind, condition, status, reason and namespace. The label of their namespace is ' +
      'resource_namespace: Prometheus sets namespace to that of the operator.',
    labelNames: ['kind', 'condition', 'status', 'reason', 'resource_namespace'],
    registers: [registry],
    collect() {
      this.reset()
      for (const one of kinds)
        for (const { labels, count } of conditionCounts(one.declared()))
          this.set({ kind: nameOf(one), ...labels }, count)
    },
  })
}

function watchEach(registry: Registry, kinds: readonly KindOperator[]): void {
  new Gauge({
    name: 'tidemark_resource_ready',
    help: 'Whether a resource is Ready: 1 or 0, by kind, resource_namespace and name. Mirrors are not among them.',
    labelNames: ['kind', 'resource_namespace', 'name'],
    registers: [registry],
    collect() {
      this.reset()
      for (const one of kinds)
        for (const { metadata, status } of one.declared()) {
          const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')
          const labels = { kind: nameOf(one), resource_namespace: metadata.namespace ?? '', name: metadata.name }
          this.set(labels, isReady === true ? 1 : 0)
        }
    },
  })
}

const nameOf = ({ kind }: KindOperator): string => kind.records.resource.kind
