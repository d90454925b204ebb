import type { Fields } from '../page.ts'
import type { Tree } from '../tree.ts'
import { childrenOf, isElement } from '../tree.ts'
import { cleanValue } from './clean-value.ts'
import type { CompiledClean } from './treatments.ts'

interface CleanedFields {
  readonly fields: Fields
  /** The names of those of which treatments left nothing. */
  readonly emptied: readonly string[]
  readonly warnings: readonly string[]
}

/** Treats the fields that have treatments. `base`: the address that links are relative to. */
export function cleanFields(fields: Fields, clean: CompiledClean, base: string): CleanedFields {
  if (clean.size === 0) return { fields, emptied: [], warnings: [] }
  const emptied: string[] = []
  const cleaned = fields.map(([name, value]): Fields[number] => {
    const treatments = clean.get(name)
    if (treatments === undefined) return [name, value]
    const treated = cleanValue(value, treatments, base)
    if (treated.isEmptied) emptied.push(name)
    return [name, treated.value]
  })
  return { fields: cleaned, emptied, warnings: emptied.map(nothingLeft) }
}

/** Returns the warning about a field of which treatments left nothing. */
export const nothingLeft = (name: string): string =>
  `Nothing is left of the field ${JSON.stringify(name)} by its treatments in extract_config.clean.`

/** Returns the address that links of a page are relative to: what its first base element says, else its own. */
export function baseOf({ document, kind }: Tree, url: string): string {
  if (kind === 'xml') return url
  const html = childrenOf(document).find(isElement)
  const head = html && childrenOf(html).find((node) => isElement(node) && node.name === 'head')
  const bases = head ? childrenOf(head).filter((node) => isElement(node) && node.name === 'base') : []
  const href = bases.flatMap((node) => (isElement(node) ? (node.attribs['href'] ?? []) : []))[0]
  return (href !== undefined && URL.parse(href, url)?.href) || url
}
