import { type Bound, BOUNDS, type TableSize, type TableSizes } from './tables.ts'
import { DAYS, RETENTION_DAYS } from './weeks-service.ts'

/** Bytes of a full table and its indexes may differ by this: freed room is used again, but not at once. */
const SAME_BYTES = 1.5
/**
 * What is old is deleted once a day, at whatever hour the service started, so a day may have a day's worth more than
 * another one, and what happens once a week has its own days. What is never deleted grows by two thirds of all
 * days' worth.
 */
const DAYS_APART = 3
/** A row of the day may or may not be deleted by the hour of the look. One that leaks each day makes 16 of them. */
const FEW_ROWS = 5
/** What was asked for and is not done yet, at the moment of a look. Six were seen. */
const ROWS_UNDER_WAY = 10
/**
 * Small tables grow by whole pages: three for the table, its visibility map and its free space, three for indexes. The
 * others are the dead rows of one day of 113 checks, which a snapshot of a busy machine kept from the vacuum once.
 */
const FEW_PAGES_BYTES = 24 * 8192

/** Returns a line for each table that holds more at the end than its bound allows. */
export function growthOf(early: TableSizes, middle: TableSizes, late: TableSizes): string[] {
  const secondLook = (DAYS * 2) / 3
  return Object.entries(late).flatMap(([name, now]) => {
    const bound = BOUNDS[name] ?? 'constant'
    if (typeof bound === 'object' && ('excused' in bound || bound.days > secondLook)) return []
    // What is kept for longer than until the first look is compared with the second one.
    const before = (typeof bound === 'object' ? middle : early)[name] ?? { rows: 0, bytes: 0 }
    const most = mostOf(bound, before)
    return now.rows <= most.rows && now.bytes <= most.bytes
      ? []
      : [`${name}: ${show(now)}, of ${show(before)} before; at most ${show(most)}`]
  })
}

function mostOf(bound: Exclude<Bound, { readonly excused: string }>, { rows, bytes }: TableSize): TableSize {
  if (bound === 'constant') return { rows: rows + FEW_ROWS, bytes: bytes + FEW_PAGES_BYTES }
  if (bound === 'under way') return { rows: rows + ROWS_UNDER_WAY, bytes: bytes + FEW_PAGES_BYTES }
  const days = typeof bound === 'object' ? bound.days : RETENTION_DAYS
  return {
    rows: rows + Math.ceil((rows * DAYS_APART) / days) + FEW_ROWS,
    bytes: Math.ceil(bytes * SAME_BYTES) + FEW_PAGES_BYTES,
  }
}

const show = ({ rows, bytes }: TableSize) => `${rows} rows in ${bytes} bytes`
