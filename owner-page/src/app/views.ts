/** The views of a signed-in owner, by the hash of the address. */

export const VIEWS = [
  { id: 'setup', name: 'Set up' },
  { id: 'funds', name: 'Funds' },
  { id: 'connect', name: 'Programs' },
  { id: 'passkeys', name: 'Passkeys' },
] as const;
export type ViewId = (typeof VIEWS)[number]['id'];

/** The view that an address such as `#connect=WDJB-MJHT` names. */
export function viewOfHash(hash: string): ViewId | undefined {
  const name = hash.replace(/^#/, '').split('=')[0];
  return VIEWS.find(({ id }) => id === name)?.id;
}

export function nameOfView(view: ViewId): string {
  return VIEWS.find(({ id }) => id === view)!.name;
}
