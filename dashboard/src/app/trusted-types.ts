declare global {
  interface Window {
    readonly trustedTypes?: { createPolicy(name: string, rules: { createHTML(text: string): string }): unknown }
  }
}

/** React Aria empties its live region by `innerHTML`. That text is accepted, and no other. */
export function allowEmptyHtml(): void {
  window.trustedTypes?.createPolicy('default', {
    createHTML(text) {
      if (text === '') return text
      throw new TypeError('no HTML is made from text here')
    },
  })
}
