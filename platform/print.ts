import { forTerminal } from '../core/printable.ts'

/** Prints a text. A pipe or a file gets it exactly, a terminal without what it would act on. */
export const print = (text: string): void => void process.stdout.write(process.stdout.isTTY ? forTerminal(text) : text)

/** Prints the bytes of a page, likewise. */
export const printBytes = (bytes: Uint8Array): void =>
  process.stdout.isTTY ? print(Buffer.from(bytes).toString()) : void process.stdout.write(bytes)

/** Prints a text on standard error, likewise. */
export const tell = (text: string): void => void process.stderr.write(process.stderr.isTTY ? forTerminal(text) : text)

/** Prints a line about what the command does at this moment, on a terminal only. */
export function progress(text: string): void {
  if (process.stderr.isTTY) tell(`${text}\n`)
}
