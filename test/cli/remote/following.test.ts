import { createHmac } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { commandLine } from '../../../cli/command-line.ts'
import { freePort } from '../../support/network/free-port.ts'
import { describeIf, hasProgram } from '../../support/run/skip.ts'
import { type RemoteServer, startProxy, startRemoteServer } from './remote-server.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

/** Types a line and the tabulator in a shell of its own, and prints what the line became. */
const ZSH = String.raw`
zmodload zsh/zpty
look() {
  zpty shell zsh -f -i
  zpty -w shell "PS1=; unset zle_bracketed_paste; fpath=($PWD/functions \$fpath); path=($PWD \$path)"
  zpty -w shell "autoload -Uz compinit; compinit -u -D"
  zpty -w shell "shown() { print -r -- \$'\\n'\"= \$BUFFER\"; exit }; zle -N shown; bindkey '^X' shown; print READ''Y"
  local text= part=
  while [[ $text != *READY* ]]; do zpty -r shell part || break; text+=$part; done
  zpty -w -n shell "$1"$'\t'$'\x18'
  text=
  while zpty -r shell part; do text+=$part; done
  print -r -- "$text" | tr -d '\r' | grep '^= ' | sed 's/ *$//'
  zpty -d shell
}
look './tidemark verify-'
look 'tidemark admin release-'
look 'tidemark apply --pru'
look 'tidemark admin create-key --sc'
look 'tidemark get -o js'
look './tidemark describe ket'
`

let remote: RemoteServer
let kettle = ''
beforeAll(async () => {
  remote = await startRemoteServer()
  kettle = await remote.watch('kettle', { deliveries: [{ type: 'webhook', url: 'https://hooks.example.com/a' }] })
}, 60_000)
afterAll(() => remote[Symbol.asyncDispose]())

test('tail shows the last runs, and each further run once', async () => {
  await using tail = remote.start('exec ./tidemark tail kettle --count 2')
  await tail.says(/ kettle success price: \$1\n/)
  remote.site.price('$2')
  await remote.ask('POST', `/v1/monitors/${kettle}/run`)
  await tail.says(/ kettle success .*price: \$1 → \$2 \(\+100 %\)\n/)
  expect(await tail.exited).toBe(0)
  expect(tail.stdout.split('\n')).toHaveLength(3)
})

test('tail goes on when the server is away for some time, and shows every run of that time', async () => {
  let isAway = false
  const refused = Promise.withResolvers<void>()
  await using proxy = await startProxy(remote, (_, answer) => {
    if (isAway) {
      refused.resolve()
      answer.destroy()
    }
    return isAway
  })
  const id = await remote.watch('pot')
  await using tail = remote.start('exec ./tidemark tail pot --limit 1 -o name', proxy.environment)
  await tail.says(/^run\/\S+\n/)
  isAway = true
  await refused.promise
  await tail.complains(/does not answer .*\n.*asking again/)
  const copies = 30
  // Ids tell the month and the order: those of the copies come after it, and differ in the part that is random.
  const copy = `jsonb_build_object('id', left(r.id::text, 24) || 'fff' || lpad(to_hex(n), 9, '0'))`
  await remote.sql(`insert into runs select (jsonb_populate_record(r, ${copy})).*
    from runs r, generate_series(1, ${copies}) n where r.monitor_no = (select no from monitors where id = '${id}')`)
  isAway = false
  await tail.complains(/answers again/)
  await tail.says(new RegExp(`^(run/\\S+\\n){${copies + 1}}$`))
  expect(new Set(tail.stdout.split('\n')).size).toBe(copies + 2)
  await remote.ask('DELETE', `/v1/monitors/${id}`)
  expect(await tail.exited).toBe(1)
  expect(tail.stderr).toContain('pot was deleted')
})

test('run --wait goes on when the server is away for some time', async () => {
  let looks = 0
  await using proxy = await startProxy(remote, ({ url = '' }, answer) => {
    const isCut = url.startsWith('/v1/runs/') && ++looks < 8
    if (isCut) answer.destroy()
    return isCut
  })
  const { code, stdout, stderr } = await remote.sh('./tidemark run kettle --wait', proxy.environment)
  expect([code, stdout]).toEqual([0, expect.stringContaining('success')])
  expect(stderr).toContain('answers again')
})

