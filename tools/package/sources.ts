/** The folders of the repository that the program is made of. */
export const SOURCES = [
  'accounts',
  'api',
  'boot',
  'cli',
  'concurrency',
  'core',
  'deliveries',
  'egress',
  'manifests',
  'monitors',
  'operator',
  'platform',
  'runners',
  'schema',
  'store',
  'worker',
]
