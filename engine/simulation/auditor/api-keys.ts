/** The API keys that have not ended: which of them a turn must end, and that it ends no other. */
import type { Command } from '#venue/command.ts';
import type { ApiKeyIssued, ApiKeyRevoked } from '#venue/event.ts';
import { fail } from './audit-failed.ts';

interface Key {
  readonly account: number;
  readonly expiresAtEpochMs: number;
}

export class ApiKeys {
  readonly #keys = new Map<string, Key>();

  /** The keys that have not ended, with their accounts. */
  all(): Iterable<readonly [keyId: string, Key]> {
    return this.#keys;
  }

  issue({ keyId, account, expiresAtEpochMs }: ApiKeyIssued): void {
    if (this.#keys.has(keyId)) fail('api key', `key ${keyId} was issued twice`);
    this.#keys.set(keyId, { account, expiresAtEpochMs });
  }

  revoke({ keyId, account }: ApiKeyRevoked, command: Command, epochMs: number): void {
    const key = this.#keys.get(keyId);
    if (key?.account !== account) fail('api key', `key ${keyId} of account ${account} was revoked, and there is no such key`);
    if (!mustEnd(keyId, key, command, epochMs)) fail('api key', `key ${keyId} was revoked without a reason`);
    this.#keys.delete(keyId);
  }

  /** The command was not refused. */
  checkTurn(command: Command, epochMs: number): void {
    const { type } = command;
    if (type !== 'RevokeApiKey' && type !== 'IssueApiKey' && type !== 'RetireAccount') return;
    for (const [keyId, key] of this.#keys)
      if (mustEnd(keyId, key, command, epochMs)) fail('api key', `key ${keyId} has not ended with ${type}`);
  }
}

function mustEnd(keyId: string, { account, expiresAtEpochMs }: Key, command: Command, epochMs: number): boolean {
  if (command.type === 'RevokeApiKey') return command.keyId === keyId;
  if (command.type === 'RetireAccount') return command.account === account;
  const hasExpired = expiresAtEpochMs !== 0 && expiresAtEpochMs <= epochMs;
  return command.type === 'IssueApiKey' && command.account === account && hasExpired;
}
