/** Moves responses that several operations share to the components, so that the document stays readable. */
import { type Json, reference } from './openapi-schemas.ts';

type Responses = Readonly<Record<string, Json>>;

interface SharedResponses {
  /** By the only code of each response. */
  readonly responses: Json;
  readonly responsesOfEach: readonly Json[];
}

export function shareResponses(each: readonly Responses[]): SharedResponses {
  const all = each.flatMap((responses) => Object.values(responses));
  const alike = Map.groupBy(all, (response) => JSON.stringify(response));
  const responses: Json = {};
  for (const [text, [response, ...others]] of alike) {
    const code = response === undefined ? undefined : singleCodeOf(response);
    // The same code may have other headers in another operation: only one variant is shared.
    if (code !== undefined && others.length > 0 && responses[code] === undefined) responses[code] = JSON.parse(text);
  }
  const shared = (response: Json): Json => {
    const code = singleCodeOf(response);
    const isShared = code !== undefined && JSON.stringify(responses[code]) === JSON.stringify(response);
    return isShared ? { $ref: reference('responses', code) } : response;
  };
  const responsesOfEach = each.map((it) => Object.fromEntries(Object.entries(it).map(([status, one]) => [status, shared(one)])));
  return { responses, responsesOfEach };
}

function singleCodeOf({ content }: Json): string | undefined {
  const { examples } = (content as { 'application/json'?: Json } | undefined)?.['application/json'] ?? {};
  const [code, ...others] = Object.keys((examples as object | undefined) ?? {});
  return others.length === 0 ? code : undefined;
}
