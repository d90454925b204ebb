/**
 * The features in which Tidemark may differ from a browser, each with its reason. The corpus tool counts such
 * differences as explained; any other difference makes it fail. They are not listed by file, because a held-out folder
 * has other files.
 *
 * The list is short on purpose. Quirks mode, names in capitals, namespaces of SVG and MathML, `id()`, UTF-16 units and
 * the order of nodes are not in it: Tidemark equals the browser in them.
 */
export const KNOWN_DIFFERENCES: ReadonlyMap<string, string> = new Map([
  [
    'undeclared-charset',
    'A page that is not UTF-8 and names its charset nowhere: browsers guess from the frequency of letters, each ' +
      'in its own way; Tidemark uses windows-1252.',
  ],
])
