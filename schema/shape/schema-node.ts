/** What every walk along schema and value looks at in a JSON-Schema node. */
export interface SchemaNode<N> {
  readonly type?: string
  readonly properties?: Readonly<Record<string, N>>
  readonly additionalProperties?: N | boolean
  readonly items?: N
  readonly anyOf?: readonly N[]
}

/** The parts of a list or an object that the schema knows, each with its key and node. */
export function children<N extends SchemaNode<N>>(node: N, value: unknown): [string | number, N, unknown][] {
  if (value === null || typeof value !== 'object') return []
  const { items, properties, additionalProperties: others } = node
  if (Array.isArray(value)) return items ? value.map((item, index) => [index, items, item]) : []
  const found: [string, N, unknown][] = []
  for (const [key, item] of Object.entries(value)) {
    const own = properties && Object.hasOwn(properties, key) ? properties[key] : undefined
    const child = own ?? (typeof others === 'object' ? others : undefined)
    if (child) found.push([key, child, item])
  }
  return found
}
