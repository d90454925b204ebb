import { forTerminal } from '../core/printable.ts'
import type { ProcessIo } from './process-io.ts'

type Printer = Pick<ProcessIo, 'stdout'>
type Teller = Pick<ProcessIo, 'stderr'>

/** Prints a text. A pipe or a file gets it exactly, a terminal without what it would act on. */
export const print = ({ stdout }: Printer, text: string): void =>
  void stdout.write(stdout.isTTY ? forTerminal(text) : text)

/** Prints the bytes of a page, likewise. */
export const printBytes = ({ stdout }: Printer, bytes: Uint8Array): void =>
  stdout.isTTY ? print({ stdout }, Buffer.from(bytes).toString()) : void stdout.write(bytes)

/** Prints a text on standard error, likewise. */
export const tell = ({ stderr }: Teller, text: string): void =>
  void stderr.write(stderr.isTTY ? forTerminal(text) : text)

/** Prints a line about what the command does at this moment, on a terminal only. */
export function progress(io: Teller, text: string): void {
  if (io.stderr.isTTY) tell(io, `${text}\n`)
}
