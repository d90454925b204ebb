import { hash } from 'node:crypto'
import { selectOne } from 'css-select'
import { textContent } from 'domutils'
import { parse } from 'parse5'
import { adapter } from 'parse5-htmlparser2-tree-adapter'
import { Agent, request } from 'undici'
import { answerParent } from './child.ts'

/** What a row of the table is about. */
export type Kind = 'unchanged' | 'etag' | 'changed'

/** So many requests to `<base>/<kind>/<n>`; the answer is how many milliseconds they took. */
export interface BareQuestion {
  readonly kind: Kind
  readonly base: string
  readonly requests: number
}

/**
 * What nobody can beat by much in one process: the same requests with nothing around them. No queue, no deadline, no
 * walls, no limits, no store, no thread that can be killed.
 */
const IN_FLIGHT = 128
const dispatcher = new Agent({ connections: 64 })

const LOOPS: Readonly<Record<Kind, (url: string) => Promise<unknown>>> = {
  async unchanged(url) {
    const { body } = await request(url, { dispatcher })
    return hash('sha256', await body.bytes(), 'buffer')
  },
  async etag(url) {
    const { body, statusCode } = await request(url, { dispatcher, headers: { 'if-none-match': '"shop-41"' } })
    await body.dump()
    return statusCode
  },
  async changed(url) {
    const { body } = await request(url, { dispatcher })
    const found = selectOne('.price', parse(await body.text(), { treeAdapter: adapter }).children)
    return found && textContent(found)
  },
}

answerParent(async ({ kind, base, requests }: BareQuestion): Promise<number> => {
  const once = LOOPS[kind]
  let next = 0
  const one = async (): Promise<void> => {
    while (next < requests) await once(`${base}/${kind}/${next++}`)
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: IN_FLIGHT }, one))
  return performance.now() - start
})
