import type { Element } from 'domhandler'
import type { EngineTable } from './engine-table.ts'
import { closest, parentOf, type PageQuery } from './page-query.ts'

/** Fewer are not a list. */
const FEWEST = 3
const HEADINGS = ['h2', 'h3', 'h4', '[role="heading"]']
const LINKS = HEADINGS.flatMap((heading) => [`a[href]:has(${heading})`, `${heading} a[href]`])
/** Parts of a page that never contain its main list, whatever their names are. */
const ASIDE = [
  'nav, header, footer, aside, form, table, dialog, [role="navigation"], [role="complementary"], [role="dialog"]',
]
const PAGE = ['main', '[role="main"]', 'body']

/**
 * Returns the links of the largest group of links that have the same kind of heading inside or around them, and
 * lead away from the engine. It is what is left to go by when an engine renamed everything.
 */
export function structuralLinks(
  query: PageQuery,
  table: EngineTable,
  isAway: (link: Element) => boolean,
): readonly Element[] {
  const excluded = query.set(table.excluded)
  const aside = query.set(ASIDE)
  const all = query.all(LINKS).filter((link) => closest(link, excluded) === null && closest(link, aside) === null)
  for (const place of [...table.regions, ...PAGE]) {
    const region = query.set([place])
    const inside = all.filter((link) => closest(link, region) !== null && isAway(link))
    const group = largest(groupsOf(inside))
    if (group.length >= FEWEST) return group
  }
  return []
}

function groupsOf(links: readonly Element[]): ReadonlyMap<string, readonly Element[]> {
  const groups = new Map<string, Element[]>()
  for (const link of links) {
    const shape = shapeOf(link)
    groups.set(shape, [...(groups.get(shape) ?? []), link])
  }
  return groups
}

function largest(groups: ReadonlyMap<string, readonly Element[]>): readonly Element[] {
  let most: readonly Element[] = []
  for (const group of groups.values()) if (group.length > most.length) most = group
  return most
}

/** Returns the kind of heading that a link stands in, or that stands in it. */
function shapeOf(link: Element): string {
  for (let next = parentOf(link); next !== null; next = parentOf(next)) if (isHeading(next)) return next.name
  return headingInside(link)
}

const isHeading = ({ name, attribs }: Element): boolean => /^h[234]$/.test(name) || attribs['role'] === 'heading'

function headingInside(link: Element): string {
  const stack = [...link.children]
  for (let next = stack.shift(); next !== undefined; next = stack.shift()) {
    if (!('children' in next)) continue
    if ('attribs' in next && isHeading(next)) return next.name
    stack.push(...next.children)
  }
  return '?'
}
