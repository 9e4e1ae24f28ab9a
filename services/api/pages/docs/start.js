import { ExampleIds } from "./example-ids.js";

/** JavaScript's numbers round a guild's id (D7): this page shows such integers as strings, with every digit. */
const exactly = (text) =>
  JSON.parse(text, (_key, value, { source } = {}) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) && source !== undefined ? source : value,
  );

/** Kept in the tab alone, until it is closed. */
const STORED_KEY = "guildcal-api-key";

/** Stores the key that is entered, and forgets it at a logout. */
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

const spec = exactly(await (await fetch("openapi.json")).text());
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
  responseInterceptor(answer) {
    if (!answer.headers["content-type"]?.startsWith("application/json")) return answer;
    const body = exactly(answer.text);
    answer.text = JSON.stringify(body);
    if (answer.status === 200) ids.learn(new URL(answer.url, location.href).pathname.slice(base.length), body);
    return answer;
  },
  onComplete() {
    const key = sessionStorage.getItem(STORED_KEY);
    if (key !== null) ui.preauthorizeApiKey("key", key);
  },
});
