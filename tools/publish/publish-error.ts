/** What stops a release from being published. The message is one sentence for who publishes it. */
export class PublishError extends Error {}
