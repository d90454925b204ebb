import * as tidemark from '@tidemark/pulumi'

// To try it out: a Postgres of one pod, and pictures on a claim of one node.
const installed = new tidemark.Tidemark('tidemark', {
  values: {
    postgres: { enabled: true },
    pictures: { volume: { create: true, accessMode: 'ReadWriteOnce' } },
  },
})

// The definitions of monitors come with the chart, so a monitor waits for it.
new tidemark.Monitor(
  'example',
  {
    metadata: { namespace: installed.namespace },
    name: 'The example page',
    url: 'https://example.com/',
    scheduleIntervalSeconds: 3600,
    extractConfig: { method: 'css', fields: { title: 'h1' } },
    diffPredicate: { type: 'any_field_changes' },
  },
  { dependsOn: installed },
)

export const namespace = installed.namespace
