/** A start that failed for a reason that the operator can mend: shown as its message alone, a line each, exit code 1. */
export class StartupError extends Error {}
