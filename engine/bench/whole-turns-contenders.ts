/** Creates the contenders of the whole-turns comparison by name. */
import { VENUE } from './book-contenders.ts';
import type { Assignment, Contender } from './contender.ts';
import { inSmall, TURNS_PROFILE } from './flow-profile.ts';
import { orderFlow } from './order-flow.ts';
import { PeerContender } from './peer-contender.ts';
import { TurnContender } from './turn-contender.ts';

export const BARE_PEER = 'nodejs-order-book';

export function turnContender({ contender, options }: Assignment): Contender {
  const flow = orderFlow(options.isQuick ? inSmall(TURNS_PROFILE) : TURNS_PROFILE, options.seed);
  return contender === VENUE ? new TurnContender(flow) : new PeerContender(BARE_PEER, 'digits', flow);
}
