import { type Failed, failed } from './page.ts'

/** Counts and logs an unexpected error while a page was read. `trace` has nothing of the page. */
export type InternalErrorReport = (trace: string, runId?: string) => void

const MESSAGE =
  'Reading the page failed through an error of Tidemark; neither the page nor the rules are wrong. The log has the ' +
  'details, which the operator of this installation can report.'

/** Returns the fault of an error that no page and no rule may cause. */
export function internalFault(error: unknown): Failed & { readonly trace: string } {
  return { ...failed('internal', MESSAGE), trace: traceOf(error) }
}

/**
 * Returns the class of an error and the lines of its stack. The message is left out, because it may quote the page:
 * `Cannot add property price, object is not extensible`.
 */
function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`
  const { name, message, stack = '' } = error
  const head = stack.indexOf(message)
  const frames = stack.slice(head < 0 ? stack.length : head + message.length)
  return `${name}${frames}`
}
