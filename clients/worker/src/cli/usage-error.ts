/** Wrong usage; the message is for the user. */
export class UsageError extends Error {}
