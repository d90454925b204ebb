import { createInterface } from 'node:readline/promises'
import { printable } from '../../core/printable.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { exitCode } from '../exit-codes.ts'
import { RemoteError } from './remote-error.ts'

/** Monitors that are deleted without a question. */
export const MAX_UNASKED = 10
/** Names that a question shows. */
const MAX_SHOWN = 20

/**
 * Asks whether many monitors are to be deleted. `yes`: the command line says so already.
 *
 * @throws RemoteError where the person declines, or nobody can be asked; nothing was deleted then
 */
export async function confirmDeletions(
  io: Pick<ProcessIo, 'stdin' | 'stderr' | 'exit'>,
  names: readonly string[],
  yes: boolean,
): Promise<void> {
  const count = names.length
  if (yes || count <= MAX_UNASKED) return
  const { stdin: input, stderr: output } = io
  if (input.isTTY !== true || output.isTTY !== true)
    throw new RemoteError(
      `${count} monitors would be deleted, more than ${MAX_UNASKED}: add --yes if that is meant; nothing was done`,
      'usage',
    )
  const more = count - MAX_SHOWN
  const shown = names.slice(0, MAX_SHOWN).map((name) => `  ${printable(name)}\n`)
  output.write(`${shown.join('')}${more > 0 ? `  … and ${more} more\n` : ''}`)
  const lines = createInterface({ input, output, terminal: true })
  const answer = await new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''))
    lines.once('SIGINT', () => {
      output.write('\n')
      io.exit(exitCode('interrupted'))
    })
    void lines.question(`Delete these ${count} monitors? [y/N] `).then(resolve, () => resolve(''))
  })
  lines.close()
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new RemoteError('nothing was done', 'interrupted')
}
