import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** The path of a program that is no dependency of this project, from an environment variable or the PATH. */
export function findProgram(name: string, variable?: string): string | undefined {
  const given = variable === undefined ? "" : (process.env[variable] ?? "");
  if (given !== "") return given;
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
