import type { More } from './draft.ts'

type Request = NonNullable<More['request_config']>
export type Paging = NonNullable<Request['pagination']>
type PagingType = Paging['type']
type AllKeys<P> = P extends unknown ? keyof P : never
export type PagingKey = Exclude<AllKeys<Paging>, 'type'>

/** How the following pages of an answer are found. */
export const PAGING_TYPES: readonly (readonly [PagingType, string])[] = [
  ['page', 'by a number that counts'],
  ['cursor', 'by a value of the answer'],
  ['next_url', 'by an address in the answer'],
  ['link_header', 'by the Link header'],
]

const OF_EVERY = ['items_path', 'total_path', 'has_more_path', 'max_pages'] as const satisfies PagingKey[]
const OF_TYPE: Readonly<Record<PagingType, readonly PagingKey[]>> = {
  page: ['in', 'param', 'start', 'step'],
  cursor: ['in', 'param', 'cursor_path'],
  next_url: ['next_url_path'],
  link_header: [],
}

/** Returns the settings that a way of paging has. */
export const pagingKeys = (type: PagingType): readonly PagingKey[] => [...OF_TYPE[type], ...OF_EVERY]

/** Returns the value of a setting as text. Empty: it is not set. */
export function pagingValue(paging: Paging, key: PagingKey): string {
  const value: unknown = Object.entries(paging).find(([name]) => name === key)?.[1]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Returns paging of a type, with all of the old one that it takes. What is missing is refused by the API. */
export function pagingOf(type: PagingType, before: Paging | undefined): Paging {
  const keys: readonly string[] = pagingKeys(type)
  const kept = Object.entries(before ?? {}).filter(([key]) => keys.includes(key))
  const first = keys.includes('in') ? { in: 'query', param: type === 'page' ? 'page' : 'cursor' } : {}
  return { type, ...first, ...Object.fromEntries(kept) } as Paging
}

const NUMBERS: readonly PagingKey[] = ['start', 'step', 'max_pages']

/** Returns paging with another value of a setting. Empty: without it. */
export function withPagingValue(paging: Paging, key: PagingKey, text: string): Paging {
  const { [key]: _, ...others } = paging as Record<PagingKey | 'type', unknown>
  if (text === '') return others as unknown as Paging
  // Another text than a number is refused by the API, by its path.
  const value = NUMBERS.includes(key) && Number.isFinite(Number(text)) ? Number(text) : text
  return { ...others, [key]: value } as unknown as Paging
}
