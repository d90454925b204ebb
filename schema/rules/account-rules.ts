import { rule } from './rule.ts'

const TRIMMED = String.raw`^\s*\S([\s\S]{0,78}\S)?\s*$`
const TRIMMED_PATTERN = new RegExp(TRIMMED, 'u')

export const TEAM_NAME = rule<string>({
  name: 'team_name',
  message: 'must have 1 to 80 characters, not counting white space around it',
  cel: null,
  accepts: ['Ops', '  Ops  ', 'a'.repeat(80), '🜁'.repeat(80)],
  rejects: ['   ', 'a'.repeat(81), '\t\n'],
  json: { pattern: TRIMMED },
  holds: (text) => TRIMMED_PATTERN.test(text),
})
