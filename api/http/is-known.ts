/**
 * Returns whether the sender of a request has the version with this entity tag already, by its `If-None-Match`: a list
 * of tags, of which a proxy may have made weak ones, or `*` for any (RFC 9110, section 13.1.2).
 */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => opaque(tag.trim()))
  return tags.includes(opaque(etag)) || tags.includes('*')
}

const opaque = (tag: string): string => tag.replace(/^W\//, '')
