import { VARIANTS } from '../../../schema/shape/shape.ts'
import { nodeOf, type SchemaNode, withoutNull } from '../../../schema/shape/walk-schema.ts'

/** A body, and what is much in it. */
interface WorstBody {
  readonly name: string
  /** Writes it with at most this many bytes. */
  write(bytes: number): string
}

/** Writes the part of a body that is wrong, with at most this many bytes. */
type Filling = (bytes: number) => string

const filled = (open: string, close: string, item: (index: number) => string): Filling => {
  return (bytes) => {
    let text = open + item(0)
    for (let index = 1; ; index += 1) {
      const next = `,${item(index)}`
      if (text.length + next.length + close.length > bytes) return text + close
      text += next
    }
  }
}
const nestedIn = (open: string, close: string): Filling => {
  return (bytes) => {
    const levels = Math.floor(bytes / (open.length + close.length)) - 1
    return `${open.repeat(levels)}1${close.repeat(levels)}`
  }
}
const repeated = (unit: string): Filling => {
  return (bytes) => `"${unit.repeat(Math.floor((bytes - 2) / Buffer.byteLength(unit)))}"`
}

const keys = filled('{', '}', (index) => `"${index}":1`)
const texts = filled('{', '}', (index) => `"k${index}":""`)

/** What is expensive whatever the schema says. */
const ANYWHERE: Readonly<Record<string, Filling>> = {
  'unknown keys': keys,
  'unknown keys like a known one': filled('{', '}', (index) => `"schedule_interval_secondz_${index}":1`),
  'one key many times': filled('{', '}', () => '"name":1'),
  'nested lists': nestedIn('[', ']'),
  'nested objects': nestedIn('{"a":', '}'),
  numbers: filled('[', ']', () => '1'),
  'empty objects': filled('[', ']', () => '{}'),
  'a list without an end': filled('[', '', () => '1'),
  'an object without an end': filled('{', ',', (index) => `"${index}":"\\n"`),
  'a text without an end': (bytes) => `{"name":"${'\\n'.repeat((bytes - 9) / 2)}`,
  'white space and a letter': (bytes) => `${' '.repeat(bytes - 1)}x`,
  'line breaks and a letter': (bytes) => `${'\n'.repeat(bytes - 1)}x`,
  'texts with NUL': filled('[', ']', () => '"\\u0000"'),
  'infinite numbers': filled('[', ']', () => '1e999'),
  'keys __proto__': filled('[', ']', () => '{"__proto__":1}'),
}

/** Returns bodies that cost the most, by what the schema has: each of its texts, lists, maps and objects is filled. */
export function worstBodies(schema: object): WorstBody[] {
  return [
    ...Object.entries(ANYWHERE).map(([name, write]) => ({ name, write })),
    ...placesOf(nodeOf(schema), { name: '', before: '', after: '' }),
  ]
}

/** The text around a part of a body. */
interface Around {
  readonly name: string
  readonly before: string
  readonly after: string
}

function placesOf(nullable: SchemaNode, at: Around): WorstBody[] {
  const node = withoutNull(nullable)
  const put = (what: string, fill: Filling): WorstBody => ({
    name: `${at.name || 'the body'} of ${what}`,
    write: (bytes) => at.before + fill(bytes - at.before.length - at.after.length) + at.after,
  })
  const inside = (name: string, before: string, after: string): Around => ({
    name: at.name + name,
    before: at.before + before,
    after: after + at.after,
  })
  switch (node.type) {
    case 'string':
      return [put('one text', repeated('\\u00e9'))]
    case 'array':
      return [
        put(
          'numbers',
          filled('[', ']', () => '1'),
        ),
        put(
          'objects',
          filled('[', ']', () => '{}'),
        ),
        ...placesOf(node.items ?? {}, inside('[]', '[', ']')),
      ]
    case 'object':
      return [put('keys', keys), put('keys with texts', texts), ...partsOf(node, inside)]
    // A number has no size. What has no type may be anything.
    case 'integer':
    case 'number':
    case 'boolean':
    case 'null':
    case undefined:
      return [put('nested lists', nestedIn('[', ']'))]
    default:
      throw new TypeError(`no worst body is known for the type ${node.type} of ${at.name}`)
  }
}

function partsOf(
  { properties = {}, additionalProperties: others, [VARIANTS]: table }: SchemaNode,
  inside: (name: string, before: string, after: string) => Around,
): WorstBody[] {
  const own = Object.entries(properties).flatMap(([key, child]) => {
    // Without its tag the rest of an object is not judged.
    const tag = Object.entries(table?.variants ?? {}).find(([, { allowed }]) => allowed.includes(key))?.[0]
    const tagged = table && tag !== undefined ? `${JSON.stringify(table.tag)}:${JSON.stringify(tag)},` : ''
    return placesOf(child, inside(`.${key}`, `{${tagged}${JSON.stringify(key)}:`, '}'))
  })
  return typeof others === 'object' ? [...own, ...placesOf(others, inside('.*', '{"k":', '}'))] : own
}
