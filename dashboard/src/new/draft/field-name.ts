/** Parts of rules that say what the value is, the best first. */
const WORDS = [
  /itemprop=["']?([\w-]+)/i,
  /data-[\w-]+=["']?([A-Za-z][\w-]*)/,
  /#([A-Za-z][\w-]*)/,
  /aria-label=["']([^"']{1,30})["']/,
  /\.([A-Za-z][\w-]*)(?:\[\])?$/,
  /\[["']([^"'\]]{1,60})["']\](?:\[\])?$/,
  /\/(?:\w+:)?([A-Za-z][\w-]*)(?:\[\d+\])?(?:\[\])?$/,
]
/** Names of elements say nothing of a value. */
const SAY_NOTHING = /^(?:div|span|p|b|i|em|strong|a|li|td|th|tr|ul|ol|text|item|items|section|article)$/i

/** Returns a name for the value of a rule: the word by which the rule finds it. */
export function fieldNameOf(rule: string): string {
  const isList = rule.endsWith('[]')
  for (const word of WORDS) {
    const found = word.exec(rule)?.[1]?.trim()
    if (found !== undefined && found !== '' && !SAY_NOTHING.test(found)) return found.slice(0, 60)
  }
  return isList ? 'items' : 'value'
}
