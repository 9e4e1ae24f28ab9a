/** A field that no object has: its text is in the error of the compiler. */
interface Fault<Text> {
  readonly fault: Text;
}

/** The fault of an object that lacks a field of T, or has another one. */
type FaultOf<T, Given> = keyof T extends keyof Given
  ? keyof Given extends keyof T
    ? unknown
    : Fault<`${Exclude<keyof Given, keyof T> & string} is not a field`>
  : Fault<`the field ${Exclude<keyof T, keyof Given> & string} is not named`>;

/**
 * Returns a function that returns its argument. `complete<Times>()({ startsAt, endsAt })` does not compile when Times gets
 * another field, even an optional one, so that no field is lost where an object is built field by field. An optional
 * field counts as named if the object may have it, as in `...definedFields({ color })`.
 */
export function complete<T extends object>(): <Given extends T>(given: FaultOf<T, Given> & Given) => T {
  return (given) => given;
}