test('of several runs those that have ended are shown, though another one is late', async () => {
  const hold = Promise.withResolvers<void>()
  const url = remote.site.page('/late', (answer) => void hold.promise.then(() => answer.end('<p class="price">$1</p>')))
  const { id } = await remote.ask<{ id: string }>('POST', '/v1/monitors?paused=true', {
    name: 'late',
    url,
    schedule_interval_seconds: 3600,
    extract_config: { method: 'css', fields: { price: '.price' } },
    diff_predicate: { type: 'any_field_changes' },
  })
  const { code, stdout, stderr } = await remote.sh('./tidemark run kettle late --wait --timeout 3')
  hold.resolve()
  expect([code, stdout]).toEqual([69, expect.stringMatching(/^kettle +\S+ +success/m)])
  expect(stderr).toContain('has not ended within --timeout; it goes on')
  await remote.ask('DELETE', `/v1/monitors/${id}`)
})

test('backtest shows on which changes a predicate would have fired, and why', async () => {
  const predicate = '{"type": "field_above", "field": "price", "threshold": 1.5}'
  const { code, stdout } = await remote.sh(`./tidemark backtest kettle --predicate '${predicate}'`)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^STARTED +FIRES +FIRED +CHANGED +WHY\n\S+ +yes +yes +price +\S.*\n1 of 1 changes fire\n$/)
  expect((await remote.sh(`./tidemark backtest kettle --predicate '${predicate}' --days 1`)).stdout).toBe(stdout)
  expect(await remote.sh('./tidemark backtest kettle --days 0')).toMatchObject({ code: 2 })
  const wrong = await remote.sh(`./tidemark backtest kettle --predicate '{'`)
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--predicate must be JSON') })
  const unknown = await remote.sh(`./tidemark backtest kettle --predicate '{"type": "field_changes", "field": "x"}'`)
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('diff_predicate.field') })
  expect(unknown.stderr.match(/diff_predicate\.field/g)).toHaveLength(1)
})

test('backtest judges a search as it is set', async () => {
  const search = { name: 'ranks', keyword: 'kettle', schedule_interval_seconds: 3600, target_domain: 'shop.example' }
  await remote.ask('POST', '/v1/serp-monitors?paused=true', search)
  const tried = await remote.sh('./tidemark backtest ranks --days 30')
  expect([tried.code, tried.stdout + tried.stderr]).toEqual([0, expect.stringContaining('No stored run has found')])
  const refused = await remote.sh(`./tidemark backtest ranks --predicate '{}'`)
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('leave --predicate out') })
  expect(await remote.sh('./tidemark delete ranks --yes')).toMatchObject({ code: 0 })
})

describe('verify-webhook', () => {
  const signed = (secret: string, body: string, secondsAgo = 0) => {
    const at = Math.floor(Date.now() / 1_000) - secondsAgo
    return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
  }

  test('says whether a webhook is verified by the secret of the monitor, and prints it', async () => {
    const { secret } = await remote.ask<{ secret: string }>('GET', `/v1/monitors/${kettle}/signing-secret`)
    await using receiver = remote.start(`exec ./tidemark verify-webhook kettle --port ${await freePort()} --count 2`)
    const [, url = ''] = await receiver.says(/Waiting for webhooks at (\S+)\./)
    const send = (key: string) =>
      fetch(url, { method: 'POST', body: '{"a":1}', headers: { 'service-signature': signed(key, '{"a":1}') } })
    expect((await send(secret)).status).toBe(204)
    expect((await send('another')).status).toBe(400)
    expect(await receiver.exited).toBe(1)
    expect(receiver.stdout).toContain('\nverified\n{\n  "a": 1\n}\n')
    expect(receiver.stdout).toContain('not verified: the secret is another one')
    expect(receiver.stdout).not.toContain(secret)
  })

  test('as JSON it is a line for each, with why one was not verified, and whether it was received before', async () => {
    const port = await freePort()
    const secret = { TIDEMARK_WEBHOOK_SECRET: ', one,two,' }
    await using receiver = remote.start(`exec ./tidemark verify-webhook --port ${port} --count 5 --json`, secret)
    await receiver.complains(/Waiting for webhooks/)
    const body = '{"id":"d1"}'
    const send = (header: string) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers: { 'service-signature': header } })
    const headers = [signed('two', body), signed('two', body), signed('one', body, 400), signed('', body), 'v1=']
    const statuses: number[] = []
    for (const header of headers) statuses.push((await send(header)).status)
    expect(statuses).toEqual([204, 204, 400, 400, 400])
    expect(await receiver.exited).toBe(1)
    const lines = receiver.stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { verified: true, reason: null, again: false, body: { id: 'd1' } },
      { verified: true, reason: null, again: true, body: { id: 'd1' } },
      expect.objectContaining({ verified: false, reason: expect.stringContaining('more than five minutes') }),
      expect.objectContaining({ verified: false, reason: expect.stringContaining('secret is another') }),
      expect.objectContaining({ verified: false, reason: expect.stringContaining('cannot be read') }),
    ])
  })

  test('a secret that is only commas is none', async () => {
    const { code } = await remote.sh('./tidemark verify-webhook', { TIDEMARK_WEBHOOK_SECRET: ' , ' })
    expect(code).toBe(2)
  })

  test('a monitor without a webhook has no secret, which is said', async () => {
    await remote.watch('silent')
    const { code, stderr } = await remote.sh('./tidemark verify-webhook silent')
    expect([code, stderr]).toEqual([1, expect.stringContaining('silent has no webhook')])
  })

  test('without a monitor and a secret it says what is missing', async () => {
    const { code, stderr } = await remote.sh('./tidemark verify-webhook')
    expect([code, stderr]).toEqual([2, expect.stringContaining('TIDEMARK_WEBHOOK_SECRET')])
  })
})

