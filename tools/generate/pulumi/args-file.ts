import { VARIANTS } from '../../../schema/shape/shape.ts'
import { type SchemaNode, withoutNull } from '../../../schema/shape/walk-schema.ts'

/** How definitions become TypeScript types that a Pulumi program fills in. */
export interface Style {
  /** Returns the name of a property in a program. */
  nameOf(key: string): string
  /** Returns a text for people with the names of a program. */
  inWords(text: string): string
  /** Returns the name under which an object is declared; null: it is declared where it is used. */
  typeName(place: string): string | null
  /** Returns the properties that stand beside one of the definition, as lines of an interface. */
  beside(place: string, node: SchemaNode): readonly string[]
}

/** One file of types: an interface for each object that has a name, in the order in which they are met. */
export interface ArgsFile {
  /** Declares an object under a name, and all that it consists of. */
  declare(name: string, node: SchemaNode, place: string): void
  /** Returns the declarations, without those of other files. */
  text(isOurs?: (name: string) => boolean): string
  readonly names: readonly string[]
}

/** The most columns of a line. */
const WIDTH = 120

/** Returns a file of types in a style. */
export function argsFile(style: Style): ArgsFile {
  const declared = new Map<string, string>()

  function declare(name: string, node: SchemaNode, place: string): void {
    if (declared.has(name)) return
    // A recursive definition meets its own name again.
    declared.set(name, '')
    const doc = comment(describe(node, style), '')
    const table = node[VARIANTS]
    const body = table
      ? `export type ${name} =\n${variantsOf(node, place).join('\n')}\n`
      : `export interface ${name} {\n${propertiesOf(node, place, '  ').join('\n')}\n}\n`
    declared.set(name, `${doc}${body}`)
  }

  /** Variants that have and need the same properties are one, with a choice of tags. */
  function variantsOf(node: SchemaNode, place: string): string[] {
    const table = node[VARIANTS]
    if (!table) return []
    const alike = new Map<string, string[]>()
    for (const [name, { allowed, required }] of Object.entries(table.variants)) {
      const key = `${allowed.join()} ${required.join()}`
      alike.set(key, [...(alike.get(key) ?? []), name])
    }
    return [...alike.values()].map((names) => {
      const [first = ''] = names
      const { required = [], allowed = [] } = table.variants[first] ?? {}
      const properties = Object.fromEntries(allowed.map((key) => [key, node.properties?.[key] ?? {}]))
      const tag = { ...node.properties?.[table.tag], enum: names }
      const own = propertiesOf({ properties, required }, place, '      ')
      const doc = comment(describe(node.properties?.[table.tag] ?? {}, style), '      ')
      const lines = [`${doc}${line('      ', table.tag, literals(tag.enum))}`, ...own]
      return `  | {\n${lines.join('\n')}\n    }`
    })
  }

  function propertiesOf({ properties = {}, required = [] }: SchemaNode, place: string, indent: string): string[] {
    return Object.entries(properties).flatMap(([key, child]) => {
      const at = place === '' ? key : `${place}.${key}`
      const beside = style.beside(at, child)
      const isNeeded = required.includes(key) && child.default === undefined && beside.length === 0
      const type = typeOf(withoutNull(child), at, isNeeded ? '' : ' | undefined')
      const doc = comment(describe(child, style), indent)
      return [
        `${doc}${line(indent, `${propertyName(style.nameOf(key))}${isNeeded ? '' : '?'}`, type)}`,
        ...beside.map((line) => line.replaceAll(/^/gm, indent)),
      ]
    })
  }

  function typeOf(node: SchemaNode, place: string, absent = ''): string {
    const name = node.properties && style.typeName(place)
    if (name) {
      declare(name, node, place)
      return `pulumi.Input<${name}${absent}>`
    }
    return `pulumi.Input<${plainType(node, place)}${absent}>`
  }

  function plainType(node: SchemaNode, place: string): string {
    if (node.enum) return literals(node.enum)
    switch (node.type) {
      case 'string':
        return 'string'
      case 'integer':
      case 'number':
        return 'number'
      case 'boolean':
        return 'boolean'
      case 'array':
        return `${typeOf(node.items ?? {}, `${place}[]`)}[]`
      case 'object':
        return typeof node.additionalProperties === 'object'
          ? `{ [key: string]: ${typeOf(node.additionalProperties, `${place}{}`)} }`
          : '{ [key: string]: unknown }'
      default:
        return 'string | number | boolean'
    }
  }

  return {
    declare,
    text: (isOurs = () => true) =>
      [...declared]
        .filter(([name]) => isOurs(name))
        .map(([, text]) => text)
        .join('\n'),
    get names() {
      return [...declared.keys()]
    },
  }
}

/** Returns a property, with its type on separate lines where it is too long for one. */
function line(indent: string, name: string, type: string): string {
  const short = `${indent}${name}: ${type}`
  if (short.length <= WIDTH) return short
  const next = `${indent}  ${type}`
  if (next.length <= WIDTH) return `${indent}${name}:\n${next}`
  return `${indent}${name}:\n${type
    .split(' | ')
    .map((side) => `${indent}  | ${side}`)
    .join('\n')}`
}

const literals = (choices: readonly unknown[]) =>
  choices.map((choice) => (typeof choice === 'string' ? `'${choice}'` : String(choice))).join(' | ')

const propertyName = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`)

const number = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 20 })

/** Returns what a value means, its limits and its default, a sentence each. */
function describe(node: SchemaNode, style: Style): string[] {
  const bare = withoutNull(node)
  const text = node.description ?? bare.description
  return [
    ...(text === undefined ? [] : [style.inWords(text)]),
    ...limitsOf(bare),
    // Null and absence mean the same, and an empty default tells nothing.
    ...(node.default === undefined || node.default === null || isEmpty(node.default)
      ? []
      : [`Default: ${typeof node.default === 'string' ? node.default : inJson(node.default)}.`]),
  ]
}

/** Json with spaces, at which a line can end. */
const inJson = (value: unknown) => JSON.stringify(value).replaceAll(/([,:])(?=["{])/g, '$1 ')

const isEmpty = (value: unknown) => value === '' || ['[]', '{}'].includes(JSON.stringify(value))

function limitsOf(node: SchemaNode): string[] {
  const range = (least: number | undefined, most: number | undefined, what: string) => {
    if (most === undefined) return least === undefined || least === 0 ? [] : [`At least ${number(least)}${what}.`]
    return least === undefined || (least === 0 && what !== '')
      ? [`At most ${number(most)}${what}.`]
      : [`${number(least)} to ${number(most)}${what}.`]
  }
  if (node.enum) return []
  return [
    ...range(node.minimum, node.maximum, ''),
    ...range(node.minLength, node.maxLength, ' characters'),
    ...range(node.minItems, node.maxItems, ' items'),
    ...range(node.minProperties, node.maxProperties, ' entries'),
  ]
}

/** Returns sentences as a comment of lines that are not too long. */
function comment(sentences: readonly string[], indent: string): string {
  if (sentences.length === 0) return ''
  const text = sentences.map((each) => (/[.!?:…]$/.test(each) ? each : `${each}.`)).join(' ')
  const lines: string[] = []
  for (const word of text.replaceAll('*/', '* /').split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length + 4 <= WIDTH - indent.length)
      lines[lines.length - 1] += ` ${word}`
    else lines.push(word)
  }
  const [only = ''] = lines
  return lines.length === 1 && indent.length + only.length + '/**  */'.length <= WIDTH
    ? `${indent}/** ${only} */\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`
}
