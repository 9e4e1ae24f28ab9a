import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openapiText } from "./openapi-document.ts";
import { ROUTES } from "../route-table.ts";

/** `npm run openapi`: writes the committed API document from the route table. */
await writeFile(join(import.meta.dirname, "openapi.json"), openapiText(ROUTES));
