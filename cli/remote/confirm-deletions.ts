import { createInterface } from 'node:readline/promises'
import { printable } from '../../core/printable.ts'
import { exitCode } from '../exit-codes.ts'
import { RemoteError } from './remote-error.ts'

/** Monitors that are deleted without a question. */
export const MAX_UNASKED = 10
/** Names that a question shows. */
const MAX_SHOWN = 20

/** The terminal of a person. */
interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

const OWN: Terminal = { input: process.stdin, output: process.stderr }

/**
 * Asks whether many monitors are to be deleted. `yes`: the command line says so already.
 *
 * @throws RemoteError where the person declines, or nobody can be asked; nothing was deleted then
 */
export async function confirmDeletions(names: readonly string[], yes: boolean, terminal = OWN): Promise<void> {
  const count = names.length
  if (yes || count <= MAX_UNASKED) return
  const { input, output } = terminal
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
      process.exit(exitCode('interrupted'))
    })
    void lines.question(`Delete these ${count} monitors? [y/N] `).then(resolve, () => resolve(''))
  })
  lines.close()
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new RemoteError('nothing was done', 'interrupted')
}
