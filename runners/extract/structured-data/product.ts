import { contradictions, type Contradiction } from './contradictions.ts'
import { isEvent } from './event.ts'
import { isSame, mainOf, sameAs } from './main-product.ts'
import { lowestOf, type Offer } from './offers.ts'
import { pricesOf, type ProductStatement, type Source, statementOf } from './product-statement.ts'
import { ofKind, type StatedThings } from './stated-things.ts'
import { LEFT_OUT } from './structured-limits.ts'
import type { Thing } from './thing.ts'

/** A product, as all sources of a page state it. What none says is null. */
type Product = {
  readonly name: string | null
  /** Of the first offer that has one, as written. */
  readonly price: string | null
  readonly price_low: string | null
  readonly currency: string | null
  readonly availability: string | null
  readonly sku: string | null
  readonly brand: string | null
  readonly offers: readonly Offer[]
  readonly conflict: readonly Contradiction[]
}

interface Agreed {
  readonly product: Product | null
  readonly warnings: readonly string[]
}

/** The types of schema.org for what shops sell; others of theirs are in these by a second type. */
const KINDS: ReadonlySet<string> = new Set(
  [
    'Product ProductGroup ProductModel IndividualProduct SomeProducts DietarySupplement Drug',
    'Vehicle Car Motorcycle MotorizedBicycle BusOrCoach',
    'SoftwareApplication MobileApplication WebApplication VideoGame Book Audiobook',
  ].flatMap((names) => names.split(' ')),
)

/** Returns what the sources of a page say of its product, the first that says something. */
export function agreedProduct(
  { jsonLd, microdata }: StatedThings,
  { openGraph, title }: { readonly openGraph: ProductStatement | null; readonly title: string | null },
): Agreed {
  const stated: ProductStatement[] = []
  const warnings: string[] = []
  for (const statements of [statementsOf('json_ld', jsonLd), statementsOf('microdata', microdata)]) {
    const [known] = stated
    const { main, isOneOfMany } = known
      ? { main: sameAs(known, statements), isOneOfMany: false }
      : mainOf(statements, title)
    if (isOneOfMany) warnings.push(LEFT_OUT.products(statements.length))
    if (main) stated.push(main, ...statements.filter((one) => one !== main && isSame(one, main)))
  }
  if (openGraph !== null) stated.push(openGraph)
  if (stated.length === 0) return { product: null, warnings: [] }
  const product = merged(stated)
  return { product, warnings: [...warnings, ...warningsOf(product, stated)] }
}

function statementsOf(source: Source, things: readonly Thing[]): readonly ProductStatement[] {
  const products = ofKind(things, (type) => KINDS.has(type))
  return (products.length > 0 ? products : things.flatMap(offered)).map((thing) => statementOf(source, thing))
}

/** Returns a thing that is offered although it has no type of a product, or what an offer by itself is about. */
function offered(thing: Thing): readonly Thing[] {
  if (thing.types.some(isEvent)) return []
  if (thing.all('offers').length > 0) return [thing]
  if (!thing.types.includes('Offer') && !thing.types.includes('AggregateOffer')) return []
  return [{ types: [], id: null, all: (name) => (name === 'offers' ? [thing] : []) }]
}

function merged(stated: readonly ProductStatement[]): Product {
  const first = <K extends 'name' | 'sku' | 'brand'>(key: K) =>
    stated.map((one) => one[key]).find((value) => value !== null) ?? null
  const priced = stated.find((one) => pricesOf(one).length > 0) ?? stated.find(({ offers }) => offers.length > 0)
  const offer = priced && (priced.offers.find(({ price }) => price !== null) ?? priced.offers[0])
  const of = (key: 'currency' | 'availability') =>
    offer?.[key] ?? stated.map((one) => saidOf(one, key)).find((value) => value !== null) ?? null
  const prices = priced ? pricesOf(priced) : []
  const low = lowestOf(prices)
  return {
    name: first('name'),
    price: offer?.price ?? (priced?.source === 'open_graph' ? (prices[0] ?? null) : (low ?? prices[0] ?? null)),
    price_low: low,
    currency: of('currency'),
    availability: of('availability'),
    sku: first('sku'),
    brand: first('brand'),
    offers: priced?.offers ?? [],
    conflict: contradictions(stated),
  }
}

const saidOf = ({ offers, ...one }: ProductStatement, key: 'currency' | 'availability') =>
  offers.map((offer) => offer[key]).find((value) => value !== null) ?? one[key]

const NAMES: Readonly<Record<Source, string>> = {
  json_ld: 'JSON-LD',
  microdata: 'microdata',
  open_graph: 'Open Graph',
}

function warningsOf({ conflict }: Product, stated: readonly ProductStatement[]): readonly string[] {
  const contradicted = conflict.map(({ field, stated: values }) => {
    const said = values.map(({ source, value }) => `${value.slice(0, 60)} in ${NAMES[source]}`).join(', ')
    return `The page contradicts itself about the ${field} of its product: ${said}.`
  })
  return stated.some(({ isCut }) => isCut) ? [...contradicted, LEFT_OUT.offers] : contradicted
}
