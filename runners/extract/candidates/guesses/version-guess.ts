import type { Element } from 'domhandler'
import type { Tree } from '../../tree.ts'
import { shown } from '../shown.ts'
import { bestRule, guessBy } from './guess-by-rule.ts'
import { type Ranked, RANKS } from './guess.ts'
import { visibleTexts } from './visible-texts.ts'

const MOST_CHARACTERS = 80
const VERSION =
  /(?<![\w.,/-])v?\d{1,4}\.\d{1,4}(?:\.\d{1,6}){0,2}(?:-?(?:alpha|beta|rc|pre|dev)[\w.-]*)?(?![\w/,%]|\.\d)/i
const WORDS = /\b(?:versions?|releases?|latest|stable|download|update|build|v(?=\d))/i
const OTHERS = /[$€£¥%]|\b\d{1,2}\.\d{1,2}\.(?:19|20)\d\d\b|\b(?:\d{1,3}\.){3}\d{1,3}\b/

/** Returns the first version of a program that a page shows: three numbers, or two with a word that says so. */
export function versionGuess(tree: Tree): Ranked[] {
  const texts = visibleTexts(tree, MOST_CHARACTERS)
  const found = texts.find(({ text, element }) => versionIn(text) !== null && !OTHERS.test(text) && !isDate(element))
  if (found === undefined) return []
  // The smallest element that has the same version.
  const same = texts.filter(({ text }) => text !== found.text && versionIn(text) === versionIn(found.text))
  const inner = same.find(({ element }) => element.parent === found.element) ?? found
  const candidate = bestRule(tree, inner.element)
  if (candidate === null) return []
  const label = `version ${shown(versionIn(inner.text) ?? '')}`
  const predicate = { type: 'field_changes', field: 'version' } as const
  const guess = guessBy(candidate, { kind: 'version', label, field: 'version', predicate })
  return [{ rank: RANKS.version, guess }]
}

const isDate = ({ name, attribs }: Element) =>
  name === 'time' || /\b(?:date|time)|published/i.test((attribs['class'] ?? '').slice(0, 1_000))

function versionIn(text: string): string | null {
  const version = VERSION.exec(text)?.[0]
  if (version === undefined) return null
  const isLong = version.split('.').length >= 3 && (version === text || /^v/i.test(version))
  return isLong || WORDS.test(text) ? version : null
}
