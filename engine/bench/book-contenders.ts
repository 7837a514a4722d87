/** Creates the contenders of the book comparison by name. */
import type { Assignment, Contender } from './contender.ts';
import { inSmall, PROFILES } from './flow-profile.ts';
import { orderFlow } from './order-flow.ts';
import { ID_FORMS, PEERS, PeerContender } from './peer-contender.ts';
import { VenueContender } from './venue-contender.ts';

export const VENUE = 'venue';

/** A peer's name is followed by the form of its ids. */
export function bookContender({ contender, profile: name, options }: Assignment): Contender {
  const profile = PROFILES.find((candidate) => candidate.name === name)!;
  const flow = orderFlow(options.isQuick ? inSmall(profile) : profile, options.seed);
  if (contender === VENUE) return new VenueContender(flow);
  const [peerName, idForm] = contender.split(': ');
  return new PeerContender(PEERS.find((peer) => peer === peerName)!, ID_FORMS.find((form) => form === idForm)!, flow);
}
