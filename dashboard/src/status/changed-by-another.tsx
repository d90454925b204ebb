import { differingKeysOf } from '../new/draft/differing-keys.ts'
import { ConflictBox } from '../parts/conflict-box.tsx'
import { bodyOf, type Draft, draftOf, type StatusPage, type StatusPageBody } from './draft.ts'

/** Each key of what is saved, in words, with the parts of the form that it is made of. */
const PARTS = {
  title: ['title', ['title']],
  slug: ['address', ['address', 'slug']],
  shows: ['what it shows', ['by', 'monitors', 'label', 'showValues']],
  indexed: ['whether search engines may list it', ['indexed']],
} as const satisfies Readonly<Record<keyof StatusPageBody, readonly [words: string, parts: readonly (keyof Draft)[]]>>

type Key = keyof typeof PARTS
const isKey = (name: string): name is Key => Object.hasOwn(PARTS, name)
const KEYS = Object.keys(PARTS).filter(isKey)

interface Versions {
  /** As the form began with it. */
  readonly base: StatusPage
  /** As somebody else saved it since. */
  readonly stored: StatusPage
  readonly draft: Draft
}

const savedOf = (page: StatusPage): StatusPageBody => ({ ...bodyOf(draftOf(page)), slug: page.slug })
const mineOf = ({ base, draft }: Versions): StatusPageBody => ({ slug: base.slug, ...bodyOf(draft) })
const theirKeys = ({ base, stored }: Versions) => differingKeysOf(KEYS, savedOf(stored), savedOf(base))
const ourKeys = (versions: Versions) => differingKeysOf(KEYS, mineOf(versions), savedOf(versions.base))

/** Returns the keys that both changed, to different values: a person has to choose. */
function disputedKeys(versions: Versions): readonly Key[] {
  const differing = differingKeysOf(KEYS, savedOf(versions.stored), mineOf(versions))
  const ours = ourKeys(versions)
  return theirKeys(versions).filter((key) => ours.includes(key) && differing.includes(key))
}

/** Returns the form with both changes: what only one of them changed, and of the rest what was chosen. */
export function mergedDraft(versions: Versions, theirs: readonly string[]): Draft {
  const parts = ourKeys(versions).flatMap((key): readonly (keyof Draft)[] =>
    theirs.includes(key) ? [] : PARTS[key][1],
  )
  const mine = Object.fromEntries(parts.map((part) => [part, versions.draft[part]]))
  return { ...draftOf(versions.stored), ...mine }
}

interface ChangedProps {
  readonly versions: Versions
  /** The keys of which the other's value is taken. */
  onChoose(theirs: readonly string[]): void
}

/** Somebody else saved the page first. */
export function ChangedByAnother({ versions, onChoose }: ChangedProps) {
  const { base, stored } = versions
  const isPublishing = base.published !== stored.published
  const theirs = savedOf(stored)
  const mine = mineOf(versions)
  return (
    <ConflictBox
      what="status page"
      changed={[
        ...theirKeys(versions).map((key) => PARTS[key][0]),
        ...(isPublishing ? [stored.published ? 'it is published now' : 'it is not published any more'] : []),
      ]}
      disputed={disputedKeys(versions).map((key) => ({
        key,
        words: PARTS[key][0],
        theirs: shown(key, theirs),
        mine: shown(key, mine),
      }))}
      onChoose={onChoose}
    />
  )
}

/** Returns a value as a person compares it. */
function shown(key: Key, { title, slug, shows, indexed }: StatusPageBody): string {
  if (key === 'title') return title
  if (key === 'slug') return slug === null ? 'another random address' : `/status/${slug ?? ''}`
  if (key === 'indexed') return indexed ? 'they may' : 'they are asked not to'
  if (shows.by === 'label') return `monitors with ${shows.label}${shows.show_values ? ', with values' : ''}`
  const names = shows.monitors.map((one) => (one.show_value ? `${one.name}, with its value` : one.name))
  return names.join('\n') || 'no monitor'
}
