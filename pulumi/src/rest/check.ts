import { runtime, type dynamic } from '@pulumi/pulumi'
import { type Definition, definitionOf, inProgram, type RecordKind } from './body'

type Fields = Readonly<Record<string, unknown>>
type Failure = dynamic.CheckFailure

/** Properties that are not of the API. */
const OWN: Readonly<Record<string, Definition>> = {
  adopt: { type: 'string' },
  connection: { type: 'string' },
  importedId: { type: 'string' },
  __provider: {},
}

/**
 * Returns what is wrong with the properties of a program, as far as it can be told without the API: a preview shows it.
 * Rules over several properties are the API's.
 */
export function failuresOf(kind: RecordKind, props: Fields): Failure[] {
  const definition = definitionOf(kind)
  const found: Failure[] = []
  for (const key of Object.keys(props)) if (props[key] === null) found.push(failure(key, 'must not be null'))
  return [...found, ...objectFailures(definition, props, { path: '', own: OWN })]
}

const failure = (property: string, reason: string): Failure => ({ property, reason: `${property} ${reason}` })

function failures(node: Definition, value: unknown, path: string): Failure[] {
  // What is known only once another resource exists.
  if (value === runtime.unknownValue || value === undefined || value === null) return []
  const is = typeOf(value)
  if (!isOfType(is, node.type))
    return [
      failure(
        path,
        `must be ${node.type === 'array' ? 'a list' : node.type}, and is ${is === 'array' ? 'a list' : is}`,
      ),
    ]
  if (node.enum && !node.enum.includes(value))
    return [failure(path, `must be one of ${node.enum.map((each) => JSON.stringify(each)).join(', ')}`)]
  if (typeof value === 'object') return partFailures(node, value, path)
  if (typeof value === 'number') return bounds(path, value, [node.minimum, node.maximum], '')
  // As the API does, in code points.
  const length = typeof value === 'string' ? Array.from(value).length : 0
  return typeof value === 'string' ? bounds(path, length, [node.minLength, node.maxLength], ' characters') : []
}

function partFailures(node: Definition, value: object, path: string): Failure[] {
  const { items, properties, values } = node
  if (Array.isArray(value))
    return [
      ...bounds(path, value.length, [node.minItems, node.maxItems], ' items'),
      ...value.flatMap((item, index) => failures(items ?? {}, item, `${path}[${index}]`)),
    ]
  const fields = value as Fields
  if (properties) return objectFailures(node, fields, { path, own: {} })
  return [
    ...bounds(path, Object.keys(fields).length, [node.minProperties, node.maxProperties], ' entries'),
    ...(values ? Object.entries(fields).flatMap(([key, item]) => failures(values, item, `${path}.${key}`)) : []),
  ]
}

function objectFailures(
  node: Definition,
  fields: Fields,
  { path, own }: { readonly path: string; readonly own: Readonly<Record<string, Definition>> },
): Failure[] {
  const { properties = {}, required = [], tag, variants } = node
  const at = (name: string) => (path === '' ? inProgram(name) : `${path}.${inProgram(name)}`)
  const chosen = tag === undefined ? undefined : fields[inProgram(tag)]
  // The kind of the object is told wrong, or not known yet.
  const variant = variants?.[String(chosen)]
  const known = new Map([
    ...Object.entries(properties).map(([name, child]) => [inProgram(name), child] as const),
    ...Object.entries(own),
  ])
  const needed = [...required, ...(variant?.required ?? [])]
  const isAllowed = (name: string) => !variant || name === tag || variant.allowed.includes(name)
  return [
    ...needed.filter((name) => fields[inProgram(name)] === undefined).map((name) => failure(at(name), 'is required')),
    ...Object.keys(fields)
      .filter((key) => !known.has(key))
      .map((key) => failure(path === '' ? key : `${path}.${key}`, 'is not known')),
    ...Object.entries(properties)
      .filter(([name]) => fields[inProgram(name)] !== undefined && !isAllowed(name))
      .map(([name]) => failure(at(name), `is not allowed with ${tag} ${String(chosen)}`)),
    ...[...known].flatMap(([key, child]) => failures(child, fields[key], path === '' ? key : `${path}.${key}`)),
  ]
}

const isOfType = (is: string, wanted: string | undefined) =>
  wanted === undefined || is === wanted || (wanted === 'number' && is === 'integer')

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value
}

const number = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 20 })

function bounds(
  path: string,
  value: number,
  [least, most]: readonly [number | undefined, number | undefined],
  what: string,
): Failure[] {
  if (least !== undefined && value < least) return [failure(path, `must be at least ${number(least)}${what}`)]
  return most !== undefined && value > most ? [failure(path, `must be at most ${number(most)}${what}`)] : []
}
