import Type from 'typebox'
import { Choice, Text, Whole } from '../shape/shape.ts'

const Optional = Type.Optional

/** Default of TIDEMARK_DATA_DIR, from the folder in which a process is started. */
export const DATA_DIR = '.tidemark'

/** Where a process listens, and where its data are. */
export const SERVER_SETTINGS = {
  PORT: Whole(0, 65_535, { default: 8080, description: 'Port of the API. 0: any free port.' }),
  HOST: Type.String({
    minLength: 1,
    maxLength: 255,
    default: '127.0.0.1',
    description: 'Address that the API, the runner API and the metrics port listen on.',
  }),
  DATABASE_URL: Optional(
    Text(
      1,
      2048,
      'Postgres 15 or newer, as postgres://user:password@host:5432/name. With ?sslmode=require the connection is ' +
        'encrypted and the certificate checked; NODE_EXTRA_CA_CERTS names a PEM file of a private authority. ' +
        'Unset: an embedded Postgres 18 under TIDEMARK_DATA_DIR.',
    ),
  ),
  TIDEMARK_DATA_DIR: Type.String({
    minLength: 1,
    maxLength: 1024,
    default: DATA_DIR,
    description:
      'Folder for the embedded Postgres, the generated encryption key, the embedded browser and the ' +
      'pictures. When started as root in a folder that other users cannot enter, Tidemark stores the ' +
      'database in /var/lib/tidemark and prints its path.',
  }),
  TIDEMARK_BASE_URL: Optional(Text(1, 2048, 'Public address of the API. Default: http://HOST:PORT.')),
  TIDEMARK_DASHBOARD_URL: Optional(
    Text(
      1,
      2048,
      'Address that links in messages begin with. Default: TIDEMARK_BASE_URL, where the dashboard is served. Without ' +
        'both, messages have no links to runs.',
    ),
  ),
  TIDEMARK_DASHBOARD: Choice(['on', 'off'], {
    default: 'on',
    description: 'Whether the API serves the dashboard at /. off: / leads to the documentation only.',
  }),
}
