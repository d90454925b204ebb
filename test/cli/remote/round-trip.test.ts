import { globSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { type RemoteServer, startRemoteServer } from './remote-server.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

const EXAMPLES = join(import.meta.dirname, '../../../examples')
const HOOK = 'https://hooks.example.com/tidemark'
/** What the variables of secrets have that are not this one address. */
const OWN: Readonly<Record<string, string>> = {
  SECRET_CHAT_MESSAGE_DELIVERY_1_URL: 'https://chat.example.com/hooks/kettle-watch',
  SECRET_DAILY_DIGEST_DELIVERY_1_URL: 'https://ntfy.sh',
  SECRET_DAILY_DIGEST_DELIVERY_1_OPTION_TOPIC: 'offers-7f3a',
}

let remote: RemoteServer
beforeAll(async () => {
  remote = await startRemoteServer()
}, 60_000)
afterAll(() => remote[Symbol.asyncDispose]())

test('what export prints of all examples and of the whole cookbook is applied without a difference', async () => {
  await mkdir(join(remote.folder, 'examples'))
  const files = globSync(['*.yaml', 'cookbook/*.yaml'], { cwd: EXAMPLES })
  for (const file of files) {
    const manifest = parse(await readFile(join(EXAMPLES, file), 'utf8')) as { readonly spec: object }
    // None of them is to ask the sites that it names.
    const suspended = { ...manifest, spec: { ...manifest.spec, suspend: true } }
    await writeFile(join(remote.folder, 'examples', `${basename(file)}.json`), JSON.stringify(suspended))
  }
  const applied = await remote.sh('./tidemark apply -f examples')
  expect([applied.code, applied.stderr]).toEqual([0, ''])
  const exported = await remote.sh('./tidemark export --dir out')
  expect(exported.stdout.trim().split('\n')).toHaveLength(files.length)
  const without = await remote.sh('./tidemark diff -f out')
  expect(without.code).toBe(2)
  // The refusal names the variables.
  const names = [...without.stderr.matchAll(/the variable (SECRET_\w+)/g)].map(([, name = '']) => name)
  const secrets = Object.fromEntries(names.map((name) => [name, OWN[name] ?? HOOK]))
  for (const line of ['diff -f out', 'diff -f examples', 'apply -f out'])
    expect(await remote.sh(`./tidemark ${line}`, secrets)).toMatchObject({
      code: 0,
      stdout: `Nothing differs: ${files.length} unchanged.\n`,
    })
  for (const form of ['yaml', 'json'])
    expect(await remote.sh(`./tidemark export -o ${form} | ./tidemark diff -f -`, secrets)).toMatchObject({ code: 0 })
})

test('a monitor that a person has paused is exported as suspended, and diff says what that means', async () => {
  await remote.watch('kettle')
  await remote.sh('./tidemark export kettle > kettle.yaml && ./tidemark apply -f kettle.yaml')
  await remote.sh('./tidemark pause kettle && ./tidemark export kettle > paused.yaml')
  expect(await remote.sh('./tidemark diff -f kettle.yaml')).toMatchObject({ code: 0 })
  const { code, stdout } = await remote.sh('./tidemark diff -f paused.yaml')
  expect([code, stdout]).toEqual([1, '~ change monitor default/kettle\n    spec.suspend: none → true\n'])
})
