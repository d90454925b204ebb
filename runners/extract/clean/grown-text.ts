import { EXTRACT_LIMITS } from '../limits.ts'

/** A treatment made more text than a value may have on its way. */
export class GrownText extends Error {
  constructor() {
    const most = EXTRACT_LIMITS.treatedBytes.toLocaleString('en')
    super(`A treatment in extract_config.clean makes more than ${most} characters of a value. Replace less of it.`)
  }
}