describe('completion', () => {
  test('completes every command and its options in bash', async () => {
    const line = `bash -c 'source <(./tidemark completion bash); COMP_WORDS=(tidemark app); COMP_CWORD=1; _tidemark
      echo "\${COMPREPLY[@]}"; COMP_WORDS=(tidemark apply --pr); COMP_CWORD=2; _tidemark; echo "\${COMPREPLY[@]}"'`
    expect((await remote.sh(line)).stdout).toBe('apply\n--prune --profile\n')
    const deeper = `bash -c 'source <(./tidemark completion bash); COMP_WORDS=(tidemark admin create-k)
      COMP_CWORD=2; _tidemark
      echo "\${COMPREPLY[@]}"; COMP_WORDS=(tidemark admin create-key --sc); COMP_CWORD=3; _tidemark
      echo "\${COMPREPLY[@]}"; COMP_WORDS=(tidemark get -o j); COMP_CWORD=3; _tidemark; echo "\${COMPREPLY[@]}"'`
    expect((await remote.sh(deeper)).stdout).toBe('create-key\n--scope\njson\n')
    const { stdout } = await remote.sh('./tidemark completion bash')
    for (const command of commandLine(process, '').commands) expect(stdout).toContain(`    ${command.name()})`)
  })

  test('completes the names of monitors, as the shell reads them, and nothing where no server answers', async () => {
    await remote.watch('The pot')
    const look = (word: string) =>
      `bash -c 'source <(./tidemark completion bash); COMP_WORDS=(./tidemark get ${word}); COMP_CWORD=2; _tidemark
        printf "%s\\n" "\${COMPREPLY[@]}"'`
    expect((await remote.sh(look('ket'))).stdout).toBe('kettle\n')
    expect((await remote.sh(look('"The"'))).stdout).toBe('The\\ pot\n')
    const away = await remote.sh('./tidemark completion names', { TIDEMARK_URL: 'http://127.0.0.1:1' })
    expect(away).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  describeIf(hasProgram('zsh'), 'install zsh', { isBeyondCi: true })('in zsh', () => {
    test('completes commands, their commands, options and values, also as a file of fpath', async () => {
      await remote.sh('mkdir -p functions && ./tidemark completion zsh > functions/_tidemark')
      await writeFile(join(remote.folder, 'look.zsh'), ZSH)
      const { stdout, stderr } = await remote.sh('zsh -f look.zsh')
      expect([stdout, stderr]).toEqual([expect.any(String), ''])
      expect(stdout.split('\n').filter((line) => line.startsWith('= '))).toEqual([
        '= ./tidemark verify-webhook',
        '= tidemark admin release-cluster',
        '= tidemark apply --prune',
        '= tidemark admin create-key --scope',
        '= tidemark get -o json',
        '= ./tidemark describe kettle',
      ])
    })
  })

  describeIf(hasProgram('fish'), 'install fish', { isBeyondCi: true })('in fish', () => {
    test('completes commands, their commands, options and values', async () => {
      const looks = [
        './tidemark verify-',
        'tidemark admin release-',
        'tidemark apply --pru',
        'tidemark admin create-key --sc',
        'tidemark get -o js',
        './tidemark describe ket',
      ]
      const asked = looks.map((line) => `complete -C "${line}"`).join('; ')
      const { stdout, stderr } = await remote.sh(
        `./tidemark completion fish > t.fish && fish -N -c 'source t.fish; ${asked}'`,
      )
      expect(stderr).toBe('')
      expect(stdout.split('\n').map((line) => line.split('\t')[0])).toEqual([
        'verify-webhook',
        'release-cluster',
        '--prune',
        '--scope',
        'json',
        'kettle',
        '',
      ])
    })
  })

  test.each(['zsh', 'fish'])('names every command for %s', async (shell) => {
    const { stdout } = await remote.sh(`./tidemark completion ${shell}`)
    for (const command of commandLine(process, '').commands) expect(stdout).toContain(command.name())
  })

  test('of another shell is refused', async () => {
    expect(await remote.sh('./tidemark completion csh')).toMatchObject({ code: 2 })
  })
})
