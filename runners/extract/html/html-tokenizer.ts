import { InsertionMode, Token, Tokenizer } from 'parse5'
import type { TokenHandler } from 'parse5'

/** What of the parser decides how text is cut into tokens. */
export interface TextState {
  readonly insertionMode: InsertionMode
  /** The parser will drop a line feed that comes next (after `<pre>` and `<textarea>`). */
  readonly skipNextNewLine: boolean
}

const { CHARACTER, WHITESPACE_CHARACTER } = Token.TokenType

/** Modes in which the HTML standard inserts white space just as other text, so that one token can hold both. */
const TEXT_IS_ALIKE: ReadonlySet<InsertionMode> = new Set([
  InsertionMode.IN_BODY,
  InsertionMode.IN_CAPTION,
  InsertionMode.IN_CELL,
  InsertionMode.IN_TEMPLATE,
  InsertionMode.TEXT,
])

const TAB = 0x09
const LINE_FEED = 0x0a
const FORM_FEED = 0x0c
const SPACE = 0x20
const QUOTE = 0x22
const AMPERSAND = 0x26
const APOSTROPHE = 0x27
const HYPHEN = 0x2d
const SLASH = 0x2f
const LESS = 0x3c
const EQUALS = 0x3d
const GREATER = 0x3e
const END_OF_FILE = -1

/**
 * parse5's tokenizer, but for what pages mostly consist of: text, tags and their attributes, scripts and comments are
 * read a stretch at a time where the original goes through its states for each character. Whatever is rare (character
 * references, doctypes, CDATA) is left to the original, which takes over in the middle of a tag where it must.
 *
 * The tokens that come out are the same, but that white space and other text may share one where the parser does not
 * tell them apart (test/runners/extract/html/html.test.ts compares the trees). On the page of the bench it takes a
 * third of the original's time; see bench/README.md.
 *
 * Reads one whole text without U+0000 and U+000D (the caller sees to that), without source locations, without reporting
 * errors.
 */
export class StretchTokenizer extends Tokenizer {
  readonly #parser: TextState
  readonly #less = new NextMark('<')
  readonly #ampersand = new NextMark('&')
  readonly #quote = new NextMark('"')
  readonly #apostrophe = new NextMark("'")
  readonly #hyphen = new NextMark('-')

  constructor(parser: TextState & TokenHandler) {
    super({}, parser)
    this.#parser = parser
    // The text is in memory as a whole anyway; places in it stay what they are.
    this.preprocessor.bufferWaterline = Number.MAX_SAFE_INTEGER
  }

  protected override _stateData(cp: number): void {
    if (cp === LESS) {
      if (!this.#readTag()) super._stateData(cp)
    } else if (cp === AMPERSAND || cp === END_OF_FILE) super._stateData(cp)
    else this.#readText(cp, this.#before(this.#less, this.#ampersand))
  }

  protected override _stateRcdata(cp: number): void {
    if (cp === LESS || cp === AMPERSAND || cp === END_OF_FILE) super._stateRcdata(cp)
    else this.#readText(cp, this.#before(this.#less, this.#ampersand))
  }

  protected override _stateRawtext(cp: number): void {
    if (cp === LESS || cp === END_OF_FILE) super._stateRawtext(cp)
    else this.#readText(cp, this.#less.from(this.preprocessor))
  }

  protected override _stateScriptData(cp: number): void {
    if (cp === LESS || cp === END_OF_FILE) super._stateScriptData(cp)
    else this.#readText(cp, this.#less.from(this.preprocessor))
  }

  protected override _stateComment(cp: number): void {
    if (cp === LESS || cp === HYPHEN || cp === END_OF_FILE) super._stateComment(cp)
    else this.#extendTo(cp, this.#before(this.#less, this.#hyphen))
  }

  protected override _stateAttributeValueDoubleQuoted(cp: number): void {
    if (cp === QUOTE || cp === AMPERSAND || cp === END_OF_FILE) super._stateAttributeValueDoubleQuoted(cp)
    else this.#extendTo(cp, this.#before(this.#ampersand, this.#quote))
  }

  protected override _stateAttributeValueSingleQuoted(cp: number): void {
    if (cp === APOSTROPHE || cp === AMPERSAND || cp === END_OF_FILE) super._stateAttributeValueSingleQuoted(cp)
    else this.#extendTo(cp, this.#before(this.#ampersand, this.#apostrophe))
  }

  /** The nearer of two marks, from the current character on. */
  #before(one: NextMark, other: NextMark): number {
    return Math.min(one.from(this.preprocessor), other.from(this.preprocessor))
  }

