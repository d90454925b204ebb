import { lexer, type Token, type Tokens } from 'marked'
import { readdirSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../../../docs/', import.meta.url)

/** Pages of other folders. */
const OTHERS = ['', 'bench/', 'examples/', 'examples/systemd/', 'images/', 'pulumi/', 'test/'].map(
  (folder) => `../${folder}README.md`,
)

/** A fenced block of a page. */
export interface DocBlock {
  /** The path from docs/. */
  readonly page: string
  /** Which of the page's blocks it is, from 1. */
  readonly number: number
  readonly language: string
  readonly text: string
  /** The comment before it: `<!-- answer: GET /v1/usage -->` is `answer: GET /v1/usage`. */
  readonly marker: string | null
}

const pages = readdirSync(FOLDER, { recursive: true })
  .map(String)
  .filter((path) => path.endsWith('.md') && !path.startsWith('decisions'))
  .sort()

/** Every fenced block of docs/ and of the README of each folder. Decision records have no instructions. */
export const DOC_BLOCKS: readonly DocBlock[] = [...pages, ...OTHERS, '../CONTRIBUTING.md'].flatMap((page) =>
  blocksOf(page, lexer(readFileSync(new URL(page, FOLDER), 'utf8'))),
)

function blocksOf(page: string, tokens: readonly Token[]): DocBlock[] {
  let marker: string | null = null
  let number = 0
  const blocks: DocBlock[] = []
  const walk = (token: Token): void => {
    if (token.type === 'html') marker = /<!-- (.+?) -->/s.exec(token.raw)?.[1] ?? null
    else if (token.type === 'code') {
      const { lang = '', text } = token as { lang?: string; text: string }
      blocks.push({ page, number: (number += 1), language: lang, text, marker })
    } else if (token.type === 'list') for (const item of (token as Tokens.List).items) item.tokens.forEach(walk)
    // A comment marks the block that follows it and no other.
    if (token.type !== 'space' && token.type !== 'html') marker = null
  }
  tokens.forEach(walk)
  return blocks
}
