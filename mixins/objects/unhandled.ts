/**
 * For the default of a `switch` over all values of a type: a call does not compile while a value has no case. At run time
 * the function does nothing: a newer release has stored or sent a value that this release does not know.
 */
export function unhandled(_value: never): void {}
