import { mostPruned } from '../../schema/config/prune-limit.ts'

/**
 * Returns what happened to monitors whose files are gone, by the detail of the event, and which command deletes them.
 * They belong to the API then, so the commands over REST may do it.
 */
export function notPrunedText(detail: Readonly<Record<string, unknown>>): string {
  const [count, declared] = [Number(detail['not_pruned']), Number(detail['declared'])]
  const names = (detail['names'] ?? []) as readonly string[]
  return [
    `The files of ${count} of ${declared} monitors are gone from the folder of "tidemark serve --config".`,
    `--prune deletes at most ${mostPruned(declared)} of so many at once. So none was deleted: all of them go on, and ` +
      'belong to the API now.',
    'If the files are missing by mistake, put them back: they take over the same monitors, with their history.',
    'Otherwise delete them with',
    count <= names.length
      ? `./tidemark delete --yes ${names.join(' ')}`
      : './tidemark admin list-released -o name | xargs -r ./tidemark delete --yes',
    ...(count <= names.length
      ? []
      : ['Look at ./tidemark admin list-released first: it has all that lost a manifest.']),
  ].join('\n')
}
