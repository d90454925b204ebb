import { join } from 'node:path'
import { expect, test } from 'vitest'
import { banner, setEmail } from '../../boot/process/banner.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'

const AT = { address: 'http://127.0.0.1:1', hasDashboard: true }
const SENT = { hasAddress: true, hasServer: true }
const printed = (dataDir: string, databaseFolder: string | null) =>
  banner({ ...AT, owner: null, mail: SENT, runningOut: [], dataDir, databaseFolder })

test('a start says where the database lies, also where that is not the data directory', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path
  expect(printed(path, join(path, 'postgres'))).toContain(`Data              ${path} (embedded Postgres)\n`)
  expect(printed(path, '/var/lib/tidemark/1a2b/postgres')).toContain(
    `Data              ${path} (keys and pictures)\n  Database          /var/lib/tidemark/1a2b/postgres (embedded ` +
      `Postgres)\n`,
  )
  expect(printed(path, null)).not.toContain(path)
})

test('a start names the dashboard where there is one', () => {
  const of = (hasDashboard: boolean) =>
    banner({ ...AT, hasDashboard, owner: null, mail: SENT, runningOut: [], dataDir: '.', databaseFolder: null })
  expect(of(true)).toContain('\n  Dashboard         http://127.0.0.1:1/\n')
  expect(of(false)).not.toContain('Dashboard')
})

test('a start says of which teams the runs will not last', () => {
  const runningOut = [{ team: 'Team of ada', used_up_at: '2026-12-14T05:00:00Z', resets_at: '2026-12-20T05:00:00Z' }]
  const options = { ...AT, owner: null, mail: SENT, dataDir: '.', databaseFolder: null }
  expect(banner({ ...options, runningOut })).toContain(
    'Runs              used up on 14 December 2026 at the present pace, renewed on 20 December 2026 (Team of ada)',
  )
})

test('a start says how mail can reach the first owner, where none does', () => {
  const owner = {
    user_id: '',
    team_id: '',
    email: 'owner@tidemark.local',
    password: 'p',
    api_key: 'k',
    session_token: '',
  }
  const of = (hasAddress: boolean, hasServer: boolean, dataDir = '.') =>
    banner({
      ...AT,
      owner,
      mail: { hasAddress, hasServer },
      runningOut: [],
      dataDir,
      databaseFolder: '/var/lib/tidemark/postgres',
    })
  expect(of(false, true)).toContain(
    `\n  TIDEMARK_DATA_DIR='.' ./tidemark admin set-email --email owner@tidemark.local --to`,
  )
  expect(setEmail('a@example.com', '.tidemark')).toMatch(/^\.\/tidemark admin set-email /)
  expect(setEmail('a@example.com', null)).toMatch(/^\.\/tidemark admin set-email /)
  expect(setEmail('a@example.com', "/srv/it's mine")).toMatch(/^TIDEMARK_DATA_DIR='\/srv\/it'\\''s mine' \.\/tidemark /)
  expect(of(false, true)).not.toContain('SMTP_URL')
  expect(of(true, false)).toContain('No mail reaches that address')
  expect(of(true, false)).toContain('Set SMTP_URL and SMTP_FROM')
  expect(of(true, false)).not.toContain('set-email')
  expect(of(false, false)).toMatch(/set-email[^]*SMTP_URL/)
  expect(of(true, true)).not.toContain('No mail')
})
