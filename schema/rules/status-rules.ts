import { isLabelWord } from '../monitor/labels.ts'
import { RESERVED_SLUGS } from '../status/reserved-slugs.ts'
import { rule } from './rule.ts'

const SLUG = '^[a-z0-9][a-z0-9-]{1,62}[a-z0-9]$'
const SLUG_PATTERN = new RegExp(SLUG)

/** Returns whether a status page may have the text as its slug. */
export const isPageSlug = (text: string): boolean => SLUG_PATTERN.test(text) && !RESERVED_SLUGS.includes(text)

export const PAGE_SLUG = rule<string>({
  name: 'page_slug',
  message:
    'must have 3 to 64 small letters, digits and hyphens, begin and end with a letter or a digit, and be none of the ' +
    'names of our own addresses, such as docs or status',
  cel: null,
  accepts: ['shop', 'a-b', '404', 'a'.repeat(64), 'docs-2'],
  rejects: ['ab', '-shop', 'shop-', 'Shop', 'a b c', 'a/b', 'a.b', 'shöp', 'a'.repeat(65), 'docs', 'status'],
  json: { pattern: SLUG },
  holds: isPageSlug,
})

/** Returns the name and the value of a label that is written as `key=value`. Null: the text is none. */
export function parseLabel(text: string): { readonly key: string; readonly value: string } | null {
  const at = text.indexOf('=')
  if (at < 0) return null
  const [key, value] = [text.slice(0, at), text.slice(at + 1)]
  return isLabelWord(key) && (value === '' || isLabelWord(value)) ? { key, value } : null
}

export const ONE_LABEL = rule<string>({
  name: 'one_label',
  message: 'must be one label as key=value, as in audience=public',
  cel: null,
  accepts: ['audience=public', 'env=', 'a.b_c-d=1'],
  rejects: ['audience', '=public', 'a=b,c=d', 'a!=b', 'a = b', 'a==b', '!a'],
  holds: (text) => parseLabel(text) !== null,
})
