import type { Token } from './lexer.ts'
import { XPathFault } from './xpath-fault.ts'

const END: Token = { type: 'end', text: '', column: 1 }

/** Reads the tokens of one expression. */
export class TokenReader {
  /** The number of open brackets and parentheses: the parser recurses for each. */
  depth = 0
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  peek(ahead = 0): Token {
    return this.#tokens[this.#at + ahead] ?? this.#tokens.at(-1) ?? END
  }

  next(): Token {
    const token = this.peek()
    if (token.type !== 'end') this.#at += 1
    return token
  }

  isPunct(text: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.type === 'punct' && token.text === text
  }

  takeOperator(text: string): boolean {
    const token = this.peek()
    if (token.type !== 'operator' || token.text !== text) return false
    this.#at += 1
    return true
  }

  expect(punct: string): Token {
    if (!this.isPunct(punct)) throw this.unexpected(punct)
    return this.next()
  }

  unexpected(wanted: string): XPathFault {
    const token = this.peek()
    const found = token.type === 'end' ? 'the end' : token.text
    return new XPathFault(`expected ${wanted}, found ${found}`, token.column)
  }
}
