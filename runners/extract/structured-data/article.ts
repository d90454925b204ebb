import type { Json } from '../../../schema/shape/json.ts'
import { ofKind, type StatedThings } from './stated-things.ts'
import { listOf, nameOfThing, namesOfThing, textOfThing } from './thing.ts'

/** An article, as a page states it. What it does not say is null. */
type Article = {
  readonly headline: string | null
  readonly description: string | null
  /** As written. */
  readonly published: string | null
  readonly modified: string | null
  readonly authors: readonly string[]
  readonly section: string | null
  readonly publisher: string | null
}

const isArticle = (type: string) =>
  type.endsWith('Article') || /^(?:BlogPosting|LiveBlogPosting|SocialMediaPosting|Report)$/.test(type)

/** Returns the first article that a page states; null: there is none. */
export function statedArticle(
  { jsonLd, microdata }: StatedThings,
  openGraph: { readonly [name: string]: Json },
): Article | null {
  const texts = (name: string) => listOf(openGraph[name]).filter((value) => typeof value === 'string' && value !== '')
  const og = (name: string): string | null => (texts(name)[0] ?? null) as string | null
  const [thing] = [...ofKind(jsonLd, isArticle), ...ofKind(microdata, isArticle)]
  if (thing === undefined && og('og:type') !== 'article') return null
  const authors = thing ? namesOfThing(thing, 'author') : []
  const of = (...names: readonly string[]) => (thing ? textOfThing(thing, ...names) : null)
  return {
    headline: of('headline', 'name') ?? og('og:title'),
    description: of('description') ?? og('og:description'),
    published: of('datePublished') ?? og('article:published_time'),
    modified: of('dateModified') ?? og('article:modified_time'),
    authors: authors.length > 0 ? authors : (texts('article:author') as string[]),
    section: of('articleSection') ?? og('article:section'),
    publisher: (thing && nameOfThing(thing, 'publisher')) ?? og('og:site_name'),
  }
}
