import type { RemoteClient } from './remote-client.ts'

/** A row of a list that may have been cut. */
interface Cut {
  readonly id: string
  readonly truncated?: readonly string[]
}

/** Returns the rows of a list with all of their values. Lists cut those that are large. */
export async function wholeOf<T extends Cut>(client: RemoteClient, path: string, listed: readonly T[]): Promise<T[]> {
  const whole: T[] = []
  for (const row of listed) {
    const read = row.truncated ? await client.find<T>({ method: 'GET', path: `${path}/${row.id}` }) : row
    // Retention may have deleted it since it was listed.
    whole.push(read ?? row)
  }
  return whole
}
