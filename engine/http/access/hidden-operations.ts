/**
 * Operations of a capability that the operator has off: they answer as an unknown path does, before the bearer is looked at. The answer
 * names the version of the switches, so that a client notices when they changed.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '#contract/operation.ts';
import { Refused } from '#contract/refused.ts';
import type { Directory, SwitchesReport } from '#reads/reads.ts';
import type { Admission, Admit } from './admission.ts';

type SwitchDirectory = Pick<Directory, 'switches'>;

/** The admission of operations that may be hidden. A hidden request counts by its network, as one for an unknown path. */
export function hidingAdmission(
  admission: Pick<Admission, 'to' | 'chargeFor' | 'countAnonymous' | 'ledgerSteps'>,
  directory: SwitchDirectory,
): Pick<Admission, 'to' | 'chargeFor' | 'ledgerSteps'> {
  return {
    ledgerSteps: (request, reply) => admission.ledgerSteps(request, reply),
    chargeFor: (operation) => admission.chargeFor(operation),
    to: (operation): Admit => {
      const admit = admission.to(operation);
      if (operation.hiddenWithout === undefined) return admit;
      return (request: FastifyRequest, reply: FastifyReply) => {
        if (!isHidden(operation, directory)) return admit(request, reply);
        const switches = directory.switches();
        const counted = admission.countAnonymous(request, reply);
        if (counted === undefined) throw hidden(switches);
        return counted.then(() => {
          throw hidden(switches);
        });
      };
    },
  };
}

export function isHidden({ hiddenWithout }: Operation, directory: SwitchDirectory): boolean {
  return hiddenWithout !== undefined && directory.switches().capabilities[hiddenWithout] !== true;
}

export function hidden(switches: SwitchesReport): Refused {
  return new Refused('path_not_found', undefined, { headers: policyHeaders(switches) });
}

/** Of a success and of a hidden operation. */
export function policyHeaders({ policySequence }: SwitchesReport): Readonly<Record<string, string>> {
  return { 'x-venue-runtime-policy-version': String(policySequence) };
}
