import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What the official image of Postgres does, as far as the chart needs it: the first start makes the database that the
 * environment names, and each start runs the server, which gets the signals of the container. It runs in a pod.
 */
const { PGDATA = '', POSTGRES_USER = '', POSTGRES_DB = '', POSTGRES_PASSWORD = '' } = process.env
const bin = (name: string) => join('/postgres/bin', name)
const made = join(PGDATA, 'made')

if (!existsSync(made)) {
  rmSync(PGDATA, { recursive: true, force: true })
  writeFileSync('/tmp/password', POSTGRES_PASSWORD, { mode: 0o600 })
  const options = ['--username', POSTGRES_USER, '--pwfile', '/tmp/password', '--auth', 'scram-sha-256', '--no-sync']
  execFileSync(bin('initdb'), ['--pgdata', PGDATA, ...options, '--encoding', 'UTF8', '--locale', 'C'], {
    stdio: 'inherit',
  })
  appendFileSync(join(PGDATA, 'pg_hba.conf'), 'host all all all scram-sha-256\n')
  execFileSync(bin('postgres'), ['--single', '-D', PGDATA, 'postgres'], { input: `create database ${POSTGRES_DB}\n` })
  writeFileSync(made, '')
}
const options = ['-c', 'listen_addresses=*', '-c', 'unix_socket_directories=/var/run/postgresql']
const server = spawn(bin('postgres'), ['-D', PGDATA, ...options], { stdio: 'inherit' })
// SIGTERM would wait for sessions that do not end by themselves.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => server.kill('SIGINT'))
server.on('exit', (code) => {
  process.exitCode = code ?? 1
})
