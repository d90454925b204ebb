import { onTestFinished } from 'vitest'
import { createTestDatabase } from '../support/postgres.ts'
import { type FaultWorld, type FaultWorldOptions, openFaultWorld } from './world.ts'

/** A world on a database of its own, of the run's server; gone when the test has ended. */
export async function freshWorld(options: Omit<FaultWorldOptions, 'url'> = {}): Promise<FaultWorld & { url: string }> {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const world = await openFaultWorld({ url: database.url, ...options })
  onTestFinished(() => world[Symbol.asyncDispose]())
  return Object.assign(Object.create(world), { url: database.url })
}
