const VOID = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(' '),
)

/** Block elements end an open paragraph, as the HTML standard's "close a p element" says. */
const ENDS_P = new Set(
  (
    'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr ' +
    'li dd dt main menu nav ol p plaintext pre search section summary table ul xmp'
  ).split(' '),
)

/** Start tag → the open elements that it ends, looked for up to the nearest of `until`. */
const IMPLIED_ENDS: ReadonlyMap<string, { readonly ends: readonly string[]; readonly until: readonly string[] }> =
  new Map(
    [
      { tags: 'li', ends: 'li', until: 'ul ol menu dir' },
      { tags: 'dd dt', ends: 'dd dt', until: 'dl' },
      { tags: 'option', ends: 'option', until: 'select datalist optgroup' },
      { tags: 'optgroup', ends: 'option optgroup', until: 'select' },
      { tags: 'rb rt rtc rp', ends: 'rb rt rp', until: 'ruby' },
      { tags: 'td th', ends: 'td th', until: 'tr table' },
      { tags: 'tr', ends: 'tr', until: 'table tbody thead tfoot' },
      { tags: 'tbody thead tfoot', ends: 'tbody thead tfoot', until: 'table' },
      { tags: 'a', ends: 'a', until: 'td th table object' },
      { tags: 'button', ends: 'button', until: 'td th table object' },
    ].flatMap(({ tags, ends, until }) =>
      tags.split(' ').map((tag) => [tag, { ends: ends.split(' '), until: until.split(' ') }] as const),
    ),
  )
const P_UNTIL: readonly string[] = ['button', 'table', 'td', 'th', 'caption', 'object', 'template', 'html']
const P: readonly string[] = ['p']

/** The stack of open elements as a parser would have it, near enough to count its depth. */
export class OpenElements {
  readonly #html: boolean
  readonly #stack: string[] = []
  readonly #counts = new Map<string, number>()

  constructor(kind: 'html' | 'xml') {
    this.#html = kind === 'html'
  }

  get depth(): number {
    return this.#stack.length
  }

  /** The innermost open element, in lower case for HTML; empty for XML, which has no raw text. */
  top(): string {
    return this.#html ? (this.#stack.at(-1) ?? '') : ''
  }

  /** Returns whether the element stays open. */
  open(tag: string, selfClosed: boolean): boolean {
    if (!this.#html) {
      if (!selfClosed) this.#push(tag)
      return !selfClosed
    }
    const name = tag.toLowerCase()
    if (ENDS_P.has(name)) this.#end(P, P_UNTIL)
    const implied = IMPLIED_ENDS.get(name)
    if (implied !== undefined) this.#end(implied.ends, implied.until)
    // `<div/>` is a start tag in HTML; `<path/>` is closed within SVG and MathML.
    if (VOID.has(name) || (selfClosed && (this.#isOpen('svg') || this.#isOpen('math')))) return false
    this.#push(name)
    return true
  }

  close(tag: string): void {
    const name = this.#html ? tag.toLowerCase() : tag
    if (this.#isOpen(name)) this.#popThrough(this.#stack.lastIndexOf(name))
  }

  #isOpen(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0
  }

  #push(name: string): void {
    this.#stack.push(name)
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  #end(ends: readonly string[], until: readonly string[]): void {
    if (!ends.some((name) => this.#isOpen(name))) return
    for (let i = this.#stack.length - 1; i >= 0; i -= 1) {
      const name = this.#stack[i] ?? ''
      if (until.includes(name)) return
      if (ends.includes(name)) return this.#popThrough(i)
    }
  }

  #popThrough(place: number): void {
    for (const name of this.#stack.splice(place)) this.#counts.set(name, (this.#counts.get(name) ?? 1) - 1)
  }
}
