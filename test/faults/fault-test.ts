import { onTestFinished } from 'vitest'
import { createTestDatabase } from '../support/database/test-database.ts'
import { type FaultService, type FaultServiceOptions, openFaultService } from './fault-service.ts'

/** A service on a database of its own, of the run's server; gone when the test has ended. */
export async function freshService(
  options: Omit<FaultServiceOptions, 'url'> = {},
): Promise<FaultService & { url: string }> {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const service = await openFaultService({ url: database.url, ...options })
  onTestFinished(() => service[Symbol.asyncDispose]())
  return Object.assign(Object.create(service), { url: database.url })
}
