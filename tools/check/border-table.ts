/** What a folder may import besides itself. */
export interface Border {
  /** Other folders, a part of one (`runners/guard`), or one file by its whole name. */
  folders: readonly string[]
  /** Packages, by name. Node's own modules are written `node:*`, or one by one. */
  packages: readonly string[]
}

/**
 * Imports go one way: schema ← core ← store ← {runners, deliveries} ← {api, operator} ← cli (DESIGN §2). A type is an import like any other.
 * A package stands with the folders that own it; a new one is added here on purpose.
 */
export const BORDERS: Readonly<Record<string, Border>> = {
  schema: { folders: [], packages: ['typebox'] },
  // Pure: the clock and everything else that changes is passed in. Hashes are functions too.
  core: { folders: ['schema'], packages: ['node:crypto', 'pino'] },
  store: {
    folders: ['schema', 'core'],
    packages: ['node:*', 'aws4fetch', 'pg', 'slonik', '@slonik/pg-driver', 'typebox', 'undici', 'better-auth'],
  },
  runners: {
    folders: ['schema', 'core', 'store'],
    packages: [
      'node:*',
      'css-select',
      'css-what',
      'domhandler',
      'domutils',
      'htmlparser2',
      'json-p3',
      'parse5',
      'parse5-htmlparser2-tree-adapter',
      'piscina',
      'playwright-core',
      'pixelmatch',
      'prom-client',
      'sharp',
      'typebox',
      'undici',
    ],
  },
  // The trusted side of a check: no runner can come by what is here, and nobody else asks a model.
  prompts: {
    folders: ['schema', 'core', 'store', 'runners'],
    packages: ['node:*', 'openai', 'prom-client', 'typebox', 'undici'],
  },
  // A webhook leaves through the same guard as a check's request does.
  deliveries: {
    folders: ['schema', 'core', 'store', 'runners/guard'],
    packages: ['node:*', 'nodemailer', 'prom-client', 'typebox', 'undici'],
  },
  api: {
    folders: ['schema', 'core', 'store', 'runners', 'prompts', 'deliveries'],
    packages: ['node:*', 'better-auth', 'fastify', 'pg', 'pino', 'prom-client', 'typebox', 'yaml'],
  },
  operator: {
    folders: ['schema', 'core', 'store', 'runners', 'deliveries'],
    packages: ['node:*', 'pino', 'prom-client'],
  },
  cli: {
    // `--version` is what the package says.
    folders: ['schema', 'core', 'store', 'runners', 'prompts', 'deliveries', 'api', 'operator', 'package.json'],
    packages: ['node:*', 'commander', 'pino', 'prom-client'],
  },
}

/** What opens connections, and the only places that may name it: one guard stands between a stranger's address and the network. */
export const NETWORK: { modules: readonly string[]; folders: readonly string[] } = {
  modules: [
    'undici',
    'nodemailer',
    'openai',
    'node:net',
    'node:tls',
    'node:http',
    'node:https',
    'node:http2',
    'node:dgram',
    'node:dns',
  ],
  folders: ['store/objects', 'runners/guard', 'runners/fetch', 'runners/lane', 'prompts', 'deliveries', 'api', 'cli'],
}
