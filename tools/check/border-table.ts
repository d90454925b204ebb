/** What a folder may import besides itself. */
export interface Border {
  /** Other folders, or a part of one (`runners/guard`). */
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
    packages: ['node:*', 'pg', 'slonik', '@slonik/pg-driver', 'typebox', 'better-auth'],
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
      'pixelmatch',
      'prom-client',
      'sharp',
      'typebox',
      'undici',
    ],
  },
  // A webhook leaves through the same guard as a check's request does.
  deliveries: {
    folders: ['schema', 'core', 'store', 'runners/guard'],
    packages: ['node:*', 'nodemailer', 'prom-client', 'typebox', 'undici'],
  },
  api: {
    folders: ['schema', 'core', 'store', 'runners', 'deliveries'],
    packages: ['node:*', 'better-auth', 'fastify', 'pg', 'pino', 'prom-client', 'typebox', 'yaml'],
  },
  operator: {
    folders: ['schema', 'core', 'store', 'runners', 'deliveries'],
    packages: ['node:*', 'pino', 'prom-client'],
  },
  cli: {
    folders: ['schema', 'core', 'store', 'runners', 'deliveries', 'api', 'operator'],
    packages: ['node:*', 'commander', 'pino', 'prom-client'],
  },
}

/** What opens connections, and the only places that may name it: one guard stands between a stranger's address and the network. */
export const NETWORK: { modules: readonly string[]; folders: readonly string[] } = {
  modules: [
    'undici',
    'nodemailer',
    'node:net',
    'node:tls',
    'node:http',
    'node:https',
    'node:http2',
    'node:dgram',
    'node:dns',
  ],
  folders: ['runners/guard', 'runners/fetch', 'deliveries', 'api', 'cli'],
}
