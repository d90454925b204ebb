import { useEffect, useRef } from 'react'
import { OVER_THE_SCREEN } from '../parts/single-keys.ts'
import { useShortcut } from '../parts/use-shortcut.ts'
import type { Action } from './bulk.ts'
import type { Row } from './ordered-rows.ts'

interface ListKeys {
  /** What keys are about: the selected monitors, or else the row that the list is at. */
  targets(): readonly Row[]
  act(action: Action): void
  clear(): void
}

/** Returns pause, or resume where all of them are paused. */
export const pauseOrResume = (rows: readonly Row[]): 'pause' | 'resume' =>
  rows.length > 0 && rows.every(({ status }) => status === 'paused') ? 'resume' : 'pause'

/** Returns mute, or unmute where all of them are muted. */
export const muteOrUnmute = (rows: readonly Row[]): 'mute' | 'unmute' =>
  rows.length > 0 && rows.every(({ mute }) => mute !== null) ? 'unmute' : 'mute'

/** The keys of the list. */
export function useListKeys({ targets, act, clear }: ListKeys): void {
  useShortcut('list', 'r', () => act('run'))
  useShortcut('list', 'p', () => act(pauseOrResume(targets())))
  useShortcut('list', 'm', () => act(muteOrUnmute(targets())))
  useShortcut('list', 'e', () => act('seen'))
  useShortcut('list', 'u', () => act('unseen'))
  useEscape(clear)
}

const ABOVE = `${OVER_THE_SCREEN}, select`

/** Escape is not a letter, so it works where single keys are turned off. What is open above the list takes it first. */
function useEscape(clear: () => void): void {
  const latest = useRef(clear)
  useEffect(() => {
    latest.current = clear
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isAbove = event.target instanceof Element && event.target.closest(ABOVE) !== null
      if (event.key === 'Escape' && !event.defaultPrevented && !isAbove) latest.current()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
