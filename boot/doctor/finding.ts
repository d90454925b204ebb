import type { DoctorFinding } from '../../schema/doctor.ts'

export const ok = (what: string): DoctorFinding => ({ status: 'ok', what, advice: null })
export const warning = (what: string, advice: string): DoctorFinding => ({ status: 'warning', what, advice })
export const failed = (what: string, advice: string): DoctorFinding => ({ status: 'failed', what, advice })
export const notSetUp = (what: string, advice: string | null = null): DoctorFinding => ({
  status: 'not_set_up',
  what,
  advice,
})

/**
 * Returns the finding for an explanation of the product, which says what is wrong, and behind `between` what to do.
 * `advice`: where it does not.
 */
export function failedAs(message: string, advice: string, between = /; |\. (?=[A-Z])/): DoctorFinding {
  const [cut] = message.match(between) ?? []
  if (cut === undefined) return failed(sentence(message), advice)
  const at = message.indexOf(cut)
  return failed(sentence(message.slice(0, at)), sentence(message.slice(at + cut.length)))
}

/** Returns a text as a sentence. */
export const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
