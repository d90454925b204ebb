/** An error whose message is for the person who runs Tidemark. It is printed without a stack. */
export abstract class ExplainedError extends Error {}
