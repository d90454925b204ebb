import { expect, test } from 'vitest'
import { textsOf } from '../../../runners/browser/look/seen-texts.ts'
import type { SeenNode } from '../../../runners/browser/look/snapshot.ts'

const NODE: SeenNode = {
  ...{ parent: null, type: 'element', tag: 'p', text: '', attributes: new Map(), shadow: null, input: '' },
  layout: null,
}

/** What an element with this text says. */
function said(text: string): string | undefined {
  const child: SeenNode = { ...NODE, parent: NODE, type: 'text', tag: '#text', text }
  return textsOf([NODE, child], new Map([[child, [0, 0, 1, 1]]])).get(NODE)
}

test.each([
  ['behind 480 blanks', `${' '.repeat(480)}Price`, 'Price'],
  ['behind a million blanks', `${'\n\t'.repeat(500_000)}Price`, 'Price'],
  ['of words and blanks', ' one \n  two ', 'one two'],
  ['that is cut within a character before its blanks are joined', `a${' '.repeat(478)}😀`, 'a'],
  ['that is cut within a character', `${'a'.repeat(119)}😀`, 'a'.repeat(119)],
  ['with half a character', 'a\ud83d b', 'a\ufffd b'],
])('A text %s is shown from its first word, of whole characters', (_, text, shown) => {
  expect(said(text)).toBe(shown)
})
