/** The path below which messages of several changes arrive at a sink. */
export const DIGESTS = '/digest'
