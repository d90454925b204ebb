import { isLabelWord, LABEL_WORD, parseLabelSelector } from '../monitor/labels.ts'
import { keyRule, rule } from './rule.ts'

// A custom resource has its own labels, which the API server checks: no definition contains these rules.

export const LABEL_NAMES = keyRule<string>({
  name: 'label_names',
  message:
    'the name of a label has 1-63 letters, digits, "-", "_" and ".", and begins and ends with a letter or a digit',
  cel: null,
  accepts: [{ env: 'prod' }, { 'app.tier_1-a': '' }, {}, { ['a'.repeat(63)]: 'a' }],
  rejects: [{ '': 'a' }, { 'example.com/env': 'a' }, { '-env': 'a' }, { 'e nv': 'a' }, { ['a'.repeat(64)]: 'a' }],
  json: { propertyNames: { pattern: LABEL_WORD } },
  holds: isLabelWord,
})

export const LABEL_VALUES = keyRule<string>({
  name: 'label_values',
  message:
    'the value of a label is empty, or has 1-63 letters, digits, "-", "_" and ".", and begins and ends with a letter ' +
    'or a digit',
  cel: null,
  accepts: [{ env: '' }, { env: 'v1.2_a-b' }],
  rejects: [{ env: 'a b' }, { env: '-a' }, { env: 'a/b' }, { env: 'é' }],
  holds: (_, value) => value === '' || isLabelWord(value),
})

export const LABEL_SELECTOR = rule<string>({
  name: 'label_selector',
  message: 'must be made of key=value, key!=value, key and !key, joined by commas, as in env=prod,!muted',
  cel: null,
  accepts: ['env=prod', 'env==prod', 'env!=prod', 'env', '!env', 'env=prod, team = web,!muted', 'env='],
  rejects: ['=prod', 'env=a b', ',', 'env=prod,', '!env=a', 'env in (a)', 'a/b=c'],
  holds: (text) => parseLabelSelector(text) !== null,
})
