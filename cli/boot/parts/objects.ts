import { join } from 'node:path'
import type { Config } from '../../../schema/config.ts'
import type { Issue } from '../../../schema/validation/issue.ts'
import { createFolderStore } from '../../../store/objects/folder-store.ts'
import type { ObjectStore } from '../../../store/objects/object-store.ts'
import { createS3Store } from '../../../store/objects/s3-store.ts'

type ObjectSettings = Pick<
  Config,
  | 'S3_BUCKET'
  | 'S3_ENDPOINT'
  | 'AWS_REGION'
  | 'AWS_ACCESS_KEY_ID'
  | 'AWS_SECRET_ACCESS_KEY'
  | 'AWS_SESSION_TOKEN'
  | 'TIDEMARK_DATA_DIR'
>

/** What is wrong with the settings of the object store. */
export function objectIssues(config: ObjectSettings): Issue[] {
  const { S3_BUCKET, S3_ENDPOINT } = config
  const issues: Issue[] = []
  if (S3_BUCKET !== undefined)
    for (const path of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const)
      if (config[path] === undefined) issues.push({ path, message: 'is required with S3_BUCKET' })
  if (S3_BUCKET !== undefined && !/^[a-z0-9][a-z0-9._-]+$/i.test(S3_BUCKET))
    issues.push({ path: 'S3_BUCKET', message: 'is no name of a bucket: letters, digits, dots and hyphens' })
  if (S3_ENDPOINT === undefined) return issues
  if (S3_BUCKET === undefined) issues.push({ path: 'S3_BUCKET', message: 'is required with S3_ENDPOINT' })
  if (!/^https?:\/\/[^/?#@]+\/?$/.test(S3_ENDPOINT) || URL.parse(S3_ENDPOINT) === null)
    issues.push({ path: 'S3_ENDPOINT', message: 'must be an http:// or https:// address without a path' })
  return issues
}

/** Where the pictures of this installation lie: a bucket, or a folder that all its processes share. */
export function objectsOf(settings: ObjectSettings): ObjectStore {
  const { S3_BUCKET: bucket, AWS_REGION: region, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = settings
  if (bucket === undefined || AWS_ACCESS_KEY_ID === undefined || AWS_SECRET_ACCESS_KEY === undefined)
    return createFolderStore(join(settings.TIDEMARK_DATA_DIR, 'images'))
  return createS3Store({
    endpoint: settings.S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`,
    bucket,
    region,
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: settings.AWS_SESSION_TOKEN,
  })
}
