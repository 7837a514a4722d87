/**
 * Where the browser keeps the setup key between visits: IndexedDB, which stores a key without making it readable. One for each
 * account; removed when setup ends.
 */
import type { SetupKey } from './setup-key.ts';

export interface SetupKeyStore {
  find(accountId: string): Promise<SetupKey | undefined>;
  save(accountId: string, key: SetupKey): Promise<void>;
  remove(accountId: string): Promise<void>;
}

const DATABASE = 'openperp';
const KEYS = 'setup-keys';

/** A browser may refuse IndexedDB, such as in a private window: the owner's passkey then signs each step. */
export const BROWSER_KEY_STORE: SetupKeyStore = {
  find: (accountId) => withKeys('readonly', (keys) => keys.get(accountId)),
  save: async (accountId, key) => {
    await withKeys('readwrite', (keys) => keys.put(key, accountId));
  },
  remove: async (accountId) => {
    await withKeys('readwrite', (keys) => keys.delete(accountId));
  },
};

async function withKeys<Result>(mode: IDBTransactionMode, use: (keys: IDBObjectStore) => IDBRequest<Result>): Promise<Result> {
  const database = await openDatabase();
  try {
    const transaction = database.transaction(KEYS, mode);
    const request = use(transaction.objectStore(KEYS));
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
    return request.result;
  } finally {
    database.close();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(KEYS);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
