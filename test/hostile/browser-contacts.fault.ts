import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { describeIf } from '../support/run/skip.ts'

/** Loopback has them in the namespace: cloud metadata, and one of each private range. */
const ADDRESSES = ['169.254.169.254', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.100.100.200', 'fd00:ec2::254']
const ROUNDS = 10
const MAX_MS = 200_000

/** As root alone: who is root only inside of a namespace has no account to run a browser as. */
const canUnshare = spawnSync('unshare', ['-n', 'ip', 'link', 'set', 'lo', 'up'], { stdio: 'ignore' }).status === 0

describeIf(canUnshare, 'on Linux, as root, with unshare and ip installed')('In a network namespace', () => {
  test('a hostile page contacts no private address, though each of them is one step away', () => {
    const take = ADDRESSES.map((address) =>
      address.includes(':') ? `ip -6 addr add ${address}/128 dev lo nodad` : `ip addr add ${address}/32 dev lo`,
    )
    const run = `exec "$0" node_modules/vitest/vitest.mjs run --config test/hostile/namespace/vitest.config.ts`
    const script = ['ip link set lo up', ...take, run].join(' && ')
    const { stdout, stderr, status } = spawnSync('unshare', ['-n', 'sh', '-c', script, process.execPath], {
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'] ?? '',
        ...(process.env['CHROMIUM_PATH'] !== undefined && { CHROMIUM_PATH: process.env['CHROMIUM_PATH'] }),
        TIDEMARK_TEST_CONTACT_ROUNDS: String(ROUNDS),
        TIDEMARK_TEST_CONTACT_ADDRESSES: ADDRESSES.join(' '),
      },
      timeout: MAX_MS,
    })
    expect({ status, said: `${stdout}${stderr}` }).toMatchObject({ status: 0, said: expect.stringMatching(/2 passed/) })
  })
})
