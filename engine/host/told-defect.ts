/** An error as it is sent to another thread: the properties that survive. */

export interface ToldDefect {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: unknown;
  /** SQLite's error code. */
  readonly errcode: unknown;
  /** The system call. */
  readonly syscall?: string;
}

export function told(defect: unknown): ToldDefect {
  if (!(defect instanceof Error))
    return { name: 'Error', message: String(defect), stack: undefined, code: undefined, errcode: undefined };
  const { name, message, stack, code, errcode, syscall } = defect as Error & Partial<ToldDefect>;
  return { name, message, stack, code, errcode, ...(syscall !== undefined && { syscall }) };
}

export function defectOf({ message, ...rest }: ToldDefect): Error {
  return Object.assign(new Error(message), rest);
}
