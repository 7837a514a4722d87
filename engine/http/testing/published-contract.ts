/** Validates responses against the OpenAPI document, as a client does that knows nothing else. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '#contract/openapi.ts';
import type { Operation } from '#contract/operation.ts';
import type { VenueResponse } from './venue-under-test.ts';

export interface PublishedContract {
  /** What is wrong with a response; `undefined` if it is as published. */
  faultOf(operation: Operation, response: VenueResponse): string | undefined;
}

export function publishedContract(): PublishedContract {
  // biome-ignore lint/suspicious/noExplicitAny: the document is read as plain JSON
  const document: any = JSON.parse(JSON.stringify(openApiDocument()));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document');
  const validators = new Map<string, ValidateFunction>();
  const validatorAt = (pointer: string): ValidateFunction => {
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `document#${pointer}` });
    validators.set(pointer, known);
    return known;
  };

  /** The JSON pointer of the response for a status. */
  const placeOf = ({ method, path }: Operation, status: number): string => {
    const place = `/paths/${escaped(path)}/${method.toLowerCase()}/responses/${status}`;
    const { $ref } = document.paths[path][method.toLowerCase()].responses[status];
    return $ref === undefined ? place : $ref.slice(1);
  };

  return {
    faultOf(operation, { status, headers, body }) {
      const { responses } = document.paths[operation.path][operation.method.toLowerCase()];
      if (responses[status] === undefined) return `${operation.id} publishes no response with ${status}`;
      const place = placeOf(operation, status);
      const response = at(document, place);
      for (const name of Object.keys(document.components.headers)) {
        if (headers.has(name) && response.headers[name] === undefined)
          return `${operation.id} publishes no ${name} with ${status}`;
      }
      if (response.content === undefined)
        return body === undefined ? undefined : `${operation.id} publishes no body with ${status}`;
      const validate = validatorAt(`${place}/content/application~1json/schema`);
      return validate(body) ? undefined : `${operation.id} ${status}: ${ajv.errorsText(validate.errors)}`;
    },
  };
}

function escaped(key: string): string {
  return encodeURI(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function at(document: any, pointer: string): any {
  const keys = pointer.split('/').slice(1);
  return keys.reduce((inner, key) => inner[decodeURI(key).replaceAll('~1', '/').replaceAll('~0', '~')], document);
}
