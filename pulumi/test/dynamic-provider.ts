import type * as Grpc from '@grpc/grpc-js'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PROGRAM } from './program.ts'

type Props = Record<string, unknown>

interface Struct {
  toJavaScript(): Props
}

// Pulumi's own generated messages, of which the tests use a few.
// oxlint-disable-next-line typescript/no-explicit-any
type Messages = any

const PACKAGE = join(import.meta.dirname, '..')
const require = createRequire(join(PACKAGE, 'index.js'))
const grpc = require('@grpc/grpc-js') as typeof Grpc
const messages = require('@pulumi/pulumi/proto/provider_pb') as Messages
const services = require('@pulumi/pulumi/proto/provider_grpc_pb') as Messages
const { Struct } = require('google-protobuf/google/protobuf/struct_pb') as Messages

interface Difference {
  readonly changes: boolean
  readonly replaces: readonly string[]
  readonly deleteBeforeReplace: boolean
}

/** What Pulumi's engine asks of a dynamic resource, of one whose methods have this text. */
export interface DynamicProvider {
  check(olds: Props, news: Props): Promise<{ inputs: Props; failures: readonly { property: string; reason: string }[] }>
  diff(id: string, olds: Props, news: Props): Promise<Difference>
  create(inputs: Props): Promise<{ id: string; outs: Props }>
  read(id: string, props: Props): Promise<{ id: string; props: Props; inputs: Props }>
  update(id: string, olds: Props, news: Props): Promise<Props>
  delete(id: string, props: Props): Promise<void>
}

/** The process that Pulumi's engine starts for dynamic resources, in the folder of the program. */
export async function startDynamicProvider(config: Readonly<Record<string, string>>) {
  const main = require.resolve('@pulumi/pulumi/cmd/dynamic-provider')
  const child = spawn(process.execPath, [main, '127.0.0.1:1'], {
    cwd: PROGRAM,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'] },
  })
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string]
  const client = new services.ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure())
  const call = (method: string, request: unknown): Promise<Messages> =>
    new Promise((resolve, reject) =>
      client[method](request, (error: Error | null, answer: unknown) => (error ? reject(error) : resolve(answer))),
    )
  const struct = (value: Props) => Struct.fromJavaScript(JSON.parse(JSON.stringify(value)))
  const message = (kind: string, fields: Readonly<Record<string, unknown>>) => {
    const made = new messages[kind]()
    for (const [name, value] of Object.entries(fields)) made[`set${name}`](value)
    return made
  }
  await call('configure', message('ConfigureRequest', { Args: struct(config) }))

  const withText = (text: string) => (props: Props) => struct({ ...props, __provider: text })
  const plain = (found: Struct | undefined): Props => {
    const { __provider: _, ...props } = found?.toJavaScript() ?? {}
    return props
  }
  return {
    /** Returns the methods of a resource, from the text that its program registered. */
    of(text: string): DynamicProvider {
      const full = withText(text)
      return {
        async check(olds, news) {
          const answer = await call('check', message('CheckRequest', { Olds: full(olds), News: full(news) }))
          const failures: readonly Messages[] = answer.getFailuresList()
          return {
            inputs: plain(answer.getInputs()),
            failures: failures.map((each) => ({ property: each.getProperty(), reason: each.getReason() })),
          }
        },
        async diff(id, olds, news) {
          const answer = await call('diff', message('DiffRequest', { Id: id, Olds: full(olds), News: full(news) }))
          const changes = answer.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME
          const deleteBeforeReplace = answer.getDeletebeforereplace()
          return { changes, replaces: answer.getReplacesList(), deleteBeforeReplace }
        },
        async create(inputs) {
          const answer = await call('create', message('CreateRequest', { Properties: full(inputs) }))
          return { id: answer.getId(), outs: plain(answer.getProperties()) }
        },
        async read(id, props) {
          const answer = await call('read', message('ReadRequest', { Id: id, Properties: full(props) }))
          return { id: answer.getId(), props: plain(answer.getProperties()), inputs: plain(answer.getInputs()) }
        },
        async update(id, olds, news) {
          const request = message('UpdateRequest', { Id: id, Olds: full(olds), News: full(news) })
          return plain((await call('update', request)).getProperties())
        },
        async delete(id, props) {
          await call('delete', message('DeleteRequest', { Id: id, Properties: full(props) }))
        },
      }
    },
    /** What the engine asks when a program has the option `import`: neither properties nor inputs. */
    async readOfImport(id: string) {
      await call('read', message('ReadRequest', { Id: id }))
    },
    async stop() {
      client.close()
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
