import { LOOK_LIMITS } from '../../../schema/monitor/look-limits.ts'
import type { Edges, SeenNode } from './snapshot.ts'

/**
 * Returns the beginning of the text that each element shows, with single spaces. A picture has its alternative text,
 * and a field of a form what it holds, unless it is a password.
 */
export function textsOf(
  nodes: readonly SeenNode[],
  boxes: ReadonlyMap<SeenNode, Edges>,
): ReadonlyMap<SeenNode, string> {
  const texts = new Map<SeenNode, string>()
  const most = LOOK_LIMITS.textChars
  for (const node of nodes) {
    if (!boxes.has(node) || node.shadow === 'closed') continue
    const whole = node.type === 'text' ? node.text : ownText(node)
    const said = cut(whole.trimStart(), 4 * most)
      .toWellFormed()
      .replace(/\s+/g, ' ')
      .trim()
    if (said === '') continue
    const first = node.type === 'text' ? node.parent : node
    for (let around = first; around !== null; around = around.parent) {
      const before = texts.get(around) ?? ''
      // What is around it has all of this text, and so enough as well.
      if (before.length >= most) break
      texts.set(around, cut(before === '' ? said : `${before} ${said}`, most))
    }
  }
  return texts
}

function ownText({ tag, attributes, input }: SeenNode): string {
  if (tag === 'img') return attributes.get('alt') ?? ''
  if (tag !== 'input' && tag !== 'textarea') return ''
  if (attributes.get('type')?.toLowerCase() === 'password') return ''
  return input || (attributes.get('placeholder') ?? '')
}

/** Does not cut a character in two. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const end = /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most
  return text.slice(0, end)
}
