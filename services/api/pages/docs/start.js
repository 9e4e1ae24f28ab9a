import { ExampleIds } from "./example-ids.js";

/** Parses large integers to strings: JavaScript's numbers would round guild ids (D7). */
const parseExact = (text) =>
  JSON.parse(text, (_key, value, { source } = {}) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) && source !== undefined ? source : value,
  );

/** Item of the session storage, which lasts until the tab is closed. */
const STORED_KEY = "guildcal-api-key";

/** A plugin of Swagger UI that stores the API key, and removes it at a logout. */
const rememberKey = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize) => (payload) => {
          const { value } = payload.key ?? payload.bearer ?? {};
          if (typeof value === "string") sessionStorage.setItem(STORED_KEY, value);
          return authorize(payload);
        },
        logout: (logout) => (names) => {
          sessionStorage.removeItem(STORED_KEY);
          return logout(names);
        },
      },
    },
  },
});

const spec = parseExact(await (await fetch("openapi.json")).text());
const ids = new ExampleIds(spec.paths);
const base = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

const ui = SwaggerUIBundle({
  spec,
  dom_id: "#docs",
  validatorUrl: null,
  tryItOutEnabled: true,
  plugins: [rememberKey],
  requestInterceptor(request) {
    if (typeof request.body === "string") request.body = ids.replaceIn(request.body);
    return request;
  },
  responseInterceptor(response) {
    if (!response.headers["content-type"]?.startsWith("application/json")) return response;
    const body = parseExact(response.text);
    response.text = JSON.stringify(body);
    if (response.status === 200) ids.learn(new URL(response.url, location.href).pathname.slice(base.length), body);
    return response;
  },
  onComplete() {
    const key = sessionStorage.getItem(STORED_KEY);
    if (key !== null) ui.preauthorizeApiKey("key", key);
  },
});
