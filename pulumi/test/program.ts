import type * as Pulumi from '@pulumi/pulumi'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { inject } from 'vitest'
import type * as Tidemark from '../src/index.ts'
import type * as Rest from '../src/rest.ts'
import type * as RestProvider from '../src/rest/provider.ts'

/** The folder of a program that has installed the package as it is published. */
export const PROGRAM = inject('pulumiProgram')
const require = createRequire(join(PROGRAM, 'index.js'))

export const pulumi = require('@pulumi/pulumi') as typeof Pulumi
export const tidemark = require('@tidemark/pulumi') as typeof Tidemark
export const rest = require('@tidemark/pulumi/rest') as typeof Rest
export const { provider } = require('@tidemark/pulumi/provider') as typeof RestProvider

/** A resource as a program registered it. */
export interface Registered {
  readonly type: string
  readonly name: string
  /** The type of the component that it belongs to; empty: none. */
  readonly parent: string
  readonly aliases: readonly string[]
  // The inputs are what tests look at.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly inputs: any
  /** The inputs that are secret as a whole, as paths: `stringData`. */
  readonly secrets: readonly string[]
  /** The id that the engine is to import; empty: none. */
  readonly importId: string
  /** The outputs that the program says are secret. */
  readonly secretOutputs: readonly string[]
}

interface Run<T> {
  readonly result: T
  readonly registered: readonly Registered[]
  /** Returns the one resource of a type. */
  one(type: string): Registered
}

interface Request {
  getType(): string
  getName(): string
  getParent(): string
  getImportid(): string
  getAdditionalsecretoutputsList(): readonly string[]
  getAliasesList(): readonly { getSpec(): { getName(): string } | undefined }[]
}

/** Runs a program with Pulumi's mocks, and returns what it registered. Rejects with what it throws. */
export async function runProgram<T>(program: () => T | Promise<T>): Promise<Run<T>> {
  const registered: Registered[] = []
  const sent = new Map<string, Request>()
  const runtime = pulumi.runtime as typeof pulumi.runtime & { waitForRPCs(): Promise<void> }
  await runtime.setMocks(
    {
      newResource({ type, name, inputs, id }) {
        const request = sent.get(`${type} ${name}`)
        registered.push({
          type,
          name,
          parent: request?.getParent().split('::')[2]?.split('$').at(-1) ?? '',
          aliases: request?.getAliasesList().map((alias) => alias.getSpec()?.getName() ?? '') ?? [],
          inputs: revealed(inputs),
          secrets: secretPaths(inputs),
          importId: request?.getImportid() ?? '',
          secretOutputs: request?.getAdditionalsecretoutputsList() ?? [],
        })
        return { id: id ?? `${name}-id`, state: revealed(inputs) as Record<string, unknown> }
      },
      call: ({ inputs }) => inputs as Record<string, unknown>,
    },
    'shop',
    'test',
    false,
  )
  // What the mocks leave out of their arguments is in the request.
  const monitor = runtime.getMonitor() as unknown as { registerResource(request: Request, ...more: unknown[]): unknown }
  const register = monitor.registerResource.bind(monitor)
  monitor.registerResource = (request, ...more) => {
    sent.set(`${request.getType()} ${request.getName()}`, request)
    return register(request, ...more)
  }
  let fail: (reason: unknown) => void = () => undefined
  const failed = new Promise<never>((_, reject) => (fail = reject))
  process.on('unhandledRejection', fail)
  try {
    const result = await Promise.race([Promise.resolve().then(program), failed])
    await Promise.race([runtime.waitForRPCs(), failed])
    return {
      result,
      registered,
      one(type) {
        const [found, ...others] = registered.filter((each) => each.type === type)
        if (found === undefined || others.length > 0)
          throw new Error(`not one ${type}: ${registered.map((each) => each.type).join(', ')}`)
        return found
      },
    }
  } finally {
    process.off('unhandledRejection', fail)
  }
}

const SIGNATURE = '4dabf18193072939515e22adb298388d'
const isMarked = (value: unknown): value is { value: unknown } =>
  value !== null && typeof value === 'object' && SIGNATURE in value

/** Returns inputs without the marks of secrets. */
function revealed(value: unknown): unknown {
  if (isMarked(value)) return revealed(value.value)
  if (Array.isArray(value)) return value.map(revealed)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, revealed(each)]))
}

function secretPaths(value: unknown, at = ''): string[] {
  if (isMarked(value)) return [at]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, each]) => secretPaths(each, at === '' ? key : `${at}.${key}`))
}
