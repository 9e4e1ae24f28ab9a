import { userInfo } from "node:os";

/** The user of this process, for records of changes: the name, or the number if the system has no name for it, as in a container. */
export function operatorName(readName: () => string = () => userInfo().username): string {
  try {
    return readName();
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
