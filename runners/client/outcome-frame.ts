/** The JSON of an outcome and its pictures, as one body (schema/runner-api.ts). */
export interface OutcomeFrame {
  readonly head: Uint8Array
  readonly pictures: readonly Uint8Array[]
}

const LENGTH_BYTES = 4

/** Returns the body in parts: pictures are not copied. */
export function frameOutcome({ head, pictures }: OutcomeFrame): Uint8Array[] {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(head.byteLength)
  return [length, head, ...pictures]
}

/** Splits a body into its JSON and its pictures. Null when it is cut off, or not such a body. */
export function splitOutcome(body: Buffer): { readonly head: Buffer; readonly rest: Buffer } | null {
  if (body.byteLength < LENGTH_BYTES) return null
  const end = LENGTH_BYTES + body.readUInt32BE(0)
  return end > body.byteLength ? null : { head: body.subarray(LENGTH_BYTES, end), rest: body.subarray(end) }
}

/** Cuts the rest of a body into pictures of these lengths. Null when it is not as long as all of them together. */
export function cutPictures(rest: Buffer, lengths: readonly number[]): Buffer[] | null {
  let at = 0
  const pictures = lengths.map((length) => rest.subarray(at, (at += length)))
  return at === rest.byteLength ? pictures : null
}
