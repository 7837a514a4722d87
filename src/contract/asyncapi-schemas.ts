/** The schemas of frames as components of the AsyncAPI document, whose schemas are of JSON Schema draft 7. */
import * as z from 'zod';
import type { Json } from './openapi-schemas.ts';

export class AsyncApiSchemas {
  readonly components: Record<string, Json> = {};

  /** The message that a frame is; its schema and those that it is made of become components. */
  message(name: string, frame: z.ZodType): Json {
    const { definitions, properties } = z.toJSONSchema(z.strictObject({ it: frame }), { target: 'draft-7' }) as unknown as {
      readonly definitions?: Record<string, Json>;
      readonly properties: { readonly it: Json };
    };
    for (const [id, schema] of Object.entries(definitions ?? {})) this.#add(id, schema);
    // A frame that has an id of its own is among the definitions.
    if (properties.it.$ref === undefined) this.#add(name, properties.it);
    const { description, 'x-openperp-ours': isOurs } = frame.meta() ?? {};
    return {
      name,
      ...(description !== undefined && { summary: description }),
      ...(isOurs === true && { 'x-openperp-ours': true }),
      payload: { $ref: `#/components/schemas/${name}` },
    };
  }

  /** By its name alone: what draft 4 called `id` is no keyword any more, and some readers stumble over it. */
  #add(id: string, { id: _, ...schema }: Json): void {
    const component = JSON.parse(JSON.stringify(schema).replaceAll('"#/definitions/', '"#/components/schemas/')) as Json;
    const known = this.components[id];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component))
      throw new Error(`the schema ${id} means two things`);
    this.components[id] = component;
  }
}
