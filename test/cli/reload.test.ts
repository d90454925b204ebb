import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startShell } from '../support/process/cli-process.ts'
import { hasNotifySocket, openNotifySocket } from '../support/process/notify-socket.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf, hasProgram } from '../support/run/skip.ts'

vi.setConfig({ testTimeout: 240_000 })

const ENTRY = join(import.meta.dirname, '../../cli/tidemark.ts')

const monitor = (interval: number) => `apiVersion: tidemark.dev/v1
kind: Monitor
metadata: { name: kettle, namespace: shop }
spec:
  name: Kettle
  url: http://127.0.0.1:9/kettle
  scheduleIntervalSeconds: ${interval}
  extractConfig: { method: full_page }
  diffPredicate: { type: any_field_changes }
`

describeIf(hasNotifySocket && hasProgram('setsid'), 'install systemd, util-linux and python3')('under systemd', () => {
  test('serve says that it is ready, works, reloads and stops; SIGHUP reads folder and secrets', async () => {
    await using folder = await temporaryFolder()
    await using socket = await openNotifySocket(folder.path)
    const at = (name: string) => join(folder.path, name)
    await mkdir(at('monitors'))
    await writeFile(at('monitors/kettle.yaml'), monitor(3600))
    await writeFile(at('token'), 'the first metrics token\n')
    await writeFile(at('proxy'), 'http://127.0.0.1:9')
    // Without a terminal, as a service is.
    await using serve = startShell(
      `exec setsid "${process.execPath}" cli/tidemark.ts serve --config "${at('monitors')}"`,
      {
        TIDEMARK_DATA_DIR: at('data'),
        TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
        TIDEMARK_METRICS_TOKEN_FILE: at('token'),
        TIDEMARK_PROXY_URL_FILE: at('proxy'),
        PORT: '0',
        NOTIFY_SOCKET: socket.path,
        WATCHDOG_USEC: '1000000',
      },
    )
    const [, base = ''] = await serve.says(/Tidemark is running at (http:\/\/127\.0\.0\.1:[1-9]\d*)\n/)
    const events = () => socket.messages.filter(({ WATCHDOG }) => WATCHDOG === undefined)
    const heard = (count: number) => eventually(events, ({ length }) => length >= count)
    const metrics = async (token: string) =>
      (await fetch(`${base}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status
    const times = (text: string) => serve.stdout.split(text).length - 1

    const [first] = await heard(1)
    expect(first).toEqual({ MAINPID: String(serve.pid), READY: '1', STATUS: `Ready at ${base}` })
    await eventually(
      () => socket.messages,
      (messages) => messages.some(({ WATCHDOG }) => WATCHDOG === '1'),
    )

    // Valid files: one that is used at once, and one that is for the next start.
    await writeFile(at('token'), 'the second metrics token\n')
    await writeFile(at('proxy'), 'http://127.0.0.1:10')
    serve.signal('SIGHUP')
    expect((await heard(3)).slice(1)).toMatchObject([
      { RELOADING: '1', MONOTONIC_USEC: expect.stringMatching(/^\d+$/) },
      { READY: '1', STATUS: `Ready at ${base}` },
    ])
    expect([await metrics('the first metrics token'), await metrics('the second metrics token')]).toEqual([401, 200])
    // Lines of the log wait for others, so they may come behind the message.
    await serve.says(/"setting":"TIDEMARK_METRICS_TOKEN_FILE","msg":"the file was read again/)
    await serve.says(/"setting":"TIDEMARK_PROXY_URL_FILE","msg":"the file has changed, .* next start/)
    expect(serve.stdout).not.toContain('second metrics token')

    // A file that is not valid: both parts say so, and the settings stay as they were.
    await writeFile(at('monitors/kettle.yaml'), monitor(7))
    await serve.says(/kettle\.yaml:7: spec\.scheduleIntervalSeconds must be at least 60/)
    await writeFile(at('token'), '')
    serve.signal('SIGHUP')
    expect((await heard(5)).at(4)?.['STATUS']).toMatch(
      /^Ready at .*; the last reload refused the settings and the folder of manifests, see the log$/,
    )
    await serve.says(/TIDEMARK_METRICS_TOKEN_FILE names \S+token, which is empty/)
    await serve.says(/not all was reloaded/)
    expect(times('kettle.yaml:7: spec.scheduleIntervalSeconds')).toBe(2)
    expect(await metrics('the second metrics token')).toBe(200)

    // Corrected: nothing is left of it.
    await writeFile(at('monitors/kettle.yaml'), monitor(7200))
    await writeFile(at('token'), 'the third metrics token')
    serve.signal('SIGHUP')
    expect((await heard(7)).at(6)).toMatchObject({ READY: '1', STATUS: `Ready at ${base}` })
    await serve.says(/"updated":1/)
    expect(await metrics('the third metrics token')).toBe(200)

    serve.signal('SIGTERM')
    expect(await serve.exited).toBe(0)
    expect((await heard(8)).at(7)).toMatchObject({ STOPPING: '1' })
    expect(events()).toHaveLength(8)
  })
})

/** Runs a command in a terminal, closes that when it has written the words, and prints how the command ended. */
const IN_A_TERMINAL = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
said = b''
while sys.argv[1].encode() not in said:
    said += os.read(terminal, 4096)
os.close(terminal)
_, status = os.waitpid(pid, 0)
print(os.waitstatus_to_exitcode(status))
`

describeIf(hasProgram('python3'), 'install python3')('in a terminal', () => {
  test('a process ends by SIGHUP when the terminal is closed', async () => {
    await using folder = await temporaryFolder()
    const { stdout } = spawnSync(
      'python3',
      ['-c', IN_A_TERMINAL, 'the runner API is away', process.execPath, ENTRY, 'runner'],
      {
        encoding: 'utf8',
        env: {
          PATH: process.env['PATH'],
          TIDEMARK_DATA_DIR: folder.path,
          TIDEMARK_RUNNER_API_URL: 'http://127.0.0.1:9',
          TIDEMARK_RUNNER_TOKEN: 'a-token-of-a-test',
        },
      },
    )
    expect(stdout.trim()).toBe('-1')
  })
})
