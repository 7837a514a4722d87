/**
 * A program brings its own ccxt. One that is older than the package needs is named when an exchange is constructed, not by the
 * method that it turns out to lack in the middle of a call.
 */
import ccxt from 'ccxt';
import { peerDependencies } from './package.json';

const NEEDED = peerDependencies.ccxt.replace('^', '');

export function hasNeededCcxt() {
  const [major, minor, patch] = partsOf(ccxt.version);
  const [neededMajor, neededMinor, neededPatch] = partsOf(NEEDED);
  if (major !== neededMajor) return major > neededMajor;
  if (minor !== neededMinor) return minor > neededMinor;
  // What ccxt exports for `import` names the release before its own: 4.5.84 says 4.5.83.
  return patch >= neededPatch - 1;
}

/** Every constructor of ccxt calls `describe` before anything else. */
export function refuseConstruction(exchangeClass) {
  exchangeClass.prototype.describe = function refuse() {
    throw new ccxt.NotSupported(
      `openperp needs ccxt ${NEEDED} or newer, and this program has ${ccxt.version}: npm install ccxt@${NEEDED}`,
    );
  };
}

function partsOf(version) {
  return String(version).split('.').map(Number);
}
