import { keyRule, rule } from './rule.ts'

export const FIELD_NAMES = keyRule<string>({
  name: 'field_names',
  message: 'a field name has 1-100 characters, without control characters, and is not __proto__',
  cel: "self.all(name, name.size() >= 1 && name.size() <= 100 && name != '__proto__' && !name.matches('[[:cntrl:]]'))",
  accepts: [{ price: '.price' }, { 'the price': '.price' }, { ['😀'.repeat(100)]: '.price' }],
  rejects: [{ '': '.a' }, { ['a'.repeat(101)]: '.a' }, { 'a\nb': '.a' }],
  holds: (name) => /^[^\u0000-\u001f\u007f]{1,100}$/u.test(name) && name !== '__proto__',
})

export const SCALAR = rule<unknown>({
  name: 'scalar',
  message: 'must be a string of at most 10,000 characters, a number or a boolean',
  cel: null,
  accepts: ['a', 1, true, ''],
  rejects: [null, [], {}, ['a']],
  holds: (value) =>
    (typeof value === 'string' && /^[^]{0,10000}$/u.test(value)) ||
    (typeof value === 'number' && Number.isFinite(value)) ||
    typeof value === 'boolean',
})

interface Thresholded {
  readonly type: string
  readonly threshold?: number
}

export const POSITIVE_PERCENT = rule<Thresholded>({
  name: 'positive_percent',
  message: 'a percentage is a positive number: 5 means 5 percent',
  cel: "!self.type.endsWith('_by_percent') || !has(self.threshold) || self.threshold > 0.0",
  accepts: [
    { type: 'field_increases_by_percent', threshold: 0.5 },
    { type: 'field_above', threshold: -3 },
  ],
  rejects: [
    { type: 'field_increases_by_percent', threshold: 0 },
    { type: 'field_decreases_by_percent', threshold: -5 },
  ],
  holds: (leaf) => !leaf.type.endsWith('_by_percent') || leaf.threshold === undefined || leaf.threshold > 0,
})
