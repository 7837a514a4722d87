/**
 * What a frame of the log contains: the receipt of one command that was pending, and commands that were submitted. Reading a log
 * applies the rules again and compares each receipt with the stored one.
 */
import type { LedgerCommand } from '#settlement/port/command.ts';
import { checkedCommand } from '#settlement/port/command-form.ts';
import type { Receipt } from '#settlement/port/receipt.ts';
import { LedgerDamaged, type StoredFrame } from './ledger-log.ts';
import { plan } from './ledger-rules.ts';
import { LedgerState } from './ledger-state.ts';

const FORMAT = 'openperp-ledger-1';

interface FirstBody {
  readonly format: string;
  readonly ledgerId: string;
}

interface Body {
  readonly sequenced: Receipt | null;
  readonly submitted: readonly LedgerCommand[];
}

export function firstBody(ledgerId: string): Buffer {
  return encode({ format: FORMAT, ledgerId } satisfies FirstBody);
}

export function frameBody(sequenced: Receipt | null, submitted: readonly LedgerCommand[]): Buffer {
  return encode({ sequenced, submitted } satisfies Body);
}

/** The state that the log results in. Throws {@link LedgerDamaged}. */
export function restore([first, ...later]: readonly StoredFrame[]): LedgerState {
  const { format, ledgerId } = decode(first!) as FirstBody;
  if (format !== FORMAT) throw new LedgerDamaged(0, `its format is ${format}, and this program reads ${FORMAT}`);
  const state = new LedgerState(ledgerId);
  for (const frame of later) applyFrame(state, frame);
  return state;
}

function applyFrame(state: LedgerState, frame: StoredFrame): void {
  const { sequenced, submitted } = decode(frame) as Body;
  if (sequenced !== null) {
    const command = state.pending.get(sequenced.commandId);
    const outcome = command === undefined ? undefined : plan(state, command, sequenced.sequencedAtEpochMs);
    if (command === undefined || JSON.stringify(outcome?.receipt) !== JSON.stringify(sequenced))
      throw new LedgerDamaged(frame.offset, `the receipt of ${sequenced.commandId} does not follow from the commands before it`);
    state.commit(command, outcome!);
  }
  for (const command of submitted) state.store(checkedCommand(command));
}

function encode(body: FirstBody | Body): Buffer {
  return Buffer.from(JSON.stringify(body));
}

function decode({ body, offset }: StoredFrame): unknown {
  try {
    return JSON.parse(body.toString());
  } catch (cause) {
    throw Object.assign(new LedgerDamaged(offset, 'the frame is not JSON'), { cause });
  }
}
