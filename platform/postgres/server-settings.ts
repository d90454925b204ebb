import type { Cluster } from './init-cluster.ts'

/** Settings of a server for one person's machine; durable, and reachable through its socket only. */
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
  // Compiling a plan costs more than any of our queries does.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  // A statement that fails is its caller's to report; only what concerns the server comes here.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_line_prefix: '',
  logging_collector: 'off',
  log_destination: 'stderr',
}

/**
 * The arguments of `postgres`. They stand on the command line and not in postgresql.conf, so that an update of ours
 * reaches data made by an older version.
 */
export function serverArguments(
  cluster: Cluster,
  socketFolder: string,
  more: Readonly<Record<string, string>> = {},
): string[] {
  const settings = { ...SETTINGS, unix_socket_directories: socketFolder, ...more }
  return ['-D', cluster.data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}
