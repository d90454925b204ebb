import { diffIfLists, diffValues, isEmptyValue, valueOf } from '../../core/diff/diff-values.ts'
import type { Reading } from '../../runners/check/reading.ts'
import type { Task } from '../../runners/check/task.ts'
import { FETCH_METHODS, type FetchMethod } from '../../schema/run/run.ts'
import type { Json, Values } from '../../schema/shape/json.ts'
import type { Baseline } from '../../store/queue/baselines.ts'

/** The number of equal readings of another layer in a row after which they become the baseline. */
const READINGS_UNTIL_ADOPTED = 3

/** The state of a monitor's layers, as the baseline stores it. */
interface LayerState {
  /** The layers whose latest reading equals the baseline: a bit for each of FETCH_METHODS. */
  readonly read_by: number
  /** For each other layer that has read the page: the fields that its latest reading lacked. Null: there is none. */
  readonly lacking: Baseline['lacking']
  /** A reading that is not the baseline yet. Null: there is none. */
  readonly pending: Baseline['pending']
}

interface LayerChange {
  readonly task: Task
  readonly reading: ReadBy & Pick<Extract<Reading, { kind: 'values' }>, 'isAsSent'>
  /** Null: there is no baseline. */
  readonly before: Values | null
  readonly after: Values
  readonly order: readonly string[]
  readonly hash: Buffer
  readonly baseline: LayerState
  /** The readable texts of a whole page; null where they are not known. */
  readonly texts: () => Promise<{ readonly before: string; readonly after: string } | null>
}

/** The readings to compare, without what differs by the layer alone, and what they leave behind. */
interface LayerVerdict extends LayerState {
  readonly before: Values | null
  readonly after: Values
  /** What the baseline becomes. Null: the reading itself. */
  readonly kept: Values | null
  readonly warnings: readonly string[]
}

/**
 * Separates the differences that come from the layer alone from changes of the page. Layers see different things of one
 * page: a site that refuses one of them may show the next one less. So a reading is compared with its like: a field
 * that only a reading of another layer had is not missing, and one that only this reading has did not appear. The
 * latest reading of the same layer decides, where there is one.
 *
 * A reading that lacks fields by its layer does not replace their values until it has come three times in a row. While
 * it is pending, the recorder stores nothing by which a check could see its page as unchanged.
 */
export async function byLayer(change: LayerChange): Promise<LayerVerdict> {
  const { reading, before, after, order, baseline } = change
  const method = reading.fetchMethod
  const alone = { read_by: layersThatRead(reading), lacking: null, pending: null, kept: null, warnings: [] }
  if (before === null) return { ...alone, lacking: perhapsLacking(reading, after), before, after }
  const diff = diffValues(before, after, order)
  // What the baseline itself may lack is remembered until another layer has read the page.
  const isAlone = baseline.read_by === bitOf(method)
  const others = Object.entries(baseline.lacking ?? {}).filter(([layer]) => layer !== method || isAlone)
  if (diff === null) {
    const known = { read_by: baseline.read_by | alone.read_by, lacking: lackingOf(others) }
    return { ...alone, ...known, before, after }
  }
  const { gone, came } = await differencesOfLayer(change, before, diff.fields_changed)
  // What the layers lacked that agreed with the baseline, which is now another one.
  const agreed = layersOf(baseline.read_by & ~bitOf(method)).map(
    (layer) => [layer, fieldsLacked(before, after, came)] as const,
  )
  const lacking = lackingOf([...others, ...agreed])
  const judged = { before: withFields(before, came, after), after: withFields(after, gone, before) }
  const said = (end: string) => [`${changedLayer(change)}${end}`]
  if (gone.length === 0)
    return { ...alone, ...judged, lacking, warnings: came.length > 0 ? said(cameWarning(change, came)) : [] }
  const digits = change.hash.toString('hex')
  const count = baseline.pending?.hash === digits ? baseline.pending.count + 1 : 1
  const names = `, and sees less of it in fields that had a value: ${listed(gone)}`.slice(0, 250)
  if (count === READINGS_UNTIL_ADOPTED)
    return {
      ...alone,
      ...judged,
      // A layer that sees more items of a list is not known any more, so that the way back to it does not fire.
      lacking: gone.every((name) => isEmptyValue(valueOf(after, name)))
        ? lacking
        : lackingOf([...others, [method, fieldsLacked(after, before, gone)]]),
      warnings: said(`${names}. It is the third such reading, and the new baseline.`),
    }
  const isKept = diffValues(before, judged.after, order) === null
  return {
    ...judged,
    read_by: isKept ? baseline.read_by : 0,
    lacking: lackingOf([...others, ...(isKept ? [] : agreed), [method, fieldsLacked(after, before, gone)]]),
    pending: { hash: digits, count },
    kept: judged.after,
    warnings: said(`${names}. The baseline stays as it is.`),
  }
}

/** The changed fields whose difference may come from the layer alone. */
interface OfLayer {
  /** They have no value now. */
  readonly gone: readonly string[]
  /** They have another value now, which is taken over without a message. */
  readonly came: readonly string[]
}

const NONE: OfLayer = { gone: [], came: [] }

