import type { Cluster } from './init-cluster.ts'

/** Settings of a server for one user's machine: durable, and reachable only through its socket. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  password_encryption: 'scram-sha-256',
  fsync: 'on',
  synchronous_commit: 'on',
  shared_buffers: '128MB',
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  random_page_cost: '1.1',
  // Compiling a plan costs more than any of these queries.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  // The caller reports a failed statement; the log gets only what concerns the server.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_line_prefix: '',
  logging_collector: 'off',
  log_destination: 'stderr',
}

/**
 * Returns the arguments of `postgres`. The settings are on the command line and not in postgresql.conf, so that an
 * update of Tidemark also applies to data of an older version.
 */
export function serverArguments(
  cluster: Cluster,
  socketFolder: string,
  more: Readonly<Record<string, string>> = {},
): string[] {
  const settings = { ...SETTINGS, unix_socket_directories: socketFolder, ...more }
  return ['-D', cluster.data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}
