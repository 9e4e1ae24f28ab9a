/** A start failed for a reason that the operator can fix. Only the message is printed, and the exit code is 1. */
export class StartupError extends Error {}
