import { existsSync } from 'node:fs'
import { join } from 'node:path'

const INSTALLED = join(import.meta.dirname, '../../../../node_modules/.cache/judges/bin/python')

/** The Python that has a Matrix homeserver and Apprise. Null where they are not installed. */
export const JUDGES_PYTHON: string | null = existsSync(INSTALLED) ? INSTALLED : null
export const JUDGES_ADVICE = 'run npm run judges, which needs Python 3.10 or newer'

/** Returns the path of a program of this folder. */
export const judge = (name: string): string => join(import.meta.dirname, name)
