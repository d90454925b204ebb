import type { ProcessIo } from '../../platform/process-io.ts'
import type { OutputOptions } from '../output.ts'
import { connectionOf } from './profiles.ts'
import { RemoteClient } from './remote-client.ts'

/** The options that every command over REST has. */
export interface CommonOptions extends OutputOptions {
  readonly profile?: string
}

/** Returns a client of the server that the options or the environment name. */
export const connect = (io: ProcessIo, { profile }: CommonOptions): RemoteClient =>
  new RemoteClient(connectionOf(io, profile))
