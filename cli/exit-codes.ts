/** The exit codes of all commands. `docs/command-line.md` has the same table. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: 'Done.' },
  failed: {
    code: 1,
    meaning:
      'The command ran, and something is wrong or was found: a record does not exist, the server refused the ' +
      'request, a check failed, `diff` found a difference, `validate` a fault.',
  },
  usage: { code: 2, meaning: 'The command line or a file is not valid, and nothing was done. Of `diff`: any error.' },
  unavailable: { code: 69, meaning: 'The server does not answer, or has no time now. Try again later.' },
  refused: {
    code: 77,
    meaning: 'The API key or the runner token is refused, or may not do this. Trying again does not help.',
  },
  interrupted: { code: 130, meaning: 'Ended by Ctrl-C.' },
} as const

type ExitName = keyof typeof EXIT_CODES

/** Returns the code of an ending. */
export const exitCode = (name: ExitName): number => EXIT_CODES[name].code
