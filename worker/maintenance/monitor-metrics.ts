import { Gauge, type Registry } from 'prom-client'
import { withTimeout } from '../../concurrency/loops/retry.ts'
import { decimalText } from '../../core/number/decimal.ts'
import { readNumber } from '../../core/number/read-number.ts'
import type { Json, Values } from '../../schema/shape/json.ts'
import type { Store } from '../../store/db/client.ts'
import { MAX_LEFT_OUT, type MonitorFigures, readMonitorFigures } from '../../store/maintenance/monitor-figures.ts'

/** Several systems may scrape, and the store is asked once in this time. */
const FRESH_MS = 5_000
/** The longest time that a scrape waits for the store. After that these gauges are left out. */
const PATIENCE_MS = 2_000
/** The most numeric values of one monitor. */
const MAX_VALUES = 10

interface Figures {
  readonly monitors: readonly (MonitorFigures & { readonly values: readonly Value[] })[]
  readonly leftOut: number
  readonly valuesLeftOut: number
}

interface Value {
  readonly field: string
  readonly number: number
}

/**
 * Gauges of single monitors, at most `limit` of them. Labels hold ids, names and fields that users chose, so their
 * number is bounded. All processes share the store and report the same numbers. 0: there are none.
 */
export function createMonitorMetrics(registry: Registry, store: Store, limit: number): void {
  if (limit === 0) return
  let asked: { readonly at: number; readonly answer: Promise<Figures | null> } | null = null
  const figures = () => {
    if (asked === null || performance.now() - asked.at > FRESH_MS)
      asked = {
        at: performance.now(),
        answer: withTimeout(readFigures(store, limit), PATIENCE_MS, () => null).catch(() => null),
      }
    return asked.answer
  }
  const gauge = (name: string, help: string, labelNames: readonly string[], show: (on: Gauge, all: Figures) => void) =>
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      async collect() {
        this.reset()
        const all = await figures()
        if (all !== null) show(this, all)
        else if (labelNames.length === 0) this.remove()
      },
    })

  gauge(
    'tidemark_monitor_last_success_age_seconds',
    'Time since the last run of the monitor that succeeded.',
    MONITOR,
    (on, { monitors }) => {
      for (const one of monitors)
        if (one.success_age_seconds !== null) on.set(labelsOf(one), Math.max(0, one.success_age_seconds))
    },
  )
  gauge('tidemark_monitor_consecutive_failures', 'Failed runs in a row.', MONITOR, (on, { monitors }) => {
    for (const one of monitors) on.set(labelsOf(one), one.failures)
  })
  gauge('tidemark_monitor_value', 'Latest numeric value of a field.', [...MONITOR, 'field'], (on, { monitors }) => {
    for (const one of monitors) for (const { field, number } of one.values) on.set({ ...labelsOf(one), field }, number)
  })
  gauge(
    'tidemark_monitors_left_out',
    `Monitors beyond TIDEMARK_MONITOR_METRICS, counted up to ${MAX_LEFT_OUT}.`,
    [],
    (on, { leftOut }) => on.set(leftOut),
  )
  gauge(
    'tidemark_monitor_values_left_out',
    `Numeric values beyond ${MAX_VALUES} of a monitor.`,
    [],
    (on, { valuesLeftOut }) => on.set(valuesLeftOut),
  )
}

const MONITOR = ['monitor_id', 'team_id', 'monitor'] as const

const labelsOf = ({ monitor_id, team_id, name }: MonitorFigures) => ({ monitor_id, team_id, monitor: name })

async function readFigures(store: Store, limit: number): Promise<Figures> {
  const { monitors, leftOut } = await readMonitorFigures(store, limit)
  let valuesLeftOut = 0
  const withValues = monitors.map((one) => {
    const all = numericValues(one.extracted as Values | null)
    valuesLeftOut += Math.max(0, all.length - MAX_VALUES)
    return { ...one, values: all.slice(0, MAX_VALUES) }
  })
  return { monitors: withValues, leftOut, valuesLeftOut }
}

/** Returns the fields that read as a number, by the rules of the predicates. */
function numericValues(values: Values | null): Value[] {
  return Object.entries(values ?? {}).flatMap(([field, value]) => {
    const decimal = readNumber(value as Json)
    const number = decimal === null ? Number.NaN : Number(decimalText(decimal))
    return Number.isFinite(number) ? [{ field, number }] : []
  })
}