  /**
   * Takes the text from the current character, which is `cp`, up to `end` into the current token, or the part of it
   * that is of one kind.
   */
  #readText(cp: number, end: number): void {
    const { html, pos } = this.preprocessor
    const { insertionMode, skipNextNewLine } = this.#parser
    const alike = !skipNextNewLine && (this.inForeignNode || TEXT_IS_ALIKE.has(insertionMode))
    const white = isSpace(cp)
    let at = pos + 1
    if (white) while (at < end && isSpace(html.charCodeAt(at))) at += 1
    else if (!alike) while (at < end && !isSpace(html.charCodeAt(at))) at += 1
    const mixed = alike && at < end
    this._ensureCharacterToken(white && !mixed ? WHITESPACE_CHARACTER : CHARACTER)
    this.#extendTo(cp, mixed || (alike && !white) ? end : at)
  }

  /** Lets the pending stretch, which becomes a part of the current token, reach up to `end`. */
  #extendTo(cp: number, end: number): void {
    this._extendRun(cp)
    this.runEnd = end
    this.preprocessor.pos = end - 1
  }

  /** Reads the tag that begins at the current character; false, with nothing read, when there is none. */
  #readTag(): boolean {
    const { html, pos } = this.preprocessor
    const isEnd = html.charCodeAt(pos + 1) === SLASH
    const from = isEnd ? pos + 2 : pos + 1
    if (!isLetter(html.charCodeAt(from))) return false
    if (isEnd) this._createEndTagToken()
    else this._createStartTagToken()
    const token = this.currentToken as Token.TagToken
    const end = endOfName(html, from, GREATER)
    token.tagName = nameAt(html, from, end)
    this.#readAttributes(token, end)
    return true
  }

  /** Goes on behind a tag's name. Where the text ends within the tag, the tag is dropped, as the standard says. */
  #readAttributes(token: Token.TagToken, from: number): void {
    const { preprocessor } = this
    const { html } = preprocessor
    let at = from
    for (;;) {
      at = skipSpace(html, at)
      const char = html.charCodeAt(at)
      if (char === GREATER) {
        preprocessor.pos = at
        this.emitCurrentTagToken()
        return
      }
      if (at >= html.length) return this.#endInTag()
      if (char === SLASH) {
        at += 1
        token.selfClosing = html.charCodeAt(at) === GREATER
      } else {
        at = this.#readAttribute(at)
        if (at === -1) return
      }
    }
  }

  /** Answers where the attribute ends; -1 when it has a character reference: the original goes on from its value. */
  #readAttribute(from: number): number {
    const { html } = this.preprocessor
    // Its first character belongs to it even when it is a `=`.
    const end = endOfName(html, from + 1, EQUALS)
    this._createAttr(nameAt(html, from, end))
    this._leaveAttrName()
    const equals = skipSpace(html, end)
    return html.charCodeAt(equals) === EQUALS ? this.#readValue(skipSpace(html, equals + 1)) : end
  }

  #readValue(from: number): number {
    const { preprocessor } = this
    const { html } = preprocessor
    const char = html.charCodeAt(from)
    // `<a href=>` has an empty value; the end of the text is for the caller to see.
    if (char === GREATER || from >= html.length) return from
    preprocessor.pos = from
    const quoted = char === QUOTE || char === APOSTROPHE
    const end = quoted ? html.indexOf(char === QUOTE ? '"' : "'", from + 1) : endOfUnquoted(html, from)
    if (end === -1) return html.length
    if (this.#ampersand.from(preprocessor) < end) {
      this._stateBeforeAttributeValue(char)
      return -1
    }
    this.currentAttr.value = html.slice(quoted ? from + 1 : from, end)
    return quoted ? end + 1 : end
  }

  #endInTag(): void {
    this.preprocessor.pos = this.preprocessor.html.length
    this._emitEOFToken()
  }
}

/**
 * Where a character comes next, or the end of the text; looked for again only once it is passed, so that no text is
 * searched twice.
 */
class NextMark {
  readonly #mark: string
  #at = -1

  constructor(mark: string) {
    this.#mark = mark
  }

  from({ html, pos }: Tokenizer['preprocessor']): number {
    if (this.#at >= pos) return this.#at
    const found = html.indexOf(this.#mark, pos)
    this.#at = found === -1 ? html.length : found
    return this.#at
  }
}

function isSpace(char: number): boolean {
  return char === SPACE || char === LINE_FEED || char === TAB || char === FORM_FEED
}

function skipSpace(html: string, from: number): number {
  let at = from
  while (isSpace(html.charCodeAt(at))) at += 1
  return at
}

function isLetter(char: number): boolean {
  const lower = char | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

/** Where a name that goes on at `from` ends: at white space, `/`, `>`, the mark given, or the end of the text. */
function endOfName(html: string, from: number, mark: number): number {
  let at = from
  for (; at < html.length; at += 1) {
    const char = html.charCodeAt(at)
    if (char === GREATER || char === mark || char === SLASH || isSpace(char)) break
  }
  return at
}

function endOfUnquoted(html: string, from: number): number {
  let at = from
  while (at < html.length && html.charCodeAt(at) !== GREATER && !isSpace(html.charCodeAt(at))) at += 1
  return at
}

/** A name as the standard has it: A to Z in lower case; it keeps the capitals of other scripts. */
function nameAt(html: string, from: number, end: number): string {
  const name = html.slice(from, end)
  for (let at = from; at < end; at += 1) {
    const char = html.charCodeAt(at)
    if (char >= 0x41 && char <= 0x5a) return name.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase())
  }
  return name
}
