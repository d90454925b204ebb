/** Where a node of the cluster is, and where it finds the others. */
export interface NodePlace {
  readonly name: string
  readonly folder: string
  readonly postgresPort: number
  readonly restPort: number
  readonly etcdPort: number
}

export const SUPERUSER = { username: 'tidemark', password: 'throwaway' } as const
const REPLICATION = { username: 'replicator', password: 'throwaway' } as const

/** Seconds: a primary that is gone for longer than `ttl` is replaced. */
export const TIMES = { ttl: 15, loop_wait: 5, retry_timeout: 5 } as const

/** Returns the configuration of Patroni for a node, as docs/postgres.md advises. JSON is YAML. */
export const patroniConfig = ({ name, folder, postgresPort, restPort, etcdPort }: NodePlace): string =>
  JSON.stringify({
    scope: 'tidemark',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ...TIMES,
        maximum_lag_on_failover: 1_048_576,
        // A commit is confirmed when another node has it.
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true, parameters: { wal_log_hints: 'on', max_connections: 200 } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${postgresPort}`,
      connect_address: `127.0.0.1:${postgresPort}`,
      data_dir: `${folder}/data`,
      bin_dir: '/usr/lib/postgresql/15/bin',
      pgpass: `${folder}/pgpass`,
      authentication: { superuser: SUPERUSER, replication: REPLICATION, rewind: SUPERUSER },
      pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 md5', 'host replication all 127.0.0.1/32 md5'],
      // The processes are killed, not the machine: what was written is there.
      parameters: { unix_socket_directories: folder, timezone: 'UTC', fsync: 'off', jit: 'off' },
    },
    watchdog: { mode: 'off' },
  })
