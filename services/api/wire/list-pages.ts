import { type Page, type PageParams, pageRules } from "../../contracts/pages.ts";
import type { RequestMapping } from "../route.ts";
import { asInteger, field, type RequestFields } from "./request-fields.ts";
import { amountIn, listIn, optional, type ResponseField, responseFields, shown, STRING } from "./response-fields.ts";

/** The fields of a request for a page (D49). */
export const pageFields: RequestFields<PageParams> = { limit: field("limit", asInteger), cursor: field("cursor") };

/** The cursor of the next page in a response. */
export const nextPageFields = responseFields<Pick<Page<unknown>, "next">>({ next: optional(shown("next", STRING)) });

/** The number of entries of a page. */
export const pageAmount = amountIn(({ entries }: Page<unknown>) => entries);

/** The fields of a response that is a page. */
export function pageResponseFields<Entry>(
  wire: string,
  fields: readonly ResponseField<Entry>[],
  title: string,
): readonly ResponseField<Page<Entry>>[] {
  return [listIn(wire, fields, title, ({ entries }) => entries), ...nextPageFields];
}

/** The mapping of a request for a list, for its pages: the further params are the same in both. */
export function pagedRequest<Fields, Params>({
  shape,
  toParams,
  wireNames,
}: RequestMapping<Fields, Params>): RequestMapping<Fields & PageParams, Params & PageParams> {
  const { params, ...checks } = shape;
  return {
    shape: { ...checks, params: { ...params, ...pageRules } },
    toParams: ({ limit, cursor, ...fields }) => ({
      ...toParams(fields as unknown as Fields),
      ...(limit === undefined ? {} : { limit }),
      ...(cursor === undefined ? {} : { cursor }),
    }),
    wireNames,
  };
}
