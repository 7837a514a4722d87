/** The API keys that have not ended, kept a second time: which of them a turn has to end, and that it ends no other. */
import type { Command } from '#venue/command.ts';
import type { ApiKeyIssued, ApiKeyRevoked } from '#venue/event.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { demand } from './audit-failed.ts';

interface Key {
  readonly account: number;
  readonly expiresAtEpochMs: number;
}

export class KeyBooks {
  readonly #keys = new Map<string, Key>();
  #command: Command | undefined;
  #epochMs = 0;

  beginTurn({ command, epochMs }: CommittedRecord): void {
    this.#command = command;
    this.#epochMs = epochMs;
  }

  issue({ keyId, account, expiresAtEpochMs }: ApiKeyIssued): void {
    demand(!this.#keys.has(keyId), `key ${keyId} was issued twice`);
    this.#keys.set(keyId, { account, expiresAtEpochMs });
  }

  revoke({ keyId, account }: ApiKeyRevoked): void {
    const key = this.#keys.get(keyId);
    demand(key?.account === account, `key ${keyId} of account ${account} was revoked, and there is no such key`);
    demand(this.#mustEnd(keyId, key!), `key ${keyId} was revoked without a reason`);
    this.#keys.delete(keyId);
  }

  /** The command was not refused. */
  checkTurn(): void {
    const { type } = this.#command!;
    if (type !== 'RevokeApiKey' && type !== 'IssueApiKey' && type !== 'RetireAccount') return;
    for (const [keyId, key] of this.#keys) demand(!this.#mustEnd(keyId, key), `key ${keyId} has not ended with ${type}`);
  }

  #mustEnd(keyId: string, { account, expiresAtEpochMs }: Key): boolean {
    const command = this.#command!;
    if (command.type === 'RevokeApiKey') return command.keyId === keyId;
    if (command.type === 'RetireAccount') return command.account === account;
    const hasExpired = expiresAtEpochMs !== 0 && expiresAtEpochMs <= this.#epochMs;
    return command.type === 'IssueApiKey' && command.account === account && hasExpired;
  }
}
