import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { ask } from '../api/client.ts'
import type { Overview } from '../api/types.ts'
import { chooseTheme, type Theme, THEMES } from '../app/theme.ts'
import { pathOf } from '../monitors/cells.tsx'
import { useOffered } from '../parts/commands.ts'
import type { KeyOf } from '../parts/keys.ts'
import { useSingleKeys } from '../parts/single-keys.ts'
import type { Entry } from './entry.ts'

interface Entries {
  readonly groups: readonly { readonly title: string; readonly entries: readonly Entry[] }[]
  readonly isReading: boolean
}

/** Monitors that are shown. More of a name leaves fewer. */
const MONITORS = 8
/** How long a person pauses in a word. */
const PAUSE_MS = 120

const SCREENS = [
  ['Monitors', '/', 'g m'],
  ['Changes', '/changes', 'g c'],
  ['Deliveries', '/deliveries', 'g d'],
  ['Searches', '/searches', 'g s'],
  ['New monitor', '/new', 'n'],
] as const satisfies readonly (readonly [string, string, KeyOf<'everywhere'> | KeyOf<'list'>])[]
/** Screens that no key leads to. They are found by their names: the list of what is offered unasked stays short. */
const FURTHER = [
  ['Team', '/team', ''],
  ['API keys', '/keys', ''],
  ['Status pages', '/status-pages', ''],
  ['Audit log', '/audit', ''],
  ['Usage and plan', '/usage', ''],
  ['Account', '/account', ''],
] as const
/** Pages that the dashboard does not draw. */
const DOCUMENTS = [
  ['Documentation', '/docs'],
  ['API reference', '/docs/api'],
] as const

/** Returns what there is by a name, or by a part of it. */
export function useEntries(text: string): Entries {
  const monitors = useMonitors(text)
  const offered = useOffered()
  const places = usePlaces(text !== '')
  const groups = [
    { title: 'Do', entries: offered.map((command) => ({ ...command, note: '' })) },
    { title: 'Go to', entries: places },
    { title: 'How it looks', entries: useLooks() },
  ].map(({ title, entries }) => ({ title, entries: entries.filter((entry) => isNamed(entry.title, text)) }))
  const found = text === '' ? groups : [{ title: 'Monitors', entries: monitors.entries }, ...groups]
  return { groups: found.filter(({ entries }) => entries.length > 0), isReading: monitors.isReading }
}

const isNamed = (title: string, text: string): boolean =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => title.toLowerCase().includes(word))

function useMonitors(text: string): { readonly entries: readonly Entry[]; readonly isReading: boolean } {
  const [, go] = useLocation()
  const [asked, setAsked] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const { data, isFetching, isPlaceholderData } = useQuery({
    queryKey: ['palette', asked],
    queryFn: ({ signal }) =>
      ask<Overview>(`/v1/overview?${new URLSearchParams({ q: asked, sort: 'name', limit: String(MONITORS) })}`, {
        signal,
      }),
    enabled: asked !== '',
    placeholderData: (before) => before,
  })
  const read = asked === '' ? [] : (data?.data ?? [])
  // Until the answer comes, only what both texts leave: Enter chooses the first.
  const rows = isPlaceholderData || asked !== text ? read.filter((row) => isFound(row, text)) : read
  const entries = rows.map((row) => ({
    id: row.id,
    title: row.name,
    note: row.target.replace(/^https?:\/\//, ''),
    refused: null,
    act: () => go(pathOf(row)),
  }))
  return { entries, isReading: isFetching || asked !== text }
}

/** As the API finds by a part of the name or the address. */
const isFound = ({ name, target }: Overview['data'][number], text: string): boolean =>
  `${name}\n${target}`.toLowerCase().includes(text.toLowerCase())

function usePlaces(withFurther: boolean): readonly Entry[] {
  const [, go] = useLocation()
  return [
    ...[...SCREENS, ...(withFurther ? FURTHER : [])].map(([title, path, keys]) => ({
      id: path,
      title,
      note: keys,
      refused: null,
      act: () => go(path),
    })),
    ...DOCUMENTS.map(([title, path]) => ({
      id: path,
      title,
      note: '',
      refused: null,
      act: () => location.assign(path),
    })),
  ]
}

function useLooks(): readonly Entry[] {
  const [areOn, setOn] = useSingleKeys()
  const themes = Object.entries(THEMES).map(([theme, word]) => ({
    id: `theme-${theme}`,
    title: `Colours: ${word.toLowerCase()}`,
    note: '',
    refused: null,
    act: () => chooseTheme(theme as Theme),
  }))
  const title = areOn ? 'Turn single keys off' : 'Turn single keys on'
  return [...themes, { id: 'keys', title, note: '', refused: null, act: () => setOn(!areOn) }]
}
