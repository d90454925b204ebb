import Type, { type Static } from 'typebox'
import { Choice, Dictionary, Nullable, RuledText, Text } from '../shape/shape.ts'

/** Who may change a record: people and programs through the API, or the manifests of a cluster or of a folder. */
const MANAGERS = ['api', 'kubernetes', 'file'] as const
export type Manager = (typeof MANAGERS)[number]
export const ManagedBy = Choice(MANAGERS, {
  description:
    'Beyond the contract: who may change and delete the monitor. api: the API. kubernetes: a custom resource. file: ' +
    'a manifest in the folder of tidemark serve --config.',
})

const MAX_LABELS = 32
/** A custom resource writes it as the key of a label in its metadata, after the prefix. */
const LABELS = Dictionary(Text(0, 63), {
  maxProperties: MAX_LABELS,
  description:
    'Beyond the contract: labels to find monitors by, shaped like those of Kubernetes. Lists are filtered by them.',
  rules: ['label_names', 'label_values'],
})
export type Labels = Static<typeof LABELS>
export const Labels = { ...LABELS, default: {} }

/** The longest one is that of a manifest: a namespace of 63 characters, a slash, and a name of 253. */
const MAX_KEY = 320
export const ExternalKey = Nullable(
  Text(
    1,
    MAX_KEY,
    'Beyond the contract: a name of your own for the record. No two monitors of a kind in a team have the same one.',
  ),
  { default: null },
)

/** Query parameters of requests that create a monitor of either kind. */
export const createQuery = {
  paused: Type.Optional(
    Type.Boolean({
      description: 'Beyond the contract: true: the monitor is paused from the start, so that no run begins.',
    }),
  ),
}

/** Query parameters of lists of monitors of either kind. */
export const identityQuery = {
  external_key: Type.Optional(Text(1, MAX_KEY, 'Beyond the contract: only the monitor with this external_key.')),
  label: Type.Optional(
    RuledText(
      2000,
      ['label_selector'],
      'Beyond the contract: only monitors with these labels. key=value, key!=value, key (any value) and !key ' +
        '(without it), joined by commas.',
    ),
  ),
}

/** What the labels of a monitor have to be. */
export interface LabelSelector {
  readonly equal: readonly LabelPair[]
  readonly unequal: readonly LabelPair[]
  readonly present: readonly string[]
  readonly absent: readonly string[]
}

interface LabelPair {
  readonly key: string
  readonly value: string
}

/** The name of a label, and a value that is not empty: 1 to 63 characters as Kubernetes allows them. */
export const LABEL_WORD = '^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'
export const isLabelWord = (text: string): boolean => new RegExp(LABEL_WORD).test(text)

/** Returns what a selector asks for, or null when it is none. */
export function parseLabelSelector(text: string): LabelSelector | null {
  const equal: LabelPair[] = []
  const unequal: LabelPair[] = []
  const present: string[] = []
  const absent: string[] = []
  for (const part of text.split(',')) {
    const [, not = '', key = '', sign, value = ''] =
      /^\s*(!?)\s*([^=!\s]*)\s*(?:(==?|!=)\s*(\S*))?\s*$/.exec(part) ?? []
    if (!isLabelWord(key) || (value !== '' && !isLabelWord(value)) || (not && sign !== undefined)) return null
    if (not) absent.push(key)
    else if (sign === undefined) present.push(key)
    else (sign === '!=' ? unequal : equal).push({ key, value })
  }
  return { equal, unequal, present, absent }
}
