import type { Route } from './route.ts'

/**
 * The most bytes of a request's body, by what the route reads. What a schema allows fits, however its text is escaped.
 * A configuration is the exception: the largest destinations and headers of one monitor fit as `JSON.stringify` writes
 * them. A predicate of 25³ conditions does not, nor do 500 of the longest treatments of values, nor 25 of the longest
 * messages and bodies where they are full of control characters.
 */
export const BODY_LIMITS = {
  /** JSON of callers who may have no credentials. */
  public: 8 * 1024,
  /** A form that a browser posts. */
  form: 16 * 1024,
  /** An event that its sender has signed. */
  signed: 1024 * 1024,
  default: 64 * 1024,
  /** A bulk action, which may have ids or a filter, and labels. */
  bulk: 128 * 1024,
  /** A status page, with 200 monitors by public names of 200 characters. */
  statusPage: 640 * 1024,
  /** The configuration of a monitor, or a part of it. */
  configuration: 4 * 1024 * 1024,
} as const
type BodyKind = keyof typeof BODY_LIMITS

/** Returns the most bytes of a body that the route reads. */
export const bodyLimitOf = (route: Route): number => BODY_LIMITS[bodyKindOf(route)]

function bodyKindOf(route: Route): BodyKind {
  if (route.policy !== 'public') return route.bodyLimit ?? 'default'
  if (route.isForm === true) return 'form'
  return route.isSigned === true ? 'signed' : 'public'
}

/** Returns a size in words: `8 KiB`, `4 MiB`. */
export function sizeText(bytes: number): string {
  const [unit, size] = bytes >= 1024 * 1024 ? (['MiB', 1024 * 1024] as const) : (['KiB', 1024] as const)
  return `${Math.floor(bytes / size)} ${unit}`
}
