import Type from 'typebox'
import { Text, Whole } from '../shape/shape.ts'

const Optional = Type.Optional

/** The model, the proxy and the bucket. */
export const SERVICE_SETTINGS = {
  LLM_BASE_URL: Optional(
    Text(
      1,
      2048,
      'OpenAI-compatible endpoint for prompt extraction; see docs/prompt.md. Example: ' +
        'https://models.example.com/v1. Unset: runs of prompt monitors fail.',
    ),
  ),
  LLM_API_KEY: Optional(Text(1, 4096, 'API key for LLM_BASE_URL. Unset: no key is sent.')),
  LLM_MODEL: Type.String({
    minLength: 1,
    maxLength: 256,
    default: 'gpt-4.1-mini',
    description: 'Model name for prompt extraction.',
  }),
  TIDEMARK_LLM_CONCURRENCY: Whole(1, 1000, {
    default: 8,
    description: 'Concurrent requests to the model, for each process. One team can use at most half of them.',
  }),
  TIDEMARK_LLM_TIMEOUT_SECONDS: Whole(1, 600, {
    default: 30,
    description: 'Time limit for one answer of the model, in seconds.',
  }),
  TIDEMARK_PROXY_URL: Optional(
    Text(
      1,
      2048,
      'HTTP proxy that a check uses after the site refused it: http://user:password@host:port or https://…; ' +
        'see docs/proxy.md. Unset: no proxy.',
    ),
  ),
  S3_BUCKET: Optional(
    Text(1, 255, 'Bucket for pictures; see docs/visual.md. Unset: the folder images under TIDEMARK_DATA_DIR.'),
  ),
  S3_ENDPOINT: Optional(
    Text(1, 2048, 'S3-compatible service that holds S3_BUCKET. Example: http://minio:9000. Unset: AWS, in AWS_REGION.'),
  ),
  AWS_REGION: Type.String({ minLength: 1, maxLength: 64, default: 'us-east-1', description: 'Region of S3_BUCKET.' }),
  AWS_ACCESS_KEY_ID: Optional(Text(1, 256, 'Access key ID for S3_BUCKET. Required with S3_BUCKET.')),
  AWS_SECRET_ACCESS_KEY: Optional(Text(1, 1024, 'Secret access key for S3_BUCKET. Required with S3_BUCKET.')),
  AWS_SESSION_TOKEN: Optional(Text(1, 8192, 'Session token for S3_BUCKET. Needed with temporary credentials only.')),
}
