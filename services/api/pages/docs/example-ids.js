/**
 * The examples of the API document have ids of events, announcements and keys that do not exist in this installation. This
 * class replaces such an id in a request by the id that was last created in this tab, so that the examples work one after
 * the other.
 */
export class ExampleIds {
  /** Path of an operation → id in the example of its response. */
  #exampleOf = new Map();
  /** Id in an example → id in this installation. */
  #actual = new Map();

  /** `paths` is the `paths` object of the API document. */
  constructor(paths) {
    for (const [path, { post }] of Object.entries(paths)) {
      const id = post?.responses[200].content["application/json"].example?.id;
      if (typeof id === "string") this.#exampleOf.set(path, id);
    }
  }

  /** Stores the id of a response with status 200. */
  learn(path, response) {
    const example = this.#exampleOf.get(path);
    if (example !== undefined && typeof response?.id === "string") this.#actual.set(example, response.id);
  }

  /** The request body with the ids of the examples replaced by stored ones. */
  replaceIn(body) {
    let text = body;
    for (const [example, id] of this.#actual) text = text.replaceAll(example, id);
    return text;
  }
}
