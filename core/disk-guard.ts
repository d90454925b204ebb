import {
  type DISK_STOPS_AT,
  type DISK_WARNS_AT,
  type DiskFigures,
  type DiskPlaceName,
  usedPercent,
} from '../schema/disk.ts'

/** The level that a disk has reached, in percent. 0: there is room. */
export type DiskLevel = 0 | typeof DISK_WARNS_AT | typeof DISK_STOPS_AT

/** What was found at a place, and what follows from it. */
export interface DiskState extends DiskFigures {
  readonly level: DiskLevel
}

/** Work that can wait stops when a disk is nearly full. */
export interface DiskGuard {
  /** Returns why this work is not done now, as the begin of a sentence; null when there is room. It is counted. */
  refusal(what: 'previews' | 'pictures'): string | null
}

/** A disk is nearly full, so the work was not begun. */
export interface DiskFull {
  readonly kind: 'disk_full'
  readonly reason: string
}

/** Returns what a person reads about a disk that fills, as the begin of a sentence. */
export const diskText = (figures: DiskFigures): string =>
  `${PLACES[figures.place]} is ${usedPercent(figures)} % full, with ${megabytes(figures.size - figures.used)} MB left`

const megabytes = (bytes: number) => Math.max(0, Math.floor(bytes / 1_000_000)).toLocaleString('en')

const PLACES: Readonly<Record<DiskPlaceName, string>> = {
  data_folder: 'The disk of the data folder',
  database: 'The database',
}
