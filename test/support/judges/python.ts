import { existsSync } from 'node:fs'
import { join } from 'node:path'

const INSTALLED = join(import.meta.dirname, '../../../node_modules/.cache/judges/bin/python')

/** The Python with the programs and libraries that judge what we write. Null where they are not installed. */
export const JUDGES_PYTHON: string | null = existsSync(INSTALLED) ? INSTALLED : null
export const JUDGES_ADVICE = 'run npm run judges, which needs Python 3.10 or newer'
