import { jsonResponse } from "../http/http-response.ts";
import type { Page } from "./page.ts";

const LINKS = {
  docs: "/docs",
  console: "/console",
  openapi: "/openapi.json",
  live: "/health/live",
  ready: "/health/ready",
};

/**
 * Redirects browsers to the docs page, and lists the pages for other clients. The location is relative, so that it also works
 * behind a proxy with a path prefix.
 */
export function rootPage(): Page {
  const response = jsonResponse(302, { message: "See the docs page", ...LINKS }, { location: "docs" });
  return { path: "/", respond: () => response };
}
