import type { AnyNode, Element } from 'domhandler'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { parseHtml } from '../../../../runners/extract/html/html.ts'
import { describeIf } from '../../../support/run/skip.ts'

const folder = join(process.env['TIDEMARK_SHARED'] ?? '', 'html5lib-tests')
const isThere = process.env['TIDEMARK_SHARED'] !== undefined

/** A test of a .dat file: a document, and the lines of its tree. */
interface Construction {
  readonly file: string
  readonly text: string
  readonly tree: string
}

const KEYS = ['data', 'errors', 'new-errors', 'document-fragment', 'document', 'script-on', 'script-off']

/** Returns the parts of a test by their keys, which are lines of their own that begin with `#`. */
function partsOf(text: string): ReadonlyMap<string, string> {
  const parts = new Map<string, string[]>()
  let lines: string[] = []
  for (const line of text.split('\n')) {
    const key = line.slice(1)
    // A document may have such a line too, but none of these words.
    if (line.startsWith('#') && KEYS.includes(key)) parts.set(key, (lines = []))
    else lines.push(line)
  }
  return new Map([...parts].map(([key, found]) => [key, found.join('\n')]))
}

/** Returns the tests of a file for whole documents that are read without scripts. */
function testsOf(file: string): Construction[] {
  return readFileSync(file, 'utf8')
    .split(/(?:^|\n)(?=#data\n)/)
    .map(partsOf)
    .filter((parts) => parts.has('data') && !parts.has('document-fragment') && !parts.has('script-on'))
    .map((parts) => {
      const [text = '', tree = ''] = [parts.get('data'), parts.get('document')]
      return { file: basename(file), text, tree: tree.trimEnd() }
    })
}

const FOREIGN: Readonly<Record<string, string>> = {
  'http://www.w3.org/2000/svg': 'svg ',
  'http://www.w3.org/1998/Math/MathML': 'math ',
}

/** Returns a tree as the files write it. */
function linesOf(node: AnyNode, depth: number): string[] {
  const indent = `| ${'  '.repeat(depth)}`
  if (node.type === 'text') return [`${indent}"${node.data}"`]
  if (node.type === 'comment') return [`${indent}<!-- ${node.data} -->`]
  if (node.type === 'directive') {
    const ids = [node['x-publicId'] ?? '', node['x-systemId'] ?? '']
    const shown = ids.some((id) => id !== '') ? ids.map((id) => ` "${id}"`).join('') : ''
    return [`${indent}<!DOCTYPE ${node['x-name'] ?? ''}${shown}>`]
  }
  if (node.type === 'cdata') return ['a section that HTML does not have']
  const below = node.children.flatMap((child) => linesOf(child, depth + 1))
  // The content of a template is a document of its own.
  if (node.type === 'root') return [`${indent}content`, ...below]
  const attributes = attributesOf(node).map((attribute) => `${indent}  ${attribute}`)
  return [`${indent}<${FOREIGN[node.namespace ?? ''] ?? ''}${node.name}>`, ...attributes, ...below]
}

function attributesOf({ attribs, 'x-attribsNamespace': namespaces }: Element): string[] {
  return Object.entries(attribs)
    .map(([name, value]) => `${namespaces?.[name] === undefined ? name : name.replace(':', ' ')}="${value}"`)
    .sort()
}

function treeOf(text: string): string {
  const tree = parseHtml(text)
  if (tree.kind === 'too_complex') return tree.excess
  return tree.document.children.flatMap((child) => linesOf(child, 0)).join('\n')
}

describeIf(isThere, 'set TIDEMARK_SHARED to the folder with html5lib-tests')(
  'the tests of tree construction of html5lib',
  () => {
    const files = globSync(join(folder, '*.dat')).sort()
    const tests = files.flatMap(testsOf)

    test('are 1,474 for documents without scripts', () => {
      expect(tests).toHaveLength(1_474)
    })

    test.each(files.map((file) => [basename(file)]))('give the tree that %s says', (name) => {
      const own = tests.filter(({ file }) => file === name)
      const wrong = own.filter(({ text, tree }) => treeOf(text) !== tree)
      expect(wrong.map(({ text }) => ({ text, tree: treeOf(text) }))).toEqual(
        wrong.map(({ text, tree }) => ({ text, tree })),
      )
    })
  },
)
