import type { Json } from '../../schema/shape/json.ts'
import { joinPath } from '../../schema/validation/issue.ts'
import type { JsonType, Range, Shape, ShapeField } from './prompt-shape.ts'

/** The most faults that are reported: the model corrects them in one go or not at all. */
const MOST = 10

/** What is wrong with an answer, as `path what`; empty: it is of the shape. As deep as the shape, which is bounded. */
export function shapeFaults(fields: readonly ShapeField[], answer: Readonly<Record<string, Json>>): readonly string[] {
  const faults: string[] = []
  checkFields(fields, answer, { path: '', faults })
  return faults.slice(0, MOST)
}

interface At {
  readonly path: string
  readonly faults: string[]
}

function checkFields(
  fields: readonly ShapeField[],
  holder: Readonly<Record<string, Json>>,
  { path, faults }: At,
): void {
  for (const { name, shape, required } of fields) {
    const value = Object.hasOwn(holder, name) ? holder[name] : undefined
    const at = { path: joinPath(path, name), faults }
    if (value === undefined) {
      if (required) faults.push(`${at.path} is missing`)
    } else if (value !== null || required) check(shape, value, at)
    if (faults.length >= MOST) return
  }
}

function check(shape: Shape, value: Json, at: At): void {
  const { fields, items } = shape
  const fault = faultOf(shape, value)
  if (fault !== null) return void at.faults.push(`${at.path} ${fault}`)
  if (fields && isObject(value)) checkFields(fields, value, at)
  if (items && isList(value))
    for (const [index, item] of value.entries()) {
      check(items, item, { path: `${at.path}[${index}]`, faults: at.faults })
      if (at.faults.length >= MOST) return
    }
}

/** What is wrong with the value itself. */
function faultOf({ types, values, either, range }: Shape, value: Json): string | null {
  const type = typeOf(value)
  if (types && !types.includes(type) && !(type === 'integer' && types.includes('number')))
    return `must be ${types.join(' or ')}, and is ${type}`
  if (values && !values.some((one) => one === value)) return `must be one of ${JSON.stringify(values).slice(0, 200)}`
  if (either && !either.some((one) => fits(one, value))) return 'is of none of the shapes that it may have'
  return range && !isWithin(range, value) ? `must be within ${JSON.stringify(range)}` : null
}

function fits(shape: Shape, value: Json): boolean {
  const faults: string[] = []
  check(shape, value, { path: '', faults })
  return faults.length === 0
}

function isWithin(range: Range, value: Json): boolean {
  const within = (size: number, least = -Infinity, most = Infinity) => size >= least && size <= most
  if (typeof value === 'number') return within(value, range.minimum, range.maximum)
  if (typeof value === 'string') return within(value.length, range.minLength, range.maxLength)
  return isList(value) ? within(value.length, range.minItems, range.maxItems) : true
}

function typeOf(value: Json): JsonType {
  if (value === null) return 'null'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  if (typeof value !== 'object') return typeof value as 'string' | 'boolean'
  return isList(value) ? 'array' : 'object'
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
const isObject = (value: Json): value is Readonly<Record<string, Json>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
