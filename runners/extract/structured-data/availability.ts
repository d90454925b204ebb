import { lastWord } from './thing.ts'

/** The members of schema.org/ItemAvailability, and whether one can buy now. */
const CAN_BUY: Readonly<Record<string, 'now' | 'later' | 'no'>> = {
  BackOrder: 'later',
  Discontinued: 'no',
  InStock: 'now',
  InStoreOnly: 'now',
  LimitedAvailability: 'now',
  MadeToOrder: 'later',
  OnlineOnly: 'now',
  OutOfStock: 'no',
  PreOrder: 'later',
  PreSale: 'later',
  Reserved: 'no',
  SoldOut: 'no',
}

/** Other words that shops write in their place, without case and separators. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  availablefororder: 'BackOrder',
  limitedstock: 'LimitedAvailability',
  oos: 'OutOfStock',
}

const plain = (word: string) => word.toLowerCase().replaceAll(/[^a-z]/g, '')
const BY_WORD = new Map([
  ...Object.keys(CAN_BUY).map((name) => [plain(name), name] as const),
  ...Object.entries(OTHER_WORDS),
])

/**
 * Returns an availability by the last word of its name in schema.org: `https://schema.org/InStock`, `in stock` and
 * `instock` are `InStock`. An unknown one is its last word as written.
 */
export function availabilityOf(written: string): string {
  return BY_WORD.get(plain(written)) ?? BY_WORD.get(plain(lastWord(written))) ?? lastWord(written)
}

/** Returns what two availabilities have to share so that they do not contradict each other. */
export const kindOfAvailability = (name: string): string =>
  (Object.hasOwn(CAN_BUY, name) ? CAN_BUY[name] : undefined) ?? name
