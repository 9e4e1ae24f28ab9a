/**
 * The examples of the API document name events, announcements and keys that do not exist in this installation. This
 * class replaces such an id in a request by the id of what was created last in this tab, so that the examples work one
 * after the other.
 */
export class ExampleIds {
  /** From an operation's path to the id in the example of its response. */
  #exampleOf = new Map();
  /** From an example's id to the one that stands for it. */
  #actual = new Map();

  /** `paths` is the `paths` object of the API document. */
  constructor(paths) {
    for (const [path, { post }] of Object.entries(paths)) {
      const id = post?.responses[200].content["application/json"].example?.id;
      if (typeof id === "string") this.#exampleOf.set(path, id);
    }
  }

  /** Remembers the id in the response of a request that was answered with 200. */
  learn(path, response) {
    const example = this.#exampleOf.get(path);
    if (example !== undefined && typeof response?.id === "string") this.#actual.set(example, response.id);
  }

  /** The request's body with the ids that are known in place of the examples'. */
  replaceIn(body) {
    let text = body;
    for (const [example, id] of this.#actual) text = text.replaceAll(example, id);
    return text;
  }
}
