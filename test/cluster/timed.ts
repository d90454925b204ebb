/** Waits for a part of a run, and prints how long it took. */
export async function timed<T>(what: string, part: Promise<T>): Promise<T> {
  const began = performance.now()
  const made = await part
  process.stdout.write(`${what}: ${((performance.now() - began) / 1_000).toFixed(1)} s\n`)
  return made
}
