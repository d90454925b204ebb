import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createServiceManager } from '../../platform/service-manager.ts'
import { hasNotifySocket, type NotifySocket, openNotifySocket } from '../support/process/notify-socket.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'

const execute = promisify(execFile)
let faults: string[] = []
const onFault = (why: string) => void faults.push(why)
beforeEach(() => void (faults = []))

describeIf(hasNotifySocket, 'install systemd and python3')('messages to systemd', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let socket: NotifySocket
  beforeAll(async () => {
    folder = await temporaryFolder()
    socket = await openNotifySocket(folder.path)
  })
  afterAll(async () => {
    await socket[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  test('arrive in their order, each with the process that it is about, and none behind the stop', async () => {
    const service = createServiceManager({ socket: socket.path, onFault })
    void service.ready('Ready at http://127.0.0.1:8080')
    void service.alive()
    void service.reloading()
    void service.ready('of two\nlines, READY=0')
    void service.stopping()
    void service.alive()
    await service.ready('again')
    const MAINPID = String(process.pid)
    expect(
      await eventually(
        () => socket.messages,
        ({ length }) => length >= 5,
      ),
    ).toEqual([
      { MAINPID, READY: '1', STATUS: 'Ready at http://127.0.0.1:8080' },
      { MAINPID, WATCHDOG: '1' },
      { MAINPID, RELOADING: '1', MONOTONIC_USEC: expect.stringMatching(/^\d+$/), STATUS: 'Reloading' },
      { MAINPID, READY: '1', STATUS: 'of two lines, READY=0' },
      { MAINPID, STOPPING: '1', STATUS: 'Stopping: finishing what is under way' },
    ])
    expect(faults).toEqual([])
  })

  test('that cannot be sent keep back none of those behind them', async () => {
    const before = socket.messages.length
    const service = createServiceManager({ socket: socket.path, onFault })
    // Longer than an argument of a program may be.
    await service.ready('x'.repeat(200_000))
    await service.alive()
    expect(faults).toEqual(['spawn E2BIG'])
    expect(
      await eventually(
        () => socket.messages.slice(before),
        ({ length }) => length > 0,
      ),
    ).toMatchObject([{ WATCHDOG: '1' }])
  })

  test('that nobody takes are said once', async () => {
    const service = createServiceManager({ socket: `${socket.path}-of-nobody`, onFault })
    await service.ready('Ready')
    await service.stopping()
    expect(faults).toEqual([expect.stringContaining('No such file')])
  })
})

test('a process that may open no more files says so, and goes on', async () => {
  const module = new URL('../../platform/service-manager.ts', import.meta.url)
  const script = `
    import { openSync } from 'node:fs'
    import { createServiceManager } from '${module.href}'
    const service = createServiceManager({ socket: '/nowhere', onFault: (why) => process.stdout.write(why) })
    await service.alive()
    try { for (;;) openSync('/') } catch {}
    const other = createServiceManager({ socket: '/nowhere', onFault: (why) => process.stdout.write(', then ' + why) })
    await other.alive()
    await other.alive()`
  const node = [process.execPath, '--input-type=module', '--eval', script]
  const { stdout } = await execute('sh', ['-c', 'ulimit -n 64; exec "$@"', 'sh', ...node])
  expect(stdout).toMatch(/, then spawn systemd-notify EMFILE$/)
})

test('the missing program is said once, and nothing is sent without a socket', async () => {
  const program = 'no-such-program-of-systemd'
  const service = createServiceManager({ socket: '/nowhere', onFault, program })
  await service.ready('Ready')
  await service.alive()
  expect(faults).toEqual([`spawn ${program} ENOENT`])
  for (const socket of [undefined, '']) await createServiceManager({ socket, onFault, program }).ready('Ready')
  expect(faults).toHaveLength(1)
})
