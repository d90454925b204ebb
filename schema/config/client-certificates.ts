import Type from 'typebox'
import { Closed, Text } from '../shape/shape.ts'

/** The content of TIDEMARK_CLIENT_CERTIFICATES_FILE. */
export const ClientCertificates = Type.Array(
  Closed({
    /** Names as in URLs, without a port. */
    hosts: Type.Array(Text(1, 253), { minItems: 1, maxItems: 100 }),
    /** Ids of teams. */
    teams: Type.Array(Type.String({ format: 'uuid' }), { minItems: 1, maxItems: 1000 }),
    /** PEM files, with the chain. Relative paths begin at the folder of the JSON file. */
    cert: Text(1, 4096),
    key: Text(1, 4096),
  }),
  { maxItems: 1000 },
)
