import { rm, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { sha256Of } from '../release/checksums.ts'
import type { RunProgram } from './run-program.ts'

/**
 * Writes what `helm --verify` reads: the description of the chart with the hash of its archive, signed with a key of
 * gpg, in a file beside the chart. `helm package --sign` would pack the chart again.
 */
export async function signChart(chart: string, key: string, run: RunProgram): Promise<void> {
  const description = await run('tar', ['-xzOf', chart, 'tidemark/Chart.yaml'])
  const text = `${chart}.prov.txt`
  await writeFile(text, `${description}\n\n...\nfiles:\n  ${basename(chart)}: sha256:${await sha256Of(chart)}\n`)
  try {
    await run('gpg', ['--batch', '--yes', '--local-user', key, '--output', `${chart}.prov`, '--clear-sign', text])
  } finally {
    await rm(text, { force: true })
  }
}
