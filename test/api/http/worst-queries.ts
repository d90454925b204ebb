import type { Route } from '../../../api/http/route.ts'
import { nodeOf } from '../../../schema/shape/walk-schema.ts'
import { HEAD_BYTES } from './route-bounds.ts'

/** What a head needs besides its query: the path, the credential, and the headers of a client. */
const OTHERS = 2 * 1024
const ROOM = HEAD_BYTES - OTHERS

const filled = (unit: (index: number) => string) => {
  let text = ''
  for (let index = 0; text.length + unit(index).length <= ROOM; index += 1) text += unit(index)
  return text
}

/** Returns the queries that cost the most, by what the schema has: as long as a head may be. */
export function worstQueries({ query }: Route): string[] {
  const names = Object.keys(nodeOf(query ?? {}).properties ?? {})
  return [
    filled((index) => `${index}=&`),
    filled(() => 'a&'),
    filled(() => 'limit=1&'),
    filled(() => '%00=%00&'),
    filled(() => '__proto__=1&'),
    filled(() => '=&'),
    filled(() => '%'),
    ...names.flatMap((name) => [
      `${name}=${'%C3%A9'.repeat(Math.floor((ROOM - name.length) / 6))}`,
      `${name}=${'9'.repeat(ROOM - name.length - 1)}`,
      `${name}=${'a='.repeat((ROOM - name.length) / 2 - 1)}`,
    ]),
  ]
}

/** Returns paths of the route: with ids of nothing, and with the longest texts for its parameters. */
export function worstPaths({ path }: Route): string[] {
  if (!path.includes(':')) return [path]
  return ['00000000-0000-4000-8000-000000000000', 'x'.repeat(2_000), '%C3%A9'.repeat(300), '%2e%2e%2f'.repeat(200)].map(
    (text) => path.replaceAll(/:\w+/g, text),
  )
}
