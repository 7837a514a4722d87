/** Moves what stands in the place of a file, and cannot be used, to a free name beside it. It is never deleted: only its owner knows whether it matters. */
import { existsSync, renameSync } from 'node:fs';
import { basename } from 'node:path';

/** Returns the free name. */
export function setAside(path: string): string {
  let number = 1;
  while (existsSync(`${path}.aside-${number}`)) number += 1;
  const aside = `${path}.aside-${number}`;
  renameSync(path, aside);
  return basename(aside);
}
