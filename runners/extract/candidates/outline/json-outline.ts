import type { Json } from '../../../../schema/shape/json.ts'
import { jsonPathText, type JsonStep } from '../../json/json-path-text.ts'
import { EXTRACT_LIMITS } from '../../limits.ts'
import { checkRules } from '../../rules.ts'
import { CANDIDATE_LIMITS } from '../bounds.ts'
import { counted, shown } from '../shown.ts'
import type { Outline, OutlineNode } from './outline-node.ts'

interface Place {
  readonly steps: readonly JsonStep[]
  readonly name: string
  readonly value: Json
  readonly parent: number | null
}

const { outlineNodes, outlineChildren, outlineDepth, shownLength } = CANDIDATE_LIMITS

/** Returns the values of a JSON document with the paths that read them. */
export function jsonOutline(document: Json): Outline {
  const places: Place[] = [{ steps: [], name: '$', value: document, parent: null }]
  let isCut = false
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at]
    if (place === undefined || isScalar(place.value)) continue
    const parts = partsOf(place.value)
    const room = place.steps.length >= outlineDepth ? 0 : Math.min(outlineChildren, outlineNodes - places.length)
    const named = parts.slice(0, room).filter(({ step }) => isNamable([...place.steps, step]))
    if (named.length < parts.length) isCut = true
    for (const { step, name, value } of named) places.push({ steps: [...place.steps, step], name, value, parent: at })
  }
  return { method: 'json_path', nodes: places.map(nodeOf), isCut }
}

type Parted = readonly Json[] | { readonly [key: string]: Json }

const isScalar = (value: Json): value is string | number | boolean | null => typeof value !== 'object' || value === null
const isList = (value: Parted): value is readonly Json[] => Array.isArray(value)

function partsOf(value: Parted): { readonly step: JsonStep; readonly name: string; readonly value: Json }[] {
  if (isList(value)) return value.map((one, item) => ({ step: { item }, name: `[${item}]`, value: one }))
  return Object.entries(value).map(([member, one]) => ({ step: { member }, name: shown(member), value: one }))
}

/** A name may be longer than a rule, or have what the engine refuses. */
function isNamable(steps: readonly JsonStep[]): boolean {
  const path = jsonPathText(steps)
  if (path.length > EXTRACT_LIMITS.ruleLength) return false
  return (
    /^[$.\w[\]]*$/.test(path) ||
    (path.isWellFormed() && checkRules({ method: 'json_path', fields: { it: path } }).length === 0)
  )
}

function nodeOf({ steps, name, value, parent }: Place): OutlineNode {
  const item = steps.findLastIndex((step) => step !== 'all' && 'item' in step)
  return {
    parent,
    name,
    rule: jsonPathText(steps),
    all: item < 0 ? null : jsonPathText(steps.with(item, 'all')),
    value: isScalar(value) ? shown(String(value), shownLength) : countOf(value),
    parts: isScalar(value) ? 0 : sizeOf(value),
  }
}

const sizeOf = (value: Parted) => (isList(value) ? value.length : Object.keys(value).length)
const countOf = (value: Parted) => counted(sizeOf(value), isList(value) ? 'item' : 'member')
