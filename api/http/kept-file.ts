/** A file that is kept as it is sent. */
export interface KeptFile {
  readonly type: string
  readonly content: Buffer
  readonly compressed: Buffer
  readonly etag: string
}
