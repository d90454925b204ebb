/**
 * Returns a number below, above or equal to zero, as dpkg orders two versions: epoch, version of the source, revision.
 * A process of dpkg for each pair would take minutes, and not every machine has it. Tests compare both.
 */
export function compareDebian(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)]
  return a.epoch - b.epoch || comparePart(a.version, b.version) || comparePart(a.revision, b.revision)
}

function partsOf(text: string) {
  const [, epoch, rest = ''] = /^(?:(\d+):)?(.*)$/s.exec(text) ?? []
  const dash = rest.lastIndexOf('-')
  const [version, revision] = dash === -1 ? [rest, ''] : [rest.slice(0, dash), rest.slice(dash + 1)]
  return { epoch: Number(epoch ?? 0), version, revision }
}

/** Compares words and numbers in turn, from the start. */
function comparePart(one: string, other: string): number {
  const [a, b] = [stretchesOf(one), stretchesOf(other)]
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [word = '', number = ''] = a[at] ?? []
    const [otherWord = '', otherNumber = ''] = b[at] ?? []
    const difference = compareWords(word, otherWord) || compareNumbers(number, otherNumber)
    if (difference !== 0) return difference
  }
  return 0
}

/** Returns each word with the number behind it. Either may be empty. */
const stretchesOf = (text: string) =>
  [...text.matchAll(/([^\d]*)(\d*)/g)].map(([, word = '', number = '']) => [word, number.replace(/^0+/, '')])

function compareWords(one: string, other: string): number {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const difference = rankOf(one[at]) - rankOf(other[at])
    if (difference !== 0) return difference
  }
  return 0
}

/** A tilde is before the end, letters are behind it, and all other signs behind letters. */
function rankOf(sign: string | undefined): number {
  if (sign === undefined) return 0
  if (sign === '~') return -1
  return /[a-z]/i.test(sign) ? sign.charCodeAt(0) : sign.charCodeAt(0) + 256
}

/** Without zeros in front, the longer number is the larger one. They may have any length. */
const compareNumbers = (one: string, other: string): number =>
  one.length - other.length || (one < other ? -1 : Number(one > other))
