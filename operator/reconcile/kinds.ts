import type { Kind } from '../../monitors/kinds/kind.ts'
import { PAGE } from '../../monitors/kinds/page-kind.ts'
import { SEARCH } from '../../monitors/kinds/search-kind.ts'
import type { CustomResource, ResourceStatus } from './custom-resource.ts'

/** A kind of custom resource that the operator follows. */
export interface OperatedKind {
  /** The records that its resources declare, and its names. */
  readonly records: Kind
  /** Returns the parts of the status that only repeat the spec, for the columns of kubectl. */
  readonly shown: (spec: CustomResource['spec']) => Pick<ResourceStatus, 'address'>
  /** Returns whether each check of a resource needs a browser. */
  readonly needsBrowser: (spec: CustomResource['spec']) => boolean
}

/** Every kind of custom resource that the operator follows. */
export const KINDS: readonly OperatedKind[] = [
  {
    records: PAGE,
    shown: ({ url }) => ({ address: shortAddress(url) }),
    needsBrowser: ({ fetchMode, visualConfig }) => fetchMode === 'browser' || isEnabled(visualConfig),
  },
  { records: SEARCH, shown: ({ keyword }) => ({ address: shortText(keyword) }), needsBrowser: () => true },
]

const isEnabled = (config: unknown): boolean =>
  (config as { readonly enabled?: boolean } | null | undefined)?.enabled === true

/** Longest text of an address. The definition of the status has the same bound. */
const MAX_ADDRESS = 60

/** Returns an address without its scheme and query, cut in the middle of a long path. */
function shortAddress(url: unknown): string {
  if (typeof url !== 'string') return '-'
  const parsed = URL.parse(url)
  if (!parsed) return url.slice(0, MAX_ADDRESS) || '-'
  const text = `${parsed.host}${parsed.pathname === '/' ? '' : parsed.pathname}`
  return text.length <= MAX_ADDRESS ? text : `${text.slice(0, 39)}…${text.slice(-20)}`
}

/** Returns a keyword, cut. */
function shortText(text: unknown): string {
  const characters = Array.from(typeof text === 'string' ? text.replaceAll(/\s+/g, ' ').trim() : '')
  if (characters.length === 0) return '-'
  return characters.length <= MAX_ADDRESS ? characters.join('') : `${characters.slice(0, MAX_ADDRESS - 1).join('')}…`
}
