/** What may be logged of an error: its text and those of its causes. Its other properties may contain anything, such as a request. */
import { withoutSecrets } from './secrets.ts';

/** As fields of a JSON line. */
export function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name, message, stack, cause } = error;
  return { type: name, message, stack, ...(cause === undefined ? {} : { cause: errorFields(cause) }) };
}

/** As lines for people, without secrets. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return withoutSecrets(String(error));
  const { stack, message, cause } = error;
  const text = withoutSecrets(stack ?? message);
  return cause === undefined ? text : `${text}\ncaused by ${errorText(cause)}`;
}
