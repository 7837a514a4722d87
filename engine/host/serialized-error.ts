/** An error as it is sent to another thread: the properties that survive. */

export interface SerializedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: unknown;
  /** SQLite's error code. */
  readonly errcode: unknown;
  /** The system call. */
  readonly syscall?: string;
}

export function serializeError(error: unknown): SerializedError {
  if (!(error instanceof Error))
    return { name: 'Error', message: String(error), stack: undefined, code: undefined, errcode: undefined };
  const { name, message, stack, code, errcode, syscall } = error as Error & Partial<SerializedError>;
  return { name, message, stack, code, errcode, ...(syscall !== undefined && { syscall }) };
}

export function deserializeError({ message, ...rest }: SerializedError): Error {
  return Object.assign(new Error(message), rest);
}
