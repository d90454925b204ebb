import { rule } from './rule.ts'

/** A destination to try, or one of a stored monitor. */
interface Tried {
  readonly delivery?: object
  readonly monitor_id?: string
  readonly index?: number
}

const ID = '01a1fdda-7d9b-7133-82bc-55eff54399c9'

export const DELIVERY_OR_MONITOR = rule<Tried>({
  name: 'delivery_or_monitor',
  message: 'a test has either delivery, or monitor_id with an index',
  // No custom resource has it.
  cel: null,
  accepts: [{ delivery: {} }, { monitor_id: ID }, { monitor_id: ID, index: 1 }],
  rejects: [{}, { index: 1 }, { delivery: {}, monitor_id: ID }, { delivery: {}, index: 0 }],
  between: (tried) => {
    const given = Object.keys(tried)
    return given.length === 0 ? [''] : given
  },
  holds: ({ delivery, monitor_id: id, index }) =>
    (delivery === undefined) !== (id === undefined) && (index === undefined || id !== undefined),
})

/** What is sent again. */
interface Replayed {
  readonly ids?: readonly string[]
  readonly filter?: object
  readonly expected?: number
}

export const IDS_OR_FILTER = rule<Replayed>({
  name: 'ids_or_filter',
  message: 'a request has either ids, or a filter with expected',
  // No custom resource has it.
  cel: null,
  accepts: [{ ids: [ID] }, { filter: {}, expected: 5 }],
  rejects: [{}, { expected: 5 }, { filter: {} }, { ids: [ID], expected: 1 }, { ids: [ID], filter: {}, expected: 1 }],
  between: (asked) => {
    const given = ['ids', 'filter', 'expected'].filter((key) => Object.hasOwn(asked, key))
    return given.length === 0 ? [''] : given
  },
  holds: ({ ids, filter, expected }) =>
    (ids === undefined) !== (filter === undefined) && (filter === undefined) === (expected === undefined),
})
