/** Tests an untrusted pattern on untrusted text. It runs in a thread that is terminated when it takes too long. */
export function matchPattern({ pattern, text }: { pattern: string; text: string }): boolean {
  return new RegExp(pattern).test(text)
}
