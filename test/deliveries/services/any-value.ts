import fc from 'fast-check'
import { parseFragment } from 'parse5'

/** Values that mean something to a service, alone and within other text. */
const HOSTILE = [
  '@all @here @channel @everyone @room <users/all> <!channel> <@U1> <at>Ada</at>',
  '</code><a href="https://evil.test">x</a>',
  '`[x](https://evil.test)` ![y](https://evil.test/p.png)',
  '*b* _i_ ~s~ # h\n> q \\` ``` {{x}} "}],"text":"@all',
  '&lt;b&gt; &#64;all &amp;',
  'https://evil.test www.evil.test evil.test a@b.test /start #tag',
  '.test',
  'hi @',
] as const
/** Any of them, and any text. */
export const anyValue = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.tuple(fc.string({ maxLength: 20 }), fc.constantFrom(...HOSTILE)).map((parts) => parts.join('')),
)

/** The elements of a text in HTML, each with its address. */
export function elementsOf(html: string): string[] {
  const walk = (node: { nodeName: string; attrs?: { value: string }[]; childNodes?: unknown[] }): string[] => [
    [node.nodeName, ...(node.attrs ?? []).map((attribute) => attribute.value)].join(' '),
    ...(node.childNodes ?? []).flatMap((child) => walk(child as typeof node)),
  ]
  return walk(parseFragment(html) as Parameters<typeof walk>[0]).filter((name) => !name.startsWith('#'))
}
