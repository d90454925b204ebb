interface Panel {
  readonly title: string
  readonly description: string
  readonly unit: 'ops' | 's' | 'short' | 'percentunit' | 'bytes'
  /** Queries of Prometheus, each with its legend. */
  readonly queries: readonly (readonly [expression: string, legend: string])[]
}

const share = (part: number, name: string) =>
  `histogram_quantile(${part}, sum by (le) (rate(${name}_bucket{job=~"$job"}[5m])))`

/** The panels, from left to right and top to bottom. A test compares the names of metrics with the code. */
export const PANELS: readonly Panel[] = [
  {
    title: 'Checks',
    description: 'Checks a second, by outcome.',
    unit: 'ops',
    queries: [['sum by (outcome) (rate(tidemark_checks_total{job=~"$job"}[5m]))', '{{outcome}}']],
  },
  {
    title: 'Failures',
    description: 'Failed checks a second, by the code of the fault.',
    unit: 'ops',
    queries: [['sum by (code) (rate(tidemark_checks_total{job=~"$job",code!=""}[5m]))', '{{code}}']],
  },
  {
    title: 'Lateness of checks',
    description: 'From the time a check was due to its claim.',
    unit: 's',
    queries: [
      [share(0.5, 'tidemark_check_lateness_seconds'), 'half'],
      [share(0.99, 'tidemark_check_lateness_seconds'), '99 of 100'],
    ],
  },
  {
    title: 'Duration of checks',
    description: 'Fetch and extraction.',
    unit: 's',
    queries: [
      [share(0.5, 'tidemark_check_duration_seconds'), 'half'],
      [share(0.99, 'tidemark_check_duration_seconds'), '99 of 100'],
    ],
  },
  {
    title: 'Queue of checks',
    description: 'Checks that are due and not claimed, and those that nobody takes for want of a browser.',
    unit: 'short',
    queries: [
      ['max(tidemark_checks_due{job=~"$job"})', 'due'],
      ['max(tidemark_checks_without_browser{job=~"$job"})', 'without a browser'],
      ['max(tidemark_checks_above_level{job=~"$job"})', 'of a later version'],
    ],
  },
  {
    title: 'Queue of deliveries',
    description: 'Deliveries that wait, those that are due and not claimed, and those given up in 24 hours.',
    unit: 'short',
    queries: [
      ['max(tidemark_deliveries_waiting{job=~"$job"})', 'waiting'],
      ['max(tidemark_deliveries_due{job=~"$job"})', 'due'],
      ['max(tidemark_deliveries_given_up_last_day{job=~"$job"})', 'given up'],
    ],
  },
  {
    title: 'Oldest',
    description: 'For how long the most overdue check and delivery have been due.',
    unit: 's',
    queries: [
      ['max(tidemark_checks_oldest_due_seconds{job=~"$job"})', 'check'],
      ['max(tidemark_deliveries_oldest_due_seconds{job=~"$job"})', 'delivery'],
    ],
  },
  {
    title: 'Attempts to deliver',
    description: 'Attempts a second, by their result.',
    unit: 'ops',
    queries: [['sum by (outcome) (rate(tidemark_delivery_attempts_total{job=~"$job"}[5m]))', '{{outcome}}']],
  },
  {
    title: 'Database',
    description: '1 while the database does not answer a process.',
    unit: 'short',
    queries: [['max by (pod) (tidemark_store_away{job=~"$job"})', '{{pod}}']],
  },
  {
    title: 'Teams at their limit',
    description: 'Teams that have used 80 percent of their runs, and those whose checks wait.',
    unit: 'short',
    queries: [
      ['max(tidemark_teams_near_run_limit{job=~"$job"})', 'near'],
      ['max(tidemark_teams_out_of_runs{job=~"$job"})', 'out of runs'],
    ],
  },
  {
    title: 'Operator',
    description: 'Resources that wait to be reconciled, and those whose last reconciliation failed.',
    unit: 'short',
    queries: [
      ['max(tidemark_operator_queue_depth{job=~"$job"})', 'waiting'],
      ['max(tidemark_operator_failing_resources{job=~"$job"})', 'failing'],
    ],
  },
  {
    title: 'Resources by condition',
    description: 'Resources whose condition is not True, by condition and reason.',
    unit: 'short',
    queries: [
      [
        'sum by (condition, reason) (tidemark_operator_conditions{job=~"$job",status!="True",condition!="Stalled"})',
        '{{condition}} {{reason}}',
      ],
    ],
  },
  {
    title: 'Reconciliations',
    description: 'Looks at a resource a second, by kind and outcome, and how long 99 of 100 take.',
    unit: 'short',
    queries: [
      [
        'sum by (kind, outcome) (rate(tidemark_operator_reconcile_seconds_count{job=~"$job"}[5m]))',
        '{{kind}} {{outcome}}',
      ],
      [share(0.99, 'tidemark_operator_reconcile_seconds'), 'seconds of 99 of 100'],
    ],
  },
  {
    title: 'Memory',
    description: 'Resident memory of each process.',
    unit: 'bytes',
    queries: [['tidemark_process_resident_memory_bytes{job=~"$job"}', '{{pod}}']],
  },
]

const WIDTH = 8
const HEIGHT = 7
const SOURCE = { type: 'prometheus', uid: '$source' }

/** Returns the dashboard of Grafana that the chart installs. */
export const dashboard = (): string =>
  `${JSON.stringify(
    {
      title: 'Tidemark',
      uid: 'tidemark',
      tags: ['tidemark'],
      schemaVersion: 39,
      refresh: '30s',
      time: { from: 'now-6h', to: 'now' },
      templating: { list: VARIABLES },
      panels: PANELS.map(panelOf),
    },
    null,
    2,
  )}\n`

const VARIABLES = [
  { name: 'source', label: 'Data source', type: 'datasource', query: 'prometheus' },
  {
    name: 'job',
    label: 'Job',
    type: 'query',
    datasource: SOURCE,
    query: 'label_values(tidemark_store_away, job)',
    includeAll: true,
    allValue: '.*',
    multi: true,
    refresh: 2,
  },
]

function panelOf({ title, description, unit, queries }: Panel, index: number) {
  return {
    id: index + 1,
    title,
    description,
    type: 'timeseries',
    datasource: SOURCE,
    gridPos: { x: (index % 3) * WIDTH, y: Math.floor(index / 3) * HEIGHT, w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: queries.map(([expr, legendFormat], at) => ({
      refId: String.fromCodePoint(65 + at),
      datasource: SOURCE,
      expr,
      legendFormat,
    })),
  }
}
