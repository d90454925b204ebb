import { InsertionMode, Token, Tokenizer } from 'parse5'
import type { TokenHandler } from 'parse5'

/** The parser state that decides how text is cut into tokens. */
interface ParserState {
  readonly insertionMode: InsertionMode
  /** The parser will drop a line feed that comes next (after `<pre>` and `<textarea>`). */
  readonly skipNextNewLine: boolean
  /** Is called behind a tag, with the position of its last character. */
  onTagEnd(at: number): void
}

const { CHARACTER, WHITESPACE_CHARACTER } = Token.TokenType

/** Modes in which the HTML standard inserts white space like other text, so that one token can contain both. */
const WHITESPACE_IS_TEXT: ReadonlySet<InsertionMode> = new Set([
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
 * parse5's tokenizer with a fast path for the main content of pages. Text, tags with their attributes, scripts and
 * comments are read in whole stretches, where the original runs its states for each character. Rare input (character
 * references, doctypes, CDATA) is left to the original, which takes over in the middle of a tag where necessary.
 *
 * The tokens are the same, except that white space and other text may share one token where the parser treats them
 * alike (test/runners/extract/html/html.test.ts compares the trees). On the page of the bench it takes a third of the
 * original's time; see bench/README.md.
 *
 * It reads one whole text without U+0000 and U+000D (the caller ensures that). It has no source locations and reports
 * no parse errors.
 */
export class StretchTokenizer extends Tokenizer {
  /** Whether the parser is told of the end of tags: of those that are read here to their end, which are most. */
  tellsTagEnds = false
  readonly #parser: ParserState
  readonly #less = new NextMark('<')
  readonly #ampersand = new NextMark('&')
  readonly #quote = new NextMark('"')
  readonly #apostrophe = new NextMark("'")
  readonly #hyphen = new NextMark('-')

  constructor(parser: ParserState & TokenHandler) {
    super({}, parser)
    this.#parser = parser
    // The whole text is in memory anyway; positions in it must stay valid.
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

  /** Returns the nearer of two marks, from the current character on. */
  #before(one: NextMark, other: NextMark): number {
    return Math.min(one.from(this.preprocessor), other.from(this.preprocessor))
  }

  /**
   * Adds the text from the current character, which is `cp`, up to `end` to the current token, or only its first part
   * of one kind.
   */
  #readText(cp: number, end: number): void {
    const { html, pos } = this.preprocessor
    const { insertionMode, skipNextNewLine } = this.#parser
    const alike = !skipNextNewLine && (this.inForeignNode || WHITESPACE_IS_TEXT.has(insertionMode))
    const white = isSpace(cp)
    let at = pos + 1
    if (white) while (at < end && isSpace(html.charCodeAt(at))) at += 1
    else if (!alike) while (at < end && !isSpace(html.charCodeAt(at))) at += 1
    const mixed = alike && at < end
    this._ensureCharacterToken(white && !mixed ? WHITESPACE_CHARACTER : CHARACTER)
    this.#extendTo(cp, mixed || (alike && !white) ? end : at)
  }

  /** Extends the pending stretch, which becomes a part of the current token, up to `end`. */
  #extendTo(cp: number, end: number): void {
    this._extendRun(cp)
    this.runEnd = end
    this.preprocessor.pos = end - 1
  }

  /** Reads the tag at the current character. Returns false, with nothing read, when there is none. */
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

  /** Continues after a tag's name. Where the text ends inside the tag, the tag is dropped, as the standard says. */
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
        if (this.tellsTagEnds) this.#parser.onTagEnd(at)
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

  /**
   * Returns where the attribute ends. Returns -1 when it has a character reference: the original continues at its
   * value.
   */
  #readAttribute(from: number): number {
    const { html } = this.preprocessor
    // Its first character belongs to the name even when it is a `=`.
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
    // `<a href=>` has an empty value. The caller handles the end of the text.
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
 * The next position of a character, or the end of the text. It searches again only after that position is passed, so
 * that no text is searched twice.
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

/**
 * Returns where a name that continues at `from` ends: at white space, `/`, `>`, the given mark, or the end of the text.
 */
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

/** Returns a name as the standard requires: A to Z in lower case, capitals of other scripts unchanged. */
function nameAt(html: string, from: number, end: number): string {
  const name = html.slice(from, end)
  for (let at = from; at < end; at += 1) {
    const char = html.charCodeAt(at)
    if (char >= 0x41 && char <= 0x5a) return name.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase())
  }
  return name
}
