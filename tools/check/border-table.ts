/** The imports that a folder may have besides its own files. */
export interface Border {
  /** Other folders, a part of one (`runners/fetch`), or one file by its whole name. */
  folders: readonly string[]
  /** Packages, by name. Node's own modules are written `node:*`, or one by one. */
  packages: readonly string[]
}

/**
 * Imports go one way: schema ← core ← concurrency ← {platform, egress} ← {store, runners} ← {monitors, accounts,
 * worker, deliveries} ← {api, operator} ← boot ← cli. A type is an import like any other. A package stands with the
 * folders that own it; a new one is added here on purpose. What a folder no longer uses is taken out.
 *
 * `runners` is the untrusted side of a check. It must not reach the store, the model or any of their packages.
 */
export const BORDERS: Readonly<Record<string, Border>> = {
  schema: { folders: [], packages: ['typebox'] },
  // Pure: the clock and everything else that changes is passed in. Hashes are functions too.
  core: { folders: ['schema'], packages: ['node:crypto', 'node:module', 'pino', 'temporal-polyfill', 'tldts'] },
  platform: { folders: ['schema', 'core', 'concurrency'], packages: ['node:*', 'pg'] },
  egress: { folders: ['schema', 'concurrency'], packages: ['node:*', 'lru-cache', 'undici'] },
  concurrency: { folders: [], packages: ['node:*', 'lru-cache', 'piscina'] },
  store: {
    folders: ['schema', 'core', 'concurrency'],
    packages: ['node:*', 'aws4fetch', 'pg', 'slonik', '@slonik/pg-driver', 'typebox', 'undici', 'better-auth'],
  },
  runners: {
    folders: ['schema', 'core', 'platform', 'egress', 'concurrency'],
    packages: [
      'node:*',
      'css-select',
      'css-what',
      'diff',
      'domhandler',
      'domutils',
      'htmlparser2',
      'ical.js',
      'json-p3',
      'lru-cache',
      'parse5',
      'parse5-htmlparser2-tree-adapter',
      'pdfjs-dist',
      'playwright-core',
      'prom-client',
      'typebox',
      'undici',
    ],
  },
  // Manifests in files: read with file and line in faults, and written. It knows no store, so that clients may use it.
  manifests: { folders: ['schema', 'core'], packages: ['node:*', 'yaml'] },
  // What may be done to a monitor, the same for routes, the operator and commands. It knows nothing of HTTP.
  monitors: {
    folders: ['schema', 'core', 'manifests', 'egress', 'concurrency', 'store', 'runners'],
    packages: ['node:*', 'lru-cache', 'typebox'],
  },
  // Likewise for keys and teams.
  accounts: { folders: ['schema', 'core', 'concurrency', 'store'], packages: ['stripe'] },
  // The trusted side of a check: recording, pictures, and what asks a model.
  worker: {
    folders: ['schema', 'core', 'egress', 'concurrency', 'store', 'runners'],
    packages: ['node:*', 'openai', 'pixelmatch', 'prom-client', 'sharp', 'typebox', 'undici'],
  },
  // A webhook is sent through the same egress guard as the request of a check.
  deliveries: {
    folders: ['schema', 'core', 'egress', 'concurrency', 'store'],
    packages: ['node:*', 'nodemailer', 'prom-client', 'typebox', 'undici'],
  },
  api: {
    folders: [
      'schema',
      'core',
      'egress',
      'concurrency',
      'store',
      'runners',
      'manifests',
      'monitors',
      'accounts',
      'worker',
      'deliveries',
      // Limits the connections of any HTTP server.
      'platform/connection-guard.ts',
      // Answers name the version in the package.
      'package.json',
    ],
    packages: [
      'node:*',
      'better-auth',
      'fastify',
      'lru-cache',
      'marked',
      'pg',
      'prom-client',
      'swagger-ui-dist',
      'typebox',
    ],
  },
  operator: {
    folders: ['schema', 'core', 'egress', 'concurrency', 'store', 'monitors'],
    packages: ['node:*', '@kubernetes/client-node', 'lru-cache', 'prom-client'],
  },
  // Puts the processes together.
  boot: {
    folders: [
      'schema',
      'core',
      'platform',
      'egress',
      'concurrency',
      'store',
      'runners',
      'manifests',
      'monitors',
      'accounts',
      'worker',
      'deliveries',
      'api',
      'operator',
    ],
    packages: ['node:*', 'pino', 'prom-client'],
  },
  cli: {
    folders: [
      'schema',
      'core',
      'platform',
      'egress',
      'concurrency',
      'store',
      'runners',
      'manifests',
      'monitors',
      'accounts',
      'worker',
      'deliveries',
      'operator',
      'boot',
      // `--version` prints the version in the package.
      'package.json',
    ],
    packages: ['node:*', 'commander', 'yaml'],
  },
  // Runs in a browser: what it knows of the definitions is generated into it.
  dashboard: {
    folders: [],
    packages: [
      '@tanstack/react-query',
      '@tanstack/react-virtual',
      'diff',
      'react',
      'react-aria-components',
      'react-dom',
      'uplot',
      'wouter',
    ],
  },
  // A separate package, which is published without the rest: what it knows of the definitions is generated into it.
  pulumi: { folders: [], packages: ['@pulumi/kubernetes', '@pulumi/pulumi', '@tidemark/pulumi', 'node:*'] },
}

/** Folders within a room that know nothing of others beside them. */
export const APART: Readonly<Record<string, readonly string[]>> = {
  // What is read of an engine's page is given to it as a reader.
  'runners/extract': ['runners/serp', 'runners/check', 'runners/loop', 'runners/client'],
}

/** Packages that belong to these subfolders only. */
export const OWNERS: Readonly<Record<string, readonly string[]>> = {
  '@kubernetes/client-node': ['operator/cluster'],
  openai: ['worker/prompts/model'],
  piscina: ['concurrency/threads'],
  stripe: ['accounts/billing'],
  sharp: ['worker/pictures'],
  pixelmatch: ['worker/pictures'],
  // The dashboard compares descriptions of a few words. Texts are compared in a thread that can be ended.
  diff: ['runners/text-diff', 'dashboard/src/runs'],
  'ical.js': ['runners/extract/documents'],
  'pdfjs-dist': ['runners/extract/documents'],
  'playwright-core': ['runners/browser'],
}

/** Modules that open connections, and the only folders and files that may import them: one guard for the network. */
export const NETWORK: { modules: readonly string[]; folders: readonly string[] } = {
  modules: [
    'undici',
    'nodemailer',
    'openai',
    'stripe',
    'node:net',
    'node:tls',
    'node:http',
    'node:https',
    'node:http2',
    'node:dgram',
    'node:dns',
  ],
  folders: [
    'platform',
    'egress',
    'store/objects',
    'runners/fetch',
    'runners/client',
    // The socket of the launcher, a file.
    'runners/browser/chromium/browser-launcher.ts',
    'runners/browser/chromium/launched-chromium.ts',
    'worker/prompts',
    'worker/searches',
    'accounts/billing',
    'deliveries',
    'api',
    'operator/cluster',
    'boot',
    'cli',
  ],
}
