import type { Config } from '../../../schema/config/config.ts'
import type { Issue } from '../../../schema/validation/issue.ts'

type ObjectSettings = Pick<Config, 'S3_BUCKET' | 'S3_ENDPOINT' | 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY'>

/** Returns what is wrong with the settings of the object store. */
export function objectIssues(config: ObjectSettings): Issue[] {
  const { S3_BUCKET, S3_ENDPOINT } = config
  const issues: Issue[] = []
  if (S3_BUCKET !== undefined)
    for (const path of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const)
      if (config[path] === undefined) issues.push({ path, message: 'is required with S3_BUCKET' })
  if (S3_BUCKET !== undefined && !/^[a-z0-9][a-z0-9._-]+$/i.test(S3_BUCKET))
    issues.push({ path: 'S3_BUCKET', message: 'is not a bucket name: letters, digits, dots and hyphens' })
  if (S3_ENDPOINT === undefined) return issues
  if (S3_BUCKET === undefined) issues.push({ path: 'S3_BUCKET', message: 'is required with S3_ENDPOINT' })
  if (!/^https?:\/\/[^/?#@]+\/?$/.test(S3_ENDPOINT) || URL.parse(S3_ENDPOINT) === null)
    issues.push({ path: 'S3_ENDPOINT', message: 'must be an http:// or https:// address without a path' })
  return issues
}
