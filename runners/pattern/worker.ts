/** Runs in a thread that is killed when it takes too long: a stranger's pattern on a stranger's text. */
export function matchPattern({ pattern, text }: { pattern: string; text: string }): boolean {
  return new RegExp(pattern).test(text)
}
