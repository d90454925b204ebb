import type { AnyNode } from 'domhandler'
import fc from 'fast-check'
import { parse } from 'parse5'
import { adapter } from 'parse5-htmlparser2-tree-adapter'
import { describe, expect, test } from 'vitest'
import { parseHtml } from '../../../../runners/extract/html/html.ts'

/**
 * What a page is made of, and what it should not be made of: enough to get into every state that is read by stretches,
 * and out of it at every place.
 */
const PIECES = (
  '< > </ /> <! <!-- --> --!> <!-- <!--> - -- <!doctype html> <!DOCTYPE HTML> <?xml <![CDATA[ ]]> & &amp; &amp ' +
  '&lt; &notit; &#13; &#x1F600; &nosuch; ' +
  '<p> <P CLASS=Big> </p> <div> </div> <b> </b> <i> </i> <a href=x> </a> <li> <ul> </ul> <table> </table> <tr> ' +
  '<td> </td> <th> <caption> <col> <tbody> ' +
  '<select> <option> </select> <pre> </pre> <textarea> </textarea> <title> </title> <script> </script> <style> ' +
  '</style> <noscript> </noscript> <template> ' +
  '</template> <svg> <svg:a> <path/> <foreignObject> </foreignObject> </svg> <math> <mi> <annotation-xml ' +
  'encoding=text/html> </math> <br> <br/> <hr /> ' +
  '<img src="a b" alt=\'c"d\'> <frameset> <frame> <html lang=en> <head> </head> <body class=x> </body> </html> ' +
  '<plaintext> <xmp> </xmp> <button> </button> ' +
  '<form> </form> <input type=hidden> <h1> </h2> <p = "> <p a=1 A=2 a> <p a="x&amp;y" b=2> <p a=x&y b> <p ' +
  "a='&quot;'c=d> <p a=\"> <p/a/b=/> <p a= > " +
  '<a xlink:href=y XLINK:HREF=z> text x 1 é € 😀 İ <É> <pÉ> <p É=É> \f \v'
).split(' ')
const SPACES = [' ', '\n', '\t', '\r', '\r\n', '\n\n', '  ']
const MARKUP = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...PIECES) },
      { weight: 1, arbitrary: fc.constantFrom(...SPACES) },
    ),
    {
      maxLength: 30,
    },
  )
  .map((pieces) => pieces.join(''))

/** A tree as lines: attributes with their prefixes, by name. */
function outline(node: AnyNode, depth = 0): string[] {
  const indent = ' '.repeat(depth)
  if ('children' in node) {
    const own =
      'attribs' in node
        ? `<${node.name} ${node.namespace} ${JSON.stringify(attributes(node).sort())}>`
        : `${node.type} ${'x-mode' in node ? String(node['x-mode']) : ''}`
    return [indent + own, ...node.children.flatMap((child) => outline(child, depth + 1))]
  }
  return [`${indent}${node.type} ${JSON.stringify(node.data)}`]
}

function attributes(node: Extract<AnyNode, { attribs: unknown }>): string[] {
  const prefixes = node['x-attribsPrefix'] ?? {}
  return Object.entries(node.attribs).map(
    ([name, value]) => `${Object.hasOwn(prefixes, name) && prefixes[name] ? `${prefixes[name]}:` : ''}${name}=${value}`,
  )
}

function ours(text: string): string[] {
  const tree = parseHtml(text)
  if (tree.kind === 'too_complex') throw new Error(tree.excess)
  return outline(tree.document)
}

const original = (text: string): string[] => outline(parse(text, { scriptingEnabled: false, treeAdapter: adapter }))

describe('reading HTML by stretches', () => {
  test('gives the tree of the original on any soup of tags', () => {
    fc.assert(
      fc.property(MARKUP, (text) => {
        expect(ours(text)).toEqual(original(text))
      }),
      { numRuns: 3_000 },
    )
  })

  test('gives the tree of the original for every page that is cut off at any character', () => {
    const page =
      '<!doctype html><title>A &amp; B</title><pre>\n x</pre><p class="a  b" ID=\'c\' d=e&amp;f g>Cup ' +
      '&lt;&eacute;> 😀<!-- a - b --><br/>' +
      '<script>if (a < b && c) "</p>"</script><textarea>\n&gt;</textarea><svg viewBox="0"><a xlink:href=#x ' +
      '/></svg><table>x<td> y'
    for (let end = 0; end <= page.length; end += 1)
      expect(ours(page.slice(0, end))).toEqual(original(page.slice(0, end)))
  })

  test.each([
    ['a NUL', '<p a="\0">x\0y</p\0><script>\0</script>'],
    ['carriage returns', '<pre>\r\nx\r\r\ny</pre><p a="\r\n">&#13;</p>'],
    ['attributes that are there twice', '<p a=1 b="2" A=3 a b=\'4\'>'],
    ['names that objects have', '<p __proto__=1 constructor=2><__proto__>'],
    ['more than the original keeps in its buffer', `${'<p title="x &amp; y">text 😀 &amp; </p>\n'.repeat(5_000)}`],
  ])('gives the tree of the original for %s', (_what, text) => {
    expect(ours(text)).toEqual(original(text))
  })

  test('takes time in proportion to the page, whatever is in it', () => {
    const units = [
      '<',
      '<!--<',
      '<a b="',
      "<a b='&",
      '<a b="&amp;',
      '</x>',
      '<b></i>',
      '<p a',
      '&amp;',
      '<!-- & ',
      '<i>x',
      '- <!--',
    ]
    for (const unit of units) {
      const started = performance.now()
      parseHtml(`<p title="${unit.repeat(Math.ceil(4e5 / unit.length))}`)
      parseHtml(unit.repeat(Math.ceil(4e5 / unit.length)))
      expect(performance.now() - started).toBeLessThan(5_000)
    }
  })
})
