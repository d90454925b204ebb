/** What is looked at: the folder of pictures and of the embedded database, and the database by its size. */
export const DISK_PLACES = ['data_folder', 'database'] as const
export type DiskPlaceName = (typeof DISK_PLACES)[number]

/** From this part of a disk on, in percent, people are told. */
export const DISK_WARNS_AT = 90
/** From this part on, in percent, previews and pictures stop, so that checks and deliveries have the rest. */
export const DISK_STOPS_AT = 95
/** A level ends when so many percent points are free again, so that a disk at the edge does not change it each time. */
export const DISK_SLACK = 2

/** Bytes of a place. */
export interface DiskFigures {
  readonly place: DiskPlaceName
  readonly used: number
  /** Bytes used, and those that can still be used. */
  readonly size: number
}

/** Returns how much of a place is used, in whole percent, rounded down. */
export const usedPercent = ({ used, size }: Pick<DiskFigures, 'used' | 'size'>): number =>
  size > 0 ? Math.floor((used * 100) / size) : 0

/** A larger disk counts as one of this size: with 10 GB left, no disk is nearly full. */
const LARGEST_DISK_BYTES = 200_000_000_000

/**
 * Returns the percentage that the levels are compared with (docs/decisions/0035-disks-that-fill.md). A limit that
 * somebody has set counts as it is.
 */
export const fillPercent = ({ place, used, size }: DiskFigures): number =>
  place === 'database' || size <= LARGEST_DISK_BYTES
    ? usedPercent({ used, size })
    : Math.max(0, usedPercent({ used: LARGEST_DISK_BYTES - (size - used), size: LARGEST_DISK_BYTES }))
