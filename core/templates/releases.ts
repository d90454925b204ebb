import { template } from './template.ts'

export const javascriptPackageVersion = template({
  slug: 'javascript-package-version',
  name: 'New version of a JavaScript package',
  description:
    "Reports when a package's latest version changes. Give the address of the package's JSON document at its " +
    'registry, REGISTRY/PACKAGE.',
  category: 'developer',
  audience: 'developer',
  example_url: null,
  config: {
    extract: { method: 'json_path', fields: { version: "$['dist-tags'].latest" } },
    diff_predicate: { type: 'field_changes', field: 'version' },
    schedule_interval_seconds: 3600,
  },
})

export const pythonPackageVersion = template({
  slug: 'python-package-version',
  name: 'New version of a Python package',
  description:
    "Reports when a package's latest version changes, or when that version is withdrawn. Give the address of the " +
    "project's JSON document at its index, INDEX/PACKAGE/json.",
  category: 'developer',
  audience: 'developer',
  example_url: null,
  config: {
    extract: {
      method: 'json_path',
      fields: {
        version: '$.info.version',
        requires_python: '$.info.requires_python',
        yanked: '$.info.yanked',
      },
    },
    diff_predicate: {
      type: 'composite',
      operator: 'OR',
      conditions: [
        { type: 'field_changes', field: 'version' },
        { type: 'field_changes', field: 'yanked' },
      ],
    },
    schedule_interval_seconds: 3600,
  },
})

/** Releases that are not marked as a try-out. Code hosts that have no such mark list all of them. */
const RELEASES = '$[?@.tag_name && @.prerelease != true]'

export const repositoryRelease = template({
  slug: 'repository-release',
  name: 'New releases of a repository',
  description:
    'Reports when a repository has new releases, and names them. Give the address of the releases in the API of your ' +
    'code host, which ends in …/releases at most of them. Releases that are marked as a pre-release do not count.',
  category: 'developer',
  audience: 'developer',
  example_url: null,
  config: {
    extract: {
      method: 'json_path',
      fields: { versions: `${RELEASES}.tag_name`, titles: `${RELEASES}.name`, links: `${RELEASES}.html_url` },
    },
    // A release whose title or notes are edited is not a new one.
    diff_predicate: { type: 'list_gains_items', field: 'versions' },
    schedule_interval_seconds: 3600,
  },
})
