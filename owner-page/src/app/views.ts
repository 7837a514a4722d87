/** The views of a signed-in owner, by the hash of the address. */

/** The navigation shows those that are `within` no other one. Views `ofAgents` exist where the venue admits agents. */
export const VIEWS = [
  { id: 'setup', name: 'Set up' },
  { id: 'funds', name: 'Funds' },
  { id: 'strategies', name: 'Strategies', isOfAgents: true },
  { id: 'draft', name: 'Draft', isOfAgents: true, within: 'strategies' },
  { id: 'agents', name: 'Agents', isOfAgents: true },
  { id: 'deployment', name: 'Deployment', isOfAgents: true, within: 'agents' },
  { id: 'connect', name: 'Programs' },
  { id: 'passkeys', name: 'Passkeys' },
] as const satisfies readonly {
  readonly id: string;
  readonly name: string;
  readonly isOfAgents?: true;
  /** The view that lists what this one shows. */
  readonly within?: string;
}[];
export type ViewId = (typeof VIEWS)[number]['id'];

/** The view that an address such as `#connect=WDJB-MJHT` names. */
export function viewOfHash(hash: string): ViewId | undefined {
  const name = hash.replace(/^#/, '').split('=')[0];
  return VIEWS.find(({ id }) => id === name)?.id;
}

/** What the view shows, such as `12` of `#deployment=12`; empty without one. */
export function subjectOfHash(hash: string): string {
  return hash.split('=')[1] ?? '';
}

export function nameOfView(view: ViewId): string {
  return viewNamed(view).name;
}

export function isOfAgents(view: ViewId): boolean {
  return 'isOfAgents' in viewNamed(view);
}

/** The view of the navigation that is current. */
export function listOf(view: ViewId): ViewId {
  const named = viewNamed(view);
  return 'within' in named ? named.within : view;
}

function viewNamed(view: ViewId) {
  return VIEWS.find(({ id }) => id === view)!;
}
