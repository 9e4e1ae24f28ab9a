/** A start or a command failed for a reason that its user can mend. Only the message is printed; the exit code is 1. */
export class StartupError extends Error {}
