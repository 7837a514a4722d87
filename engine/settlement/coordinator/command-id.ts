/**
 * The ids of ledger commands. An id proves that this venue submitted its command, also to a journal that has lost the item: not
 * even the owner of the item can make it.
 */
import { createHmac, hash, randomBytes } from 'node:crypto';

/**
 * The key of an item: `<nonce>.<secret>`. The nonce starts the ids of its commands, and the secret proves them. It follows from the key
 * of the owner's party; that of a party itself, or of an account without an owner, is random. Keys of earlier versions have no secret.
 */
export function newLedgerKey(partyKey = newNonce()): string {
  return keyOf(newNonce(), partyKey);
}

/**
 * The same for a command that an owner approves before it is durable: it follows from the random id of the challenge, so that the
 * approval covers the command's id. A challenge is used once, and so is the key.
 */
export function ledgerKeyOf(challengeIdentifier: string, partyKey: string): string {
  return keyOf(hash('sha256', `ledger key of ${challengeIdentifier}`, 'hex').slice(0, HEX_LENGTH), partyKey);
}

/** The same id for the same step and attempt, for good. No other item, and no item of another journal, has it. */
export function commandIdOf(ledgerKey: string, step: string, attempt: number): string {
  return idOf(ledgerKey, `${step}-${attempt}`);
}

/** Of the issue that backs a faucet deposit. */
export function issueIdOf(ledgerKey: string): string {
  return idOf(ledgerKey, 'issue');
}

/** Whether this venue made the id, for an item of the owner whose party has the key. */
export function isProvenBy(partyKey: string, commandId: string): boolean {
  return commandId === idOf(keyOf(nonceOf(commandId), partyKey), nameOf(commandId));
}

/** The nonce of the item that the id belongs to, or claims to. */
export function nonceOf(commandId: string): string {
  return commandId.split('-', 1)[0]!;
}

export function nonceOfKey(ledgerKey: string): string {
  return ledgerKey.split('.', 1)[0]!;
}

/** Whether the key has no secret, so that the ids of its commands prove nothing. */
export function isWithoutSecret(ledgerKey: string): boolean {
  return !ledgerKey.includes('.');
}

function idOf(ledgerKey: string, name: string): string {
  const [nonce, secret] = ledgerKey.split('.');
  const id = `${nonce}-${name}`;
  return secret === undefined ? id : `${id}.${mac(secret, id)}`;
}

/** The part between nonce and proof. */
function nameOf(commandId: string): string {
  return commandId.slice(commandId.indexOf('-') + 1).split('.', 1)[0]!;
}

function keyOf(nonce: string, partyKey: string): string {
  return `${nonce}.${mac(partyKey, nonce)}`;
}

const HEX_LENGTH = 32;

function newNonce(): string {
  return randomBytes(HEX_LENGTH / 2).toString('hex');
}

function mac(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex').slice(0, HEX_LENGTH);
}
