import { LEAST } from './examples.ts'

interface Difference {
  readonly what: string
  readonly why: string
  readonly monitor: object
  /** Where the resource is not the monitor in the resource's spelling. */
  readonly spec?: object
  readonly valid: { readonly api: boolean; readonly kubernetes: boolean }
}

const REFUSED_LATER = { api: false, kubernetes: true }

/**
 * Every difference that we know between what the API and a cluster take. What a cluster takes and the API does not, the
 * operator refuses as soon as it sees it: Ready=False with the API's own words.
 */
export const DIFFERENCES: readonly Difference[] = [
  {
    what: 'null for a key that may be left out',
    why: 'Kubernetes takes null as absent',
    monitor: { ...LEAST, deliveries: null },
    valid: REFUSED_LATER,
  },
  {
    what: 'a NUL character',
    why: 'Postgres cannot keep it; a pattern on each text of the resource would say no more',
    monitor: { ...LEAST, name: 'a\0b' },
    valid: REFUSED_LATER,
  },
  {
    what: 'a body in braces that is not JSON, with paging in the body',
    why: 'CEL cannot parse JSON',
    monitor: {
      ...LEAST,
      request_config: { method: 'POST', body: '{page: 1}', pagination: { type: 'page', in: 'body', param: 'page' } },
    },
    valid: REFUSED_LATER,
  },
  {
    what: 'a predicate over a field that a prompt has no hint of',
    why: 'CEL cannot look into what has no type',
    monitor: {
      ...LEAST,
      extract_config: { method: 'prompt', prompt: 'What does it cost?', schema: { price: 'number' } },
      diff_predicate: { type: 'field_changes', field: 'stock' },
    },
    valid: REFUSED_LATER,
  },
  {
    what: 'a list that gains items, over a field that is no list',
    why: 'a pattern on the expression of each of 15,625 conditions costs more than CEL may',
    monitor: { ...LEAST, diff_predicate: { type: 'list_gains_items', field: 'price' } },
    valid: REFUSED_LATER,
  },
  {
    what: 'a list that loses items, over a field that is no list',
    why: 'as for a list that gains items',
    monitor: { ...LEAST, diff_predicate: { type: 'list_loses_items', field: 'price' } },
    valid: REFUSED_LATER,
  },
  ...['http://192.0.2.256/', 'http://exa%20mple.com/', 'http://[1:2]/'].map((url) => ({
    what: `the address ${url}`,
    why: 'the expression knows the grammar of an address, not the numbers of hosts and their encoding',
    monitor: { ...LEAST, url },
    valid: REFUSED_LATER,
  })),
]
