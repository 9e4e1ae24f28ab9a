import type { Color, EventTexts } from "../../../contracts/calendar-events.contract.ts";
import type { ChangeReason } from "../../../contracts/event-import.contract.ts";
import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import { nearestColor } from "./color-names.ts";
import { type Property, unescapeText } from "./property.ts";

/** The texts and the colour of a VEVENT, within the limits of D21. */
export interface ImportedTexts {
  readonly texts: EventTexts;
  readonly color: Color | undefined;
  readonly changes: readonly ChangeReason[];
}

/** The limits of `TEXT_RULES` in calendar-events.contract.ts. */
const [MAX_NAME, MAX_DESCRIPTION, MAX_LOCATION, MAX_IMAGE] = [256, 4_000, 256, 2_048];

export function readTexts(properties: readonly Property[]): ImportedTexts {
  const [name, description, location] = (["SUMMARY", "DESCRIPTION", "LOCATION"] as const).map((property) =>
    textOf(properties, property),
  );
  const whole = { name, description: withUrl(description, properties), location };
  const cut = {
    name: firstCharacters(whole.name, MAX_NAME),
    description: firstCharacters(whole.description, MAX_DESCRIPTION),
    location: firstCharacters(whole.location, MAX_LOCATION),
  };
  const { image, isDropped } = imageOf(properties);
  const given = properties.find((each) => each.name === "COLOR")?.value;
  const nearest = given === undefined ? undefined : nearestColor(given);
  const isCut = (["name", "description", "location"] as const).some((text) => cut[text] !== whole[text]);
  return {
    texts: definedFields({ ...cut, image }),
    color: nearest?.color,
    changes: [
      ...(isCut ? (["TEXT_CUT"] as const) : []),
      ...(isDropped ? (["IMAGE_DROPPED"] as const) : []),
      ...(given !== undefined && nearest?.isExact !== true ? (["COLOR_NEAREST"] as const) : []),
    ],
  };
}

function textOf(properties: readonly Property[], name: string): string | undefined {
  const property = properties.find((each) => each.name === name);
  return property === undefined ? undefined : unescapeText(property.value).toWellFormed();
}

/** URL becomes the last line of the description, if it is not a part of it. */
function withUrl(description: string | undefined, properties: readonly Property[]): string | undefined {
  const url = properties
    .find((each) => each.name === "URL")
    ?.value.trim()
    .toWellFormed();
  if (url === undefined || url === "" || description?.includes(url) === true) return description;
  return description === undefined || description === "" ? url : `${description}\n\n${url}`;
}

/** The first characters of a text; a surrogate pair is one. */
function firstCharacters(text: string | undefined, max: number): string | undefined {
  if (text === undefined || text.length <= max) return text;
  const characters = Array.from(text.slice(0, 2 * max + 1));
  return characters.length <= max ? text : characters.slice(0, max).join("");
}

const HTTP = /^https?:\/\/[^\s\x00-\x1f\x7f-\x9f/?#\\][^\s\x00-\x1f\x7f-\x9f]*$/iu;
const IMAGE_FILE = /\.(?:png|jpe?g|gif|webp)(?:[?#]|$)/i;

/** IMAGE (RFC 7986, section 5.10), or an ATTACH that is an image by its type or its name. */
function imageOf(properties: readonly Property[]): { readonly image?: string; readonly isDropped: boolean } {
  const images = properties.filter(
    ({ name, params, value }) =>
      name === "IMAGE" ||
      (name === "ATTACH" && (/^image\//i.test(params.get("FMTTYPE") ?? "") || IMAGE_FILE.test(value))),
  );
  const image = images.map(({ value }) => value.trim()).find(isImageUrl);
  return image === undefined ? { isDropped: images.length > 0 } : { image, isDropped: false };
}

function isImageUrl(value: string): boolean {
  return value.length <= MAX_IMAGE && HTTP.test(value) && URL.canParse(value);
}
