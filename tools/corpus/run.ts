import { compareWithBrowser } from './browser-answers.ts'
import { readFeeds } from './feeds.ts'
import { CorpusFolder } from './folder.ts'
import { readJson, runCompliance } from './json-answers.ts'
import type { Tally } from './tally.ts'

/** Runs all parts of a corpus folder. */
export function runCorpus(root: string): readonly Tally[] {
  const folder = new CorpusFolder(root)
  return [
    ...compareWithBrowser(folder),
    readFeeds(folder, 'feeds'),
    readFeeds(folder, 'sitemaps'),
    readJson(folder),
    runCompliance(folder),
  ]
}
