import { describeIf, hasProgram } from '../support/run/skip.ts'

/** The shells that the pages are followed in, as at a prompt. Zsh knows comments elsewhere. */
export const SHELLS = {
  bash: { args: ['--norc', '--noprofile'], before: '' },
  zsh: { args: ['-f', '-i'], before: 'PS1= PS2=\nunsetopt prompt_cr prompt_sp\n' },
} as const

export type ShellName = keyof typeof SHELLS

export const SHELL_NAMES = Object.keys(SHELLS) as readonly ShellName[]

/** A suite for a shell, where this machine has it. */
export const describeShell = (name: ShellName, title: string, suite: () => void): void =>
  describeIf(hasProgram(name), `install ${name}`, { isBeyondCi: true })(title, suite)
