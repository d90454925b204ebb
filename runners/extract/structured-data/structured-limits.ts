/**
 * Limits of structured data beside those of the page (limits.ts). Real pages come near none of them. What is behind a
 * limit is left out, and the run warns (docs/structured-data.md shows the same table).
 */
export const STRUCTURED_LIMITS = {
  /** Blocks of JSON-LD. Aggregators have up to a hundred. */
  jsonLdBlocks: 500,
  /** Characters of scripts that are not JSON as they stand, and are read without what people add to it. */
  mendedChars: 1_000_000,
  /** Items of microdata: by itemref one element can be an item of many others. */
  microdataItems: 10_000,
  /** Elements that are looked at for properties of microdata. */
  microdataSteps: 400_000,
  /** Characters of the texts of all microdata properties: properties inside each other repeat their text. */
  microdataChars: 4_000_000,
  /** Items of microdata inside each other. */
  microdataDepth: 64,
  /** Things of JSON-LD and microdata that are looked at for a product, an article or an event. */
  things: 20_000,
  /** Offers of a product. */
  offers: 500,
} as const

const count = (value: number): string => value.toLocaleString('en')

/** The sentences about what was left out. */
export const LEFT_OUT = {
  blocks: (found: number) =>
    `The page has ${count(found)} blocks of JSON-LD; the first ${count(STRUCTURED_LIMITS.jsonLdBlocks)} were read.`,
  notJson: (which: string) => `${which} is not JSON and was left out.`,
  excess: (which: string, excess: string) => `${which} was left out. ${excess}`,
  microdata: 'The page has more microdata than is read; the rest was left out.',
  cycle: 'The page has microdata that is part of itself through itemref; this part was left out.',
  offers: `The product has more than ${count(STRUCTURED_LIMITS.offers)} offers; the rest was left out.`,
  products: (found: number) =>
    `The page states ${count(found)} products, and nothing says which one it is about: the first was read.`,
  things: 'The page has more structured data than is looked at for a product, an article or an event.',
  sameId: (id: string) => `Several scripts have the id ${JSON.stringify(id.slice(0, 100))}; the first was read.`,
} as const
