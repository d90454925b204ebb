/** Reads the first part of a file, so that a store that is away answers with an error and not with half a file. */
export async function begun(parts: AsyncGenerator<string, void, void>): Promise<AsyncIterable<string>> {
  const first = await parts.next()
  return (async function* () {
    try {
      if (first.done) return
      yield first.value
      yield* parts
    } finally {
      await parts.return()
    }
  })()
}
