import type { StatusPages } from '../api/types.ts'

export type StatusPage = StatusPages['data'][number]

/** A monitor of the list. */
export interface ShownMonitor {
  readonly monitor_id: string
  /** What everybody sees as its name. */
  readonly name: string
  readonly show_value: boolean
}

/** What a person fills in. */
export interface Draft {
  readonly title: string
  /** `kept`: the address that it has. `random`: another one, which nobody guesses. */
  readonly address: 'kept' | 'random' | 'own'
  readonly slug: string
  readonly by: 'monitors' | 'label'
  readonly monitors: readonly ShownMonitor[]
  readonly label: string
  /** Of the monitors of the label. */
  readonly showValues: boolean
  readonly indexed: boolean
}

/** What the API gets. */
export interface StatusPageBody {
  readonly title: string
  /** Absent: it stays. Null: a random one is made. */
  readonly slug?: string | null
  readonly shows:
    | { readonly by: 'monitors'; readonly monitors: readonly ShownMonitor[] }
    | { readonly by: 'label'; readonly label: string; readonly show_values: boolean }
  readonly indexed: boolean
}

const NEW: Draft = {
  title: '',
  address: 'random',
  slug: '',
  by: 'monitors',
  monitors: [],
  label: '',
  showValues: false,
  indexed: false,
}

/** Returns what the form begins with. Null: for a new page. */
export function draftOf(page: StatusPage | null): Draft {
  if (page === null) return NEW
  const { title, slug, shows, indexed } = page
  const draft = { ...NEW, title, slug, indexed, address: 'kept' } as const
  if (shows.by === 'label') return { ...draft, by: 'label', label: shows.label, showValues: shows.show_values ?? false }
  const monitors = shows.monitors.map(({ show_value: isShown = false, ...rest }) => ({ ...rest, show_value: isShown }))
  return { ...draft, monitors }
}

/** Returns what the API gets. */
export function bodyOf({ address, slug, by, monitors, label, showValues, ...draft }: Draft): StatusPageBody {
  return {
    title: draft.title.trim(),
    ...(address !== 'kept' && { slug: address === 'own' ? slug.trim() : null }),
    shows:
      by === 'label'
        ? { by, label: label.trim(), show_values: showValues }
        : { by, monitors: monitors.map((one) => ({ ...one, name: one.name.trim() })) },
    indexed: draft.indexed,
  }
}

/** Returns what is still missing. Null: nothing. */
export function missingOf({ title, address, slug, by, monitors, label }: Draft): string | null {
  if (title.trim() === '') return 'Give it a title.'
  if (address === 'own' && slug.trim() === '') return 'Choose the end of its address.'
  if (by === 'label') return /^[^=\s]+=\S*$/.test(label.trim()) ? null : 'Write the label as key=value.'
  return monitors.some(({ name }) => name.trim() === '') ? 'Give each monitor a public name.' : null
}

/** Returns the list with a monitor moved by one place. At an end it stays. */
export function moved(list: readonly ShownMonitor[], from: number, by: -1 | 1): readonly ShownMonitor[] {
  const one = list[from]
  const to = from + by
  if (one === undefined || to < 0 || to >= list.length) return list
  return list.toSpliced(from, 1).toSpliced(to, 0, one)
}
