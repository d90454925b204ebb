import type { Element } from 'domhandler'
import type { Json } from '../../../schema/shape/json.ts'
import { NamedValues } from './named-values.ts'

/** Returns the `content` of the meta elements with a `property`, such as `og:title`, by it. */
export const openGraphOf = (metas: readonly Element[]) => contentBy(metas, ({ property }) => property?.trim())

/** Returns that of the meta elements with a `name`, by the name in lower case: HTML compares it so. */
export const metaOf = (metas: readonly Element[]) => contentBy(metas, ({ name }) => name?.trim().toLowerCase())

type Attributes = Readonly<Record<string, string | undefined>>

function contentBy(
  metas: readonly Element[],
  nameOf: (attributes: Attributes) => string | undefined,
): { readonly [name: string]: Json } {
  const found = new NamedValues()
  for (const { attribs } of metas) {
    const name = nameOf(attribs)
    if (name && attribs['content'] !== undefined) found.add(name, attribs['content'].trim())
  }
  return found.toObject()
}
