/** @typedef {Node | string | number | null | undefined | false} Child */

/** Properties that an attribute would only set at the beginning. */
const PROPERTIES = new Set(["value", "checked", "disabled", "selected", "indeterminate"]);

/**
 * Creates an element. Texts become text nodes: nothing is parsed as HTML. A member that begins with `on` is a listener, and
 * `style` has CSS properties, which are set without a style attribute (the Content-Security-Policy refuses those).
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Child | readonly Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  const shown = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  node.append(...shown.map((child) => (child instanceof Node ? child : String(child))));
  // After the children: the value of a select needs its options.
  for (const [name, value] of Object.entries(attributes)) setMember(node, name, value);
  return node;
}

/**
 * @param {HTMLElement} node
 * @param {string} name
 * @param {unknown} value
 */
function setMember(node, name, value) {
  if (value === undefined || value === null) return;
  if (name === "style") {
    const properties = /** @type {Readonly<Record<string, string | number>>} */ (value);
    for (const [property, text] of Object.entries(properties)) node.style.setProperty(property, String(text));
  } else if (name.startsWith("on")) {
    node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
  } else if (PROPERTIES.has(name)) {
    Reflect.set(node, name, value);
  } else if (typeof value === "string" || typeof value === "number") {
    node.setAttribute(name, String(value));
  } else if (value === true) {
    node.setAttribute(name, "");
  }
}

/**
 * Replaces the children, and keeps the focus on the element with the same `data-key`, and the scroll positions of elements with a
 * `data-scroll`. One that was not shown before begins at its `data-scroll-start`.
 * @param {Element} parent
 * @param {...Child} children
 */
export function replaceContent(parent, ...children) {
  const focused = document.activeElement;
  const key = parent.contains(focused) ? focused?.getAttribute("data-key") : undefined;
  const scrolled = new Map(
    [...parent.querySelectorAll("[data-scroll]")].map((node) => [node.getAttribute("data-scroll"), node.scrollTop]),
  );
  parent.replaceChildren(
    ...children.filter((child) => child !== null && child !== undefined && child !== false).map(asNode),
  );
  for (const node of parent.querySelectorAll("[data-scroll]")) {
    node.scrollTop = scrolled.get(node.getAttribute("data-scroll")) ?? Number(node.getAttribute("data-scroll-start"));
  }
  if (key !== undefined && key !== null) focusKey(parent, key);
}

/** @param {Exclude<Child, null | undefined | false>} child */
const asNode = (child) => (child instanceof Node ? child : document.createTextNode(String(child)));

/**
 * Focuses the element with this `data-key`; whether there is one.
 * @param {Element} parent
 * @param {string} key
 */
export function focusKey(parent, key) {
  const node = parent.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (node instanceof HTMLElement) node.focus({ preventScroll: true });
  return node !== null;
}
