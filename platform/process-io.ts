import { isAbsolute, join } from 'node:path'
import type { Readable } from 'node:stream'

/** A stream that a command writes to. */
export type Output = NodeJS.WritableStream & {
  /** It is a terminal. */
  readonly isTTY?: boolean
  /** Columns of the terminal. */
  readonly columns?: number
}

/** The stream that a command reads. */
export type Input = Readable & { readonly isTTY?: boolean }

/** Signals that a command acts on itself. */
type Signal = 'SIGINT' | 'SIGTERM'

/**
 * What a command uses of the process that it runs in: its environment, its folder, its streams, its end. `process` is
 * one. Tests give a command another one, so that many commands run in one process.
 */
export interface ProcessIo {
  readonly env: Readonly<Record<string, string | undefined>>
  cwd(): string
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  /** The code with which the process ends; undefined: 0. */
  exitCode?: number | string | null | undefined
  /** Ends the process now, with the code or `exitCode`. Nothing may follow the call. */
  exit(code?: number): void
  on(signal: Signal, act: () => void): unknown
  once(signal: Signal, act: () => void): unknown
  off(signal: Signal, act: () => void): unknown
}

/** Returns the path of a file that a person names: it may be relative to the folder of the command. */
export const pathIn = (io: Pick<ProcessIo, 'cwd'>, path: string): string =>
  isAbsolute(path) ? path : join(io.cwd(), path)
