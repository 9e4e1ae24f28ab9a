import { element } from "../element.js";

/** @import { Child } from "../element.js" */

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Input */

let fields = 0;

/**
 * A label with its input, a hint, and a place for the problem that the service reports for the field.
 * @param {string} label
 * @param {Input} input
 * @param {{ hint?: string, name?: string }} [options] `name` is the field's name in the API.
 */
export function field(label, input, { hint, name = input.name } = {}) {
  fields += 1;
  const id = `field-${fields}`;
  input.id = id;
  const described = [hint === undefined ? "" : `${id}-hint`, `${id}-problem`].filter((each) => each !== "");
  input.setAttribute("aria-describedby", described.join(" "));
  const text = element("label", { for: id }, label);
  return element(
    "div",
    { class: isCheckbox(input) ? "field check" : "field", "data-field": name },
    ...(isCheckbox(input) ? [input, text] : [text, input]),
    hint === undefined ? null : element("small", { id: `${id}-hint` }, hint),
    element("small", { id: `${id}-problem`, class: "problem" }),
  );
}

/**
 * @param {string} name
 * @param {Record<string, unknown>} [attributes]
 */
export const textInput = (name, attributes = {}) =>
  element("input", { type: "text", autocomplete: "off", name, ...attributes });

/**
 * @param {string} name
 * @param {boolean} checked
 * @param {Record<string, unknown>} [attributes]
 */
export const checkbox = (name, checked, attributes = {}) =>
  element("input", { type: "checkbox", name, checked, ...attributes });

/**
 * @param {string} name
 * @param {string} value
 * @param {readonly { value: string, label: string }[]} choices
 * @param {Record<string, unknown>} [attributes]
 */
export const select = (name, value, choices, attributes = {}) =>
  element(
    "select",
    { name, ...attributes, value },
    choices.map((choice) => element("option", { value: choice.value }, choice.label)),
  );

/**
 * @param {string} legend
 * @param {...Child} children
 */
export const fieldset = (legend, ...children) => element("fieldset", {}, element("legend", {}, legend), ...children);

/**
 * Sets each input to the value of its name.
 * @param {Readonly<Record<string, Input>>} inputs
 * @param {object} values
 */
export function fillInputs(inputs, values) {
  for (const [name, value] of Object.entries(values)) {
    const input = inputs[name];
    if (isCheckbox(input)) input.checked = value === true;
    else if (input !== undefined) input.value = String(value);
  }
}

/**
 * The values of the inputs by their names.
 * @param {Readonly<Record<string, Input>>} inputs
 * @returns {unknown}
 */
export const readInputs = (inputs) =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [name, isCheckbox(input) ? input.checked : input.value]),
  );

/**
 * @param {Input | undefined} input
 * @returns {input is HTMLInputElement}
 */
const isCheckbox = (input) => input instanceof HTMLInputElement && input.type === "checkbox";

/**
 * Shows the problems that the service reports beside their fields; returns those of fields that the form does not have. The first
 * input with a problem gets the focus.
 * @param {HTMLElement} form
 * @param {readonly { field: string, message: string }[]} problems
 */
export function showProblems(form, problems) {
  for (const box of form.querySelectorAll("[data-field]")) {
    box.querySelector(".problem")?.replaceChildren();
    box.querySelector("input, select, textarea")?.removeAttribute("aria-invalid");
  }
  const others = problems.filter(({ field: name, message }) => {
    const box =
      form.querySelector(`[data-field="${CSS.escape(name)}"]`) ??
      form.querySelector(`[data-field="${CSS.escape(name.split(/[.[]/)[0] ?? name)}"]`);
    // A field that the form hides has its problem among the others.
    if (box === null || box.closest("[hidden]") !== null) return true;
    box.querySelector(".problem")?.append(`${name}: ${message}`);
    box.querySelector("input, select, textarea")?.setAttribute("aria-invalid", "true");
    return false;
  });
  const first = form.querySelector('[aria-invalid="true"]');
  if (first instanceof HTMLElement) first.focus();
  return others;
}
