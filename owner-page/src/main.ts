/** Starts the page in a browser. */
import { render } from 'lit-html';
import { type Address, App } from './app/app.ts';
import { nameOfView } from './app/views.ts';
import { BROWSER_KEY_STORE } from './ceremonies/key-store.ts';
import { BROWSER_AUTHENTICATOR } from './ceremonies/passkey.ts';
import { BROWSER_ATTEMPTS } from './panels/attempt-store.ts';
import { VenueClient } from './venue/client.ts';
import { shell } from './views/shell.ts';

const root = document.querySelector<HTMLElement>('#page')!;
const status = document.querySelector<HTMLElement>('#status')!;

let isScheduled = false;
let focusId: string | undefined;

/** Renders once for all changes of a task. */
function changed(): void {
  if (isScheduled) return;
  isScheduled = true;
  queueMicrotask(() => {
    isScheduled = false;
    const focused = document.activeElement;
    const section = focused?.closest<HTMLElement>('section');
    render(shell(app), root);
    document.title = `${app.owner === undefined ? 'Sign in' : nameOfView(app.view)} · OpenPerp`;
    const target = focusId === undefined ? null : document.getElementById(focusId);
    // A removed element loses the focus: its section gets it.
    if (target !== null) target.focus();
    else if (focused?.isConnected === false) (section?.isConnected ? section : document.getElementById('view-title'))?.focus();
    focusId = undefined;
  });
}

const address: Address = {
  get hash() {
    return location.hash;
  },
  get search() {
    return location.search;
  },
  replace: (hash) => history.replaceState(null, '', `${location.pathname}${hash}`),
};

const app = new App({
  client: new VenueClient((path, init) => fetch(path, init)),
  authenticator: BROWSER_AUTHENTICATOR,
  setupKeys: BROWSER_KEY_STORE,
  attempts: BROWSER_ATTEMPTS,
  openSocket: (url) => new WebSocket(url),
  leaveTo: (url) => location.assign(url),
  address,
  page: {
    changed,
    announce: (text) => {
      status.textContent = text;
    },
    moveFocus: (id) => {
      focusId = id;
      changed();
    },
    wait,
  },
});

function wait(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, delayMs);
    signal.addEventListener('abort', end, { once: true });
  });
}

addEventListener('hashchange', () => app.navigate());
changed();
void app.start();
