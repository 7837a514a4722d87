/**
 * The environment of a venue: what a start creates in it. Binds a new journal to the configured environment, and refuses to start a
 * journal in another one.
 */
import type { Ledger } from '#host/ledger.ts';
import { StartFault } from '#host/start-fault.ts';
import type { Environment } from '#venue/command.ts';

/** Where a start creates money and traders for tests: the demo account, the built-in market makers, and an insurance fund. */
const HAS_TEST_FUNDS: Readonly<Record<Environment, boolean>> = { local: true, development: true, testnet: false, mainnet: false };

/** Where accounts hold money of value. Generated and replayed prices would decide about it, so there are none. */
export function hasRealFunds(environment: Environment): boolean {
  return environment === 'mainnet';
}

export function hasTestFunds(environment: Environment): boolean {
  return HAS_TEST_FUNDS[environment];
}

/**
 * Submits nothing but the binding of a journal without records. A process that dies before it leaves such a journal behind, and the
 * next start binds it. A journal that an earlier program made is not bound and counts as `development`.
 */
export async function bindEnvironment(
  { writer, submit, projection: { directory } }: Pick<Ledger, 'writer' | 'submit' | 'projection'>,
  environment: Environment,
): Promise<void> {
  if (writer.status().sequence === 0) {
    const { events } = await submit({ command: { type: 'BindEnvironment', environment } });
    if (events[0]?.type !== 'EnvironmentBound') throw new Error(`the venue did not bind a new journal to ${environment}`);
    return;
  }
  const bound = directory.switches().environment;
  if (bound !== environment)
    throw new StartFault(
      `the data directory belongs to the environment ${bound}, not ${environment}: start it with --environment ${bound}, or give ` +
        'another --data-dir',
    );
}
