const SHORTEST = 2
/** Beginnings that tools put in front of a hash. */
const TOOLS =
  'css sc jss jsx emotion svelte astro styled makeStyles mui chakra tss _ngcontent _nghost ng-tns data-v'.split(' ')
const COUNTERS = 'ember yui_ ext-gen radix react-aria headlessui mantine gwt-uid uid cke_ sizzle'.split(' ')
const BY_TOOL = new RegExp(
  [
    String.raw`^(?:${TOOLS.join('|')})-[\w-]*$`,
    String.raw`^(?:${COUNTERS.join('|')})[-_:]?.*\d`,
    String.raw`^:r\w*:$`,
    String.raw`^[«_]r\w*[»_]$`,
  ].join('|'),
  'i',
)
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}/i

/**
 * Returns whether a class or an id looks as if a program made it: with the mark of a known tool, a long number, or a
 * part like a hash. Such a name changes when the page is built again.
 */
export function looksGenerated(name: string): boolean {
  // Tools number what they name in base 16, and shorten classes to one or two letters.
  if (/^(?=.*\d)[\da-f]{4,}$/i.test(name) || name.length <= SHORTEST) return true
  if (BY_TOOL.test(name) || UUID.test(name) || /\d{4}/.test(name)) return true
  return name.split(/[-_:.]+/).some(isHash)
}

/** Five characters or more that mix letters with digits, or letters that make no word. */
function isHash(part: string): boolean {
  if (part.length < 5) return false
  // A word with a number at its end (column12), a size (1200px), a version (v2021).
  if (/^[a-z]+\d{1,3}$/i.test(part) || /^\d+[a-z]{1,3}$/i.test(part)) return false
  if (/\d/.test(part)) return /[a-z]/i.test(part)
  return /^[a-z]+$/i.test(part) && (/^[^aeiouy]+$/i.test(part) || changesOfCase(part) >= 4)
}

/** `bdVaJaKq` changes often; `priceTagOfToday` changes as well, but has words of three letters and more. */
function changesOfCase(part: string): number {
  if (part.split(/(?=[A-Z])/).some((word) => word.length > 3)) return 0
  return part.match(/[a-z][A-Z]|[A-Z][a-z]/g)?.length ?? 0
}

/** Classes that say how a thing looks, or its state: they move from one element to another. */
const VARIANTS = 'xs sm md lg xl 2xl hover focus dark group max min print'.split(' ')
const SIZES = (
  '[mp][trblxyse]? gap w h size space-[xy] inset top left right bottom z text font bg border rounded shadow ' +
  'opacity leading tracking flex grid col row order items justify self content overflow object transition ' +
  'duration ease float align d display position visible pull push offset span'
).split(' ')
const STATES = (
  'flex grid block inline hidden visible relative absolute fixed sticky static row container clearfix clear ' +
  'left right center bold italic small large first last odd even active selected current open closed disabled ' +
  'enabled hover focus loaded loading lazyloaded lazyload collapsed expanded truncate ' +
  'uppercase underline invisible show hide fade in'
).split(' ')
const LOOK = new RegExp(
  [
    `^(?:${VARIANTS.join('|')})[:@]`,
    String.raw`^-?(?:${SIZES.join('|')})-[\w./[\]%-]+$`,
    `^(?:${STATES.join('|')})$`,
    '^(?:is|has|js|u|no)-',
  ].join('|'),
  'i',
)

/** Returns whether a class tells how a thing looks or its state, and not what it is. */
export const tellsLook = (name: string): boolean => LOOK.test(name)

/** Returns whether an id may be offered as a name: a person wrote it, and it numbers nothing. */
export const isNamed = (id: string): boolean => !looksGenerated(id) && !/\d{2}/.test(id)
