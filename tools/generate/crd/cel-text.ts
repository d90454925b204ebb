/** Names that CEL reserves; the API server writes a field of such a name with underscores around it. */
const RESERVED = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return var ' +
    'void while'
  ).split(' '),
)

/** Returns the expression of a property: `self.type`, `self.__in__`. */
export function member(owner: string, name: string): string {
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(name)) throw new Error(`"${name}" cannot be named in CEL`)
  return `${owner}.${RESERVED.has(name) ? `__${name}__` : name}`
}

/** Returns a string literal of CEL. */
export const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`

/** Returns the expression `self.type in ['a', 'b']`, or `self.type == 'a'`. */
export function isOneOf(value: string, choices: readonly string[]): string {
  const [first = '', ...others] = choices.map(quoted)
  return others.length === 0 ? `${value} == ${first}` : `${value} in [${[first, ...others].join(', ')}]`
}
