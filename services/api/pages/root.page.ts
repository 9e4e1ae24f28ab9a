import { jsonAnswer } from "../http/http-response.ts";
import type { Page } from "./page.ts";

const LINKS = { docs: "/docs", openapi: "/openapi.json", live: "/health/live", ready: "/health/ready" };

/**
 * Leads a browser to the docs page, and tells any other client where to look. The location is relative, so that it holds
 * under a proxy's prefix as well.
 */
export function rootPage(): Page {
  const answer = jsonAnswer(302, { message: "See the docs page", ...LINKS }, { location: "docs" });
  return { path: "/", answer: () => answer };
}
