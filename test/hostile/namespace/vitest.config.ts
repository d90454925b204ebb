import { defineConfig } from 'vitest/config'

/** What runs in a network namespace of its own (browser-contacts.fault.ts): there is no Postgres there. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../../..`,
    include: ['test/runners/browser/contacts.test.ts'],
    reporters: ['default'],
    hookTimeout: 30_000,
    pool: 'forks',
    setupFiles: ['test/support/run/leak-guard.ts'],
    experimental: { viteModuleRunner: false },
  },
})
