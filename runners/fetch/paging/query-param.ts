/**
 * Returns the URL with a query parameter set. The rest of the query stays unchanged, character for character: a
 * form-encoder would turn `%20` into `+` and break a signed query or a strict server. Of several parameters of that
 * name the first is replaced and the others are removed.
 */
export function withQueryParam(url: URL, name: string, value: string): URL {
  const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`
  const pairs = url.search === '' ? [] : url.search.slice(1).split('&')
  const at = pairs.findIndex((text) => nameOf(text) === name)
  const others = pairs.filter((text, index) => index === at || nameOf(text) !== name)
  const set = at === -1 ? [...pairs, pair] : others.with(at, pair)
  const changed = new URL(url)
  changed.search = set.filter((text) => text !== '').join('&')
  return changed
}

function nameOf(pair: string): string {
  const name = (pair.split('=', 1)[0] ?? '').replaceAll('+', ' ')
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
