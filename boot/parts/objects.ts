import { join } from 'node:path'
import type { Config } from '../../schema/config/config.ts'
import { createFolderStore } from '../../store/objects/folder-store.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import { createS3Store } from '../../store/objects/s3-store.ts'

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

/** Returns the store for the pictures of this installation: a bucket, or a folder that all its processes share. */
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
