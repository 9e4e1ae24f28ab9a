/**
 * The template of a form's values (D61); null for none.
 * @param {{ title: string, body: string, templateFields: string }} values `templateFields` is the list of fields as JSON; empty for the
 *   usual fields.
 */
export function templateValue({ title, body, templateFields }) {
  if (title === "" && body === "" && templateFields === "") return null;
  return {
    ...(title === "" ? {} : { title }),
    ...(body === "" ? {} : { body }),
    ...(templateFields === "" ? {} : { fields: /** @type {unknown} */ (JSON.parse(templateFields)) }),
  };
}

/** @typedef {{ readonly title?: string, readonly body?: string, readonly fields?: unknown }} Template */

/**
 * The settings with the texts of their template as fields of a form.
 * @param {Readonly<Record<string, unknown>>} settings
 */
export function templateTexts({ template }) {
  const { title = "", body = "" } = /** @type {Template} */ (template ?? {});
  return { template_title: title, template_body: body };
}

/**
 * The fields of an update. A changed text of the template makes a new template with its other text and its list of fields.
 * @param {Readonly<Record<string, unknown>>} changes
 * @param {Readonly<Record<string, unknown>>} stored The settings as they are.
 * @returns {Record<string, unknown>}
 */
export function withTemplate({ template_title, template_body, ...changes }, stored) {
  if (template_title === undefined && template_body === undefined) return changes;
  const texts = templateTexts(stored);
  const { title = texts.template_title, body = texts.template_body } = /** @type {Template} */ ({
    title: template_title,
    body: template_body,
  });
  const { fields } = /** @type {Template} */ (stored["template"] ?? {});
  const template = templateValue({
    title,
    body,
    templateFields: fields === undefined ? "" : JSON.stringify(fields),
  });
  return { ...changes, template };
}
