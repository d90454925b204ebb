import { selectOne } from 'css-select'
import { textContent } from 'domutils'
import { hash } from 'node:crypto'
import { parse } from 'parse5'
import { adapter } from 'parse5-htmlparser2-tree-adapter'
import { Agent, request } from 'undici'
import { answerParent } from '../support/child.ts'

/** The kind of page in a row of the table. */
export type Kind = 'unchanged' | 'etag' | 'changed' | 'large'

/** Makes this many requests to `<base>/<kind>/<n>`. The answer is the time they took, in milliseconds. */
export interface BareQuestion {
  readonly kind: Kind
  readonly base: string
  readonly requests: number
}

/**
 * An upper bound for one process: the same requests without anything else. There is no queue, no deadline, no egress
 * guard, no limit, no store, and no thread that can be killed.
 */
const IN_FLIGHT = 128
const dispatcher = new Agent({ connections: 64 })

async function readPrice(url: string): Promise<string | null> {
  const { body } = await request(url, { dispatcher })
  const found = selectOne('.price', parse(await body.text(), { treeAdapter: adapter }).children)
  return found && textContent(found)
}

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
  changed: readPrice,
  large: readPrice,
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
