import { describe, expect, test } from 'vitest'
import { loadedBy } from '../../tools/loaded-by/loaded-by.ts'

const RUNNER = 'cli/commands/runner.ts'
const foldersOf = (files: readonly string[]) => [...new Set(files.map((file) => file.split('/', 1)[0]))]

describe('tidemark runner', () => {
  test('loads no store, no database client, no web framework and nothing else of the trusted side', () => {
    const { files, packages } = loadedBy(RUNNER)
    expect(foldersOf(files)).toEqual(['boot', 'cli', 'concurrency', 'core', 'egress', 'platform', 'runners', 'schema'])
    expect(packages).toEqual([
      'css-select',
      'css-what',
      'domhandler',
      'domutils',
      'htmlparser2',
      'ical.js',
      'json-p3',
      'lru-cache',
      'parse5',
      'parse5-htmlparser2-tree-adapter',
      'pdfjs-dist',
      'pino',
      'piscina',
      'playwright-core',
      'prom-client',
      'typebox',
      'undici',
    ])
  })

  test('loads these files of the command line and of what the host gives', () => {
    const files = loadedBy(RUNNER).files.filter((file) => /^(boot|cli|platform)\//.test(file))
    expect(files).toEqual([
      'boot/parts/browsers.ts',
      'boot/parts/egress.ts',
      'boot/parts/page-errors.ts',
      'boot/parts/search-means.ts',
      'boot/process/count-buffers-as-heap.ts',
      'boot/process/idle-watch.ts',
      'boot/process/keep-token.ts',
      'boot/process/lean-start.ts',
      'boot/process/refused-connections.ts',
      'boot/process/reloads.ts',
      'boot/process/serve-health.ts',
      'boot/process/stack.ts',
      'boot/process/supervised.ts',
      'boot/process/token-refused-error.ts',
      'boot/process/until-signal.ts',
      'boot/process/until-stopped.ts',
      'boot/roles/start-runner.ts',
      'boot/settings/read-config.ts',
      'boot/settings/read-trust.ts',
      'boot/settings/reread-secrets.ts',
      'boot/settings/secret-files.ts',
      'boot/settings/service-links.ts',
      'boot/settings/unreadable-settings.ts',
      'cli/commands/runner.ts',
      'platform/connection-guard.ts',
      'platform/has-terminal.ts',
      'platform/health-server.ts',
      'platform/is-journal.ts',
      'platform/own-memory.ts',
      'platform/print.ts',
      'platform/private-file.ts',
      'platform/reachable.ts',
      'platform/run-program.ts',
      'platform/service-manager.ts',
      'platform/stage.ts',
      'platform/unprivileged-user.ts',
      'platform/watchman.ts',
    ])
  })
})

test('a thread that extracts loads no schema library, which would be most of its start', () => {
  const { packages, files } = loadedBy('runners/extract/pool/run-batch.ts')
  const parsers = ['css-select', 'css-what', 'domhandler', 'domutils', 'htmlparser2', 'json-p3', 'lru-cache', 'parse5']
  expect(packages).toEqual([...parsers, 'parse5-htmlparser2-tree-adapter'])
  expect(files.filter((file) => file.startsWith('runners/serp/'))).toEqual([])
  // It is loaded for searches alone.
  expect(loadedBy('runners/serp/search-page-thread.ts').packages).not.toContain('typebox')
})

test('the walk follows values, dynamic imports and threads', () => {
  const { files, packages } = loadedBy('cli/tidemark.ts')
  expect(files).toContain('cli/commands/serve.ts')
  expect(files).toContain('runners/extract/pool/run-batch.ts')
  expect(files).toContain('package.json')
  expect(packages).toContain('slonik')
})
