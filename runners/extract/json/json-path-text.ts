/** Returns a path from the root as JSONPath (RFC 9535) writes it: `$.items[0]["a b"]`. */
export const jsonPathText = (steps: readonly JsonStep[]): string => `$${steps.map(stepText).join('')}`

/** A step of a path: a member by its name, an item by its index, or all items. */
export type JsonStep = { readonly member: string } | { readonly item: number } | 'all'

function stepText(step: JsonStep): string {
  if (step === 'all') return '[*]'
  if ('item' in step) return `[${step.item}]`
  return /^[A-Za-z_]\w*$/.test(step.member) ? `.${step.member}` : `[${JSON.stringify(step.member)}]`
}
