/** A time in UTC for the output of a command, to the minute. */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16)}Z`;
}
