import type { CommonOptions } from './output.ts'
import { connectionOf } from './profiles.ts'
import { RemoteClient } from './remote-client.ts'

/** Returns a client of the server that the options or the environment name. */
export const connect = ({ profile }: CommonOptions): RemoteClient =>
  new RemoteClient(connectionOf(process.env, profile))
