/** What one file may cost (docs/documents.md shows the same table). A file over a limit is `too_complex`. */
export const DOCUMENT_LIMITS = {
  /** Bytes of the file, as received. */
  bytes: 10 * 1024 * 1024,
  /** Bytes of all entries of an archive, unpacked. */
  unpackedBytes: 64 * 1024 * 1024,
  entries: 2_000,
  /** Cells of all sheets. Empty ones that stand before one with a value count too. */
  cells: 200_000,
  pages: 500,
  /** Texts of one page: one with more is of marks. */
  texts: 100_000,
  events: 5_000,
  /** Elements of XML inside each other. */
  depth: 512,
  /** Bytes of the tree, or of the JSON, that is made of a file. */
  outputBytes: 32 * 1024 * 1024,
  /** Milliseconds for one file, from the moment that the process is given it. */
  readMs: 10_000,
  /** A file that takes longer is read where it holds up slow ones alone. */
  quickMs: 2_000,
  /** Resident memory of the process, in MB. */
  residentMb: 384,
  /** Its heap, in MB: buffers are outside of it. */
  heapMb: 288,
  /** The process ends when it had nothing to read for so long. */
  idleMs: 60_000,
  /** The longest wait for a turn, in milliseconds: that of a fetch. */
  waitMs: 30_000,
} as const
