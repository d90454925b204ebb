/** The size of the large page in bytes, for every price. */
export const LARGE_PAGE_BYTES = 245_760

/**
 * What 27 recorded pages of 100 to 500 KB have in 32,000 elements, by tenths: how deep an element is, how long its
 * text, and how long its attributes. The longest tenth is a line from the shortest of it to a length with which its
 * mean is right. A third of their bytes is in scripts. They have an element for each 190 bytes, and this page one for
 * 144: what is between the tags of real pages is longer.
 */
const DEPTHS = [1, 5, 7, 9, 10, 10, 11, 12, 13, 16, 22]
const TEXTS = [1, 1, 1, 2, 6, 8, 10, 13, 17, 42, 302]
const ATTRIBUTES = [0, 0, 16, 22, 25, 29, 37, 50, 78, 126, 508]
const SCRIPT_BYTES = 2_000
const SCRIPT_SHARE = 0.35

const WORDS = 'kettle spout lid handle water steel matt filter cup pour heat gram slow morning shelf crema'.split(' ')

/** Returns the same numbers between 0 and 1 each time. */
function numbers(): () => number {
  let state = 41
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Writes elements as the recorded pages have them, until so many bytes are written. */
class PageWriter {
  readonly #next = numbers()
  readonly #open: string[] = []
  #text = ''
  #scriptBytes = 0

  fillTo(bytes: number): void {
    while (this.#text.length < bytes) this.#element()
  }

  write(text: string): void {
    this.#text += text
  }

  /** Returns the page with what is still open closed, filled up to so many bytes. */
  end(bytes: number): string {
    while (this.#open.length > 0) this.#text += `</${this.#open.pop()}>`
    const end = '</body></html>\n'
    return `${this.#text}<!--${'.'.repeat(bytes - this.#text.length - end.length - 7)}-->${end}`
  }

  #element(): void {
    // `html` and `body` are above.
    const depth = Math.max(1, this.#oneOf(DEPTHS) - 2)
    while (this.#open.length >= depth) this.#text += `</${this.#open.pop()}>`
    while (this.#open.length < depth - 1) {
      const name = this.#next() < 0.75 ? 'div' : 'section'
      this.#open.push(name)
      this.#text += `<${name}${this.#attributes('class')}>`
    }
    this.#text += `\n${'  '.repeat(depth)}`
    const isLink = this.#next() < 0.5
    const name = isLink ? 'a' : 'span'
    this.#text += `<${name}${this.#attributes(isLink ? 'href' : 'class')}>${this.#words(this.#oneOf(TEXTS))}</${name}>`
    if (this.#scriptBytes < this.#text.length * SCRIPT_SHARE) this.#script()
  }

  #script(): void {
    const text = `\n<script>window.shown = ['${this.#words(SCRIPT_BYTES).replaceAll(' ', "', '")}']</script>`
    this.#scriptBytes += text.length
    this.#text += text
  }

  #attributes(name: string): string {
    const length = this.#oneOf(ATTRIBUTES)
    return length === 0 ? '' : ` ${name}="${this.#words(Math.max(1, length - name.length - 4))}"`
  }

  #words(length: number): string {
    let text = ''
    while (text.length < length) text += `${WORDS[Math.floor(this.#next() * WORDS.length)]} `
    return text.slice(0, length).trim()
  }

  /** Returns a value between two tenths. */
  #oneOf(tenths: readonly number[]): number {
    const place = this.#next() * (tenths.length - 1)
    const [below = 0, above = 0] = [tenths[Math.floor(place)], tenths[Math.ceil(place)]]
    return Math.round(below + (above - below) * (place % 1))
  }
}

/** Returns the two parts of the page, around its price. */
function parts(): readonly [string, string] {
  const MARK = '\0'
  const writer = new PageWriter()
  writer.write(
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>The Slow Kitchen</title></head><body>',
  )
  writer.fillTo(LARGE_PAGE_BYTES / 2)
  writer.write(`<span class="price" data-testid="price">${MARK}</span>\n`)
  writer.fillTo(LARGE_PAGE_BYTES - 4_000)
  // A price takes the place of the mark, of one byte.
  const [before = '', after = ''] = writer.end(LARGE_PAGE_BYTES + MARK.length - PRICE_BYTES).split(MARK)
  return [before, after]
}

const PRICE_BYTES = 'EUR 1000.00'.length
const [BEFORE, AFTER] = parts()
const PAGE = Buffer.from(`${BEFORE}${' '.repeat(PRICE_BYTES)}${AFTER}`)
const PRICE_AT = Buffer.byteLength(BEFORE)

/** Returns a page with its price at the middle, for prices of six digits in cents. It costs its server a copy. */
export function largePage(cents: number): Buffer {
  const page = Buffer.from(PAGE)
  page.write(`EUR ${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`, PRICE_AT)
  return page
}
