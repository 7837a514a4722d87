/** The schemas of frames as components of the AsyncAPI document, in JSON Schema draft 7. */
import * as z from 'zod';
import type { Json } from './openapi-schemas.ts';

export class AsyncApiSchemas {
  readonly components: Record<string, Json> = {};

  /** Returns the message for a frame. Adds the frame's schema and its parts to the components. */
  message(name: string, frame: z.ZodType): Json {
    const { definitions, properties } = z.toJSONSchema(z.strictObject({ it: frame }), { target: 'draft-7' }) as unknown as {
      readonly definitions?: Record<string, Json>;
      readonly properties: { readonly it: Json };
    };
    for (const [id, schema] of Object.entries(definitions ?? {})) this.#add(id, schema);
    // A frame with its own id is among the definitions.
    if (properties.it.$ref === undefined) this.#add(name, properties.it);
    const { description, 'x-openperp-ours': isOurs } = frame.meta() ?? {};
    return {
      name,
      ...(description !== undefined && { summary: description }),
      ...(isOurs === true && { 'x-openperp-ours': true }),
      payload: { $ref: `#/components/schemas/${name}` },
    };
  }

  /** Drops `id`: draft 4 had it as a keyword, draft 7 does not, and some readers reject it. */
  #add(id: string, { id: _, ...schema }: Json): void {
    const component = JSON.parse(JSON.stringify(schema).replaceAll('"#/definitions/', '"#/components/schemas/')) as Json;
    const known = this.components[id];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component))
      throw new Error(`two different schemas have the id ${id}: give one of them another id`);
    this.components[id] = component;
  }
}
