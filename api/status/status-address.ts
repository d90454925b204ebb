/** Returns the path of a public status page. */
export const statusAddress = (slug: string): string => `/status/${slug}`

/** Returns the path of the changes of a public status page, as RSS. */
export const feedAddress = (slug: string): string => `${statusAddress(slug)}/feed.xml`
