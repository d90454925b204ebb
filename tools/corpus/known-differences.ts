/**
 * Where our answers may differ from the browser's, by feature, each with its reason. The corpus tool counts such
 * differences as explained; any other makes it fail. Never by file: a held-out folder has other files.
 *
 * It is short on purpose. Quirks mode, names in capitals, namespaces of SVG and MathML, `id()`, UTF-16 units and the
 * order of nodes are not in it: there our answers are the browser's.
 */
export const KNOWN_DIFFERENCES: ReadonlyMap<string, string> = new Map([
  [
    'undeclared-charset',
    'A page that is not UTF-8 and names its charset nowhere: browsers guess from the frequency of letters, each ' +
      'in its own way; we take windows-1252.',
  ],
])
