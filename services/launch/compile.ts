import { SERVICES } from "../contracts/service-names.ts";
import "./main.ts";

// Imports the code of every process, so that Node keeps it compiled. The Dockerfile runs this once, after compile-cache.js.
for (const name of SERVICES) await import(`../${name}/${name}.service.ts`);