async function differencesOfLayer(change: LayerChange, before: Values, changed: readonly string[]): Promise<OfLayer> {
  const { task, after, baseline } = change
  const method = change.reading.fetchMethod
  if ((baseline.read_by & bitOf(method)) !== 0) return NONE
  if (task.kind === 'page' && task.extract.method === 'full_page') return differenceOfPage(change, changed)
  const known = baseline.lacking?.[method]
  const now = (name: string) => valueOf(after, name)
  const then = (name: string) => valueOf(before, name)
  const isGone = (name: string) => isEmptyValue(now(name))
  const wasGone = (name: string) => isEmptyValue(then(name))
  const gone = changed.filter(
    (name) => !wasGone(name) && (isGone(name) || isShorter(now(name), then(name))) && known?.includes(name) !== false,
  )
  const isComparable = !isPattern(task) || isComparableHtml(change)
  const came = (name: string) => {
    if (!isComparable && !isGone(name)) return true
    // A feed has the same items for every layer: no script adds any. One that is shorter may be another site's answer,
    // and so may the baseline be.
    if (wasGone(name)) return isGone(name) || known?.includes(name) !== true
    const isNew = known === undefined && change.reading.isAsSent !== true
    return (isNew || mayLack(baseline, name)) && isShorter(then(name), now(name))
  }
  return { gone, came: changed.filter((name) => !gone.includes(name) && came(name)) }
}

/** Returns whether the baseline may lack items of a list, because only layers have read it that see fewer of them. */
const mayLack = ({ read_by: layers, lacking }: LayerState, name: string): boolean =>
  layers !== 0 && layersOf(layers).every((layer) => lacking?.[layer]?.includes(name))

/** Returns the lists of a first reading that other layers may see more of: a site may send a proxy another variant. */
function perhapsLacking({ fetchMethod, isAsSent }: LayerChange['reading'], values: Values): LayerState['lacking'] {
  const lists = Object.keys(values).filter((name) => Array.isArray(valueOf(values, name)))
  return fetchMethod === 'proxy' && isAsSent && lists.length > 0 ? { proxy: lists } : null
}

/** Patterns are tried on HTML as it was sent, or on that of the rendered page. */
const isPattern = (task: Task) => task.kind === 'page' && task.extract.method === 'regex'

/** Returns whether the layers of the baseline saw HTML of the same kind, or the answer is not HTML. */
function isComparableHtml({ reading: { fetchMethod, isAsSent }, baseline }: LayerChange): boolean {
  return isAsSent || layersOf(baseline.read_by).some((layer) => isRendered(layer) === isRendered(fetchMethod))
}

/**
 * The hash of HTML as it was sent cannot be compared with that of a rendered page. The readable text can: one layer may
 * see less of it than the other.
 */
async function differenceOfPage(change: LayerChange, changed: readonly string[]): Promise<OfLayer> {
  if (isComparableHtml(change)) return NONE
  const { task, texts } = change
  const isReadable = task.kind === 'page' && task.extract.method === 'full_page' && task.extract.ignore
  if (!isReadable) return { gone: [], came: changed }
  const known = await texts()
  if (!known) return NONE
  if (isPartOf(known.before, known.after)) return { gone: [], came: changed }
  return isPartOf(known.after, known.before) ? { gone: changed, came: [] } : NONE
}

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

const isRendered = (layer: FetchMethod) => layer !== 'static'

/** The layers of a reading: one, or both of a check that read the same by a direct request too. */
type ReadBy = Pick<Extract<Reading, { kind: 'values' }>, 'fetchMethod' | 'remember'>

/** Returns the layers that have read these values, as `read_by` stores them. */
export const layersThatRead = ({ fetchMethod, remember }: ReadBy): number =>
  bitOf(fetchMethod) | (remember === 'static' ? bitOf('static') : 0)

const bitOf = (layer: FetchMethod) => 1 << FETCH_METHODS.indexOf(layer)

const layersOf = (bits: number): readonly FetchMethod[] => FETCH_METHODS.filter((layer) => (bits & bitOf(layer)) !== 0)

/** Returns the fields that a reading lacks: those that are empty, and lists that are shorter by the layer. */
const fieldsLacked = (values: Values, other: Values, ofLayer: readonly string[]) =>
  Object.keys(values).filter((name) => {
    const value = valueOf(values, name)
    return isEmptyValue(value) || (ofLayer.includes(name) && isShorter(value, valueOf(other, name)))
  })

/** Returns whether a list has only some of the items of another one, in the same order. */
function isShorter(one: Json, other: Json): boolean {
  const found = diffIfLists(one, other)
  return found !== null && found.added.length > 0 && found.removed.length === 0 && found.moved.length === 0
}

const lackingOf = (entries: readonly (readonly [string, readonly string[]])[]): LayerState['lacking'] =>
  entries.length > 0 ? Object.fromEntries(entries) : null

/** Returns the values with some fields of other values. Built from entries, so that a field `__proto__` is a field. */
function withFields(values: Values, names: readonly string[], from: Values): Values {
  if (names.length === 0) return values
  const rest = Object.entries(values).filter(([name]) => !names.includes(name))
  return Object.fromEntries([...rest, ...names.map((name) => [name, valueOf(from, name)])]) as Values
}

function changedLayer({ reading: { fetchMethod }, baseline }: LayerChange): string {
  const layers = layersOf(baseline.read_by).join(', ')
  return `The page was read by another layer (${fetchMethod}) than before${layers && ` (${layers})`}`
}

function cameWarning({ task }: LayerChange, came: readonly string[]): string {
  const isHash = task.kind === 'page' && task.extract.method === 'full_page' && !task.extract.ignore
  if (isHash) return ', so its hash cannot be compared. It is the new baseline.'
  if (isPattern(task)) return ', so what patterns find cannot be compared. It is the new baseline.'
  return `, which sees more of it: ${listed(came)}`.slice(0, 250) + '. This is the new baseline.'
}

const listed = (names: readonly string[]) => names.map((name) => JSON.stringify(name)).join(', ')
