/**
 * For the default of a `switch` over all values of a type: it does not compile if a value has no case. At run time it
 * does nothing; the value comes from a newer version.
 */
export function unhandled(_value: never): void {}
