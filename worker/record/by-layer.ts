import { equalValues, isEmptyValue, valueOf } from '../../core/diff/diff-values.ts'
import { layerBit } from '../../core/layer-bit.ts'
import type { Reading } from '../../runners/check/reading.ts'
import type { PageTask } from '../../runners/check/task.ts'
import { readsText } from '../../runners/extract/reads-text.ts'
import { FETCH_METHODS, type FetchMethod } from '../../schema/run/run.ts'
import type { Json, Values } from '../../schema/shape/json.ts'
import type { Baseline, Expected, LayerFields } from '../../store/queue/baselines.ts'
import { afterFinding, compareField } from './field-by-layer.ts'

interface LayerChange {
  readonly task: PageTask
  readonly reading: ReadBy & Pick<Extract<Reading, { kind: 'values' }>, 'isAsSent'>
  /** The last reading, of any layer. Null: there is none. */
  readonly before: Values | null
  readonly after: Values
  readonly baseline: Pick<Baseline, 'read_by' | 'layers'>
  /** The readable texts of a whole page; null where they are not known. */
  readonly texts: () => Promise<{ readonly before: string; readonly after: string } | null>
}

/** Two readings that differ in the changes of the page alone, and the state of the layers after them. */
interface LayerVerdict extends Pick<Baseline, 'read_by' | 'layers'> {
  readonly before: Values | null
  readonly after: Values
  readonly warnings: readonly string[]
}

/**
 * Compares a reading with the last one of its layer, field by field (`compareField`). Layers see different things of
 * one page: a site that refuses one of them may show the next one less, or other prices. The reading is the baseline
 * after it. What other layers have read is stored where it differs from that.
 */
export async function byLayer(change: LayerChange): Promise<LayerVerdict> {
  const { task, reading, before, after, baseline } = change
  const readBy = layersThatRead(reading)
  if (before === null) return { before, after, read_by: readBy, layers: null, warnings: [] }
  const own = fieldsOf(reading.fetchMethod, baseline)
  const others = FETCH_METHODS.flatMap((layer) => {
    const fields = (layerBit(layer) & readBy) === 0 ? fieldsOf(layer, baseline) : null
    return fields ? [{ layer, fields, next: [] as [string, Expected][] }] : []
  })
  const isSure = own !== null && Object.values(own).every(({ is }) => is === 'read')
  const view = {
    isComparable: isSure || (await isComparable(change)),
    isText: isReadable(task),
    // A feed has the same items for every layer: no script adds any. But a site may send a proxy a shorter variant.
    maySeeMore: own === null && (!reading.isAsSent || others.every(({ layer }) => layer === 'proxy')),
  }
  const changed: [string, Json][] = []
  const unseen: [string, Json][] = []
  const quiet: string[] = []
  const names = [before, after, ...others.map(({ fields }) => fields)].flatMap((values) => Object.keys(values))
  for (const name of new Set(names)) {
    const now = valueOf(after, name)
    const lasts = others.map(({ fields }) => lastOf(fields, name, before))
    const read = lasts.filter(({ is }) => is === 'read').map(({ value }) => value)
    const last = own && lastOf(own, name, before)
    const found = compareField({ now, last, known: [valueOf(before, name), ...read] }, view)
    if (found.kind === 'quiet') quiet.push(name)
    if (found.kind === 'change') changed.push([name, found.from])
    // Conditions on a field that this layer does not see are tested with what another one has read.
    else if (isEmptyValue(now)) unseen.push([name, found.most])
    others.forEach(({ next }, at) => {
      const then = afterFinding(lasts[at] as Expected, found, now)
      if (then.is === 'assumed' || !equalValues(then.value, now)) next.push([name, then])
    })
  }
  const differing = others.filter(({ next }) => next.length > 0)
  const agreeing = others.filter(({ next }) => next.length === 0)
  const shown = withFields(after, unseen)
  return {
    before: withFields(shown, changed),
    after: shown,
    read_by: agreeing.reduce((bits, { layer }) => bits | layerBit(layer), readBy),
    layers:
      differing.length > 0
        ? Object.fromEntries(differing.map(({ layer, next }) => [layer, Object.fromEntries(next)]))
        : null,
    warnings: quiet.length > 0 ? [warningOf(change, quiet)] : [],
  }
}

/** Returns what a layer has read otherwise than the baseline. Null: it has read nothing. */
const fieldsOf = (layer: FetchMethod, { read_by, layers }: LayerChange['baseline']): LayerFields | null =>
  (read_by & layerBit(layer)) !== 0 ? {} : (layers?.[layer] ?? null)

const lastOf = (fields: LayerFields, name: string, baseline: Values): Expected =>
  (Object.hasOwn(fields, name) && fields[name]) || { value: valueOf(baseline, name), is: 'read' }

/**
 * Patterns are tried on HTML as it was sent, or on that of the rendered page, and a whole page is the hash of one of
 * the two. They cannot be compared with each other. The readable text can: one layer may see less of it than the other.
 */
async function isComparable({ task, reading, baseline, texts }: LayerChange): Promise<boolean> {
  if (task.extract.method !== 'regex' && task.extract.method !== 'full_page') return true
  const alike = reading.fetchMethod === 'static' ? layerBit('static') : layerBit('browser') | layerBit('proxy')
  if (reading.isAsSent || (baseline.read_by & alike) !== 0) return true
  const known = isReadable(task) ? await texts() : null
  if (!known) return isReadable(task)
  return !isPartOf(known.before, known.after) && !isPartOf(known.after, known.before)
}

/** Returns whether the readable text of a whole page is watched. */
const isReadable = (task: PageTask) => readsText(task.extract)

/** Returns whether each line of one text is a line of the other, in the same order. */
function isPartOf(part: string, whole: string): boolean {
  const lines = whole.split('\n')
  let at = 0
  for (const line of part.split('\n')) {
    at = lines.indexOf(line, at) + 1
    if (at === 0) return false
  }
  return true
}

/** The layers of a reading: one, or both of a check that read the same by a direct request too. */
type ReadBy = Pick<Extract<Reading, { kind: 'values' }>, 'fetchMethod' | 'remember'>

/** Returns the layers that have read these values, as `read_by` stores them. */
export const layersThatRead = ({ fetchMethod, remember }: ReadBy): number =>
  layerBit(fetchMethod) | (remember === 'static' ? layerBit('static') : 0)

/** Returns the values with others of some fields. Built from entries, so that a field `__proto__` is a field. */
const withFields = (values: Values, fields: readonly (readonly [string, Json])[]): Values =>
  fields.length === 0 ? values : Object.fromEntries([...Object.entries(values), ...fields])

function warningOf({ reading: { fetchMethod }, baseline }: LayerChange, names: readonly string[]): string {
  const layers = FETCH_METHODS.filter((layer) => (baseline.read_by & layerBit(layer)) !== 0).join(', ')
  const listed = names.map((name) => JSON.stringify(name)).join(', ')
  const text = `The page was read by another layer (${fetchMethod}) than before${layers && ` (${layers})`}, and differs`
  const next = 'That is not sent. The next reading of this layer is compared with this one.'
  return `${`${text}: ${listed}`.slice(0, 250)}. ${next}`
}
