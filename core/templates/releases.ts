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

export const repositoryRelease = template({
  slug: 'repository-release',
  name: 'New release of a repository',
  description:
    "Reports when a repository has a new release. Give the address of the latest release in your code host's API, " +
    'which ends in …/releases/latest at most of them.',
  category: 'developer',
  audience: 'developer',
  example_url: null,
  config: {
    extract: {
      method: 'json_path',
      fields: { version: '$.tag_name', title: '$.name', link: '$.html_url' },
    },
    // A release whose title or notes are edited is not a new one.
    diff_predicate: { type: 'field_changes', field: 'version' },
    schedule_interval_seconds: 3600,
  },
})
