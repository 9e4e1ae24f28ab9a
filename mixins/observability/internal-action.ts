/**
 * Whether an action has neither metrics nor spans. The actions of Moleculer itself (`$node.list`) serve no request. A
 * private action is called only within its process, such as moleculer-web's `rest` for each HTTP request.
 */
export function isInternalAction({
  name = "",
  visibility,
}: {
  readonly name?: string | undefined;
  readonly visibility?: string | undefined;
}): boolean {
  return name.startsWith("$") || visibility === "private";
}
