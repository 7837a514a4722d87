/**
 * A program brings its own ccxt. If it is too old, the constructor of an exchange says so, instead of a missing method in the
 * middle of a call.
 */
import ccxt from 'ccxt';
import { peerDependencies } from './package.json';

const NEEDED = peerDependencies.ccxt.replace('^', '');

export function hasNeededCcxt() {
  const [major, minor, patch] = partsOf(ccxt.version);
  const [neededMajor, neededMinor, neededPatch] = partsOf(NEEDED);
  if (major !== neededMajor) return major > neededMajor;
  if (minor !== neededMinor) return minor > neededMinor;
  // ccxt's `import` exports the version of the previous release: 4.5.84 reports 4.5.83.
  return patch >= neededPatch - 1;
}

/** Every constructor of ccxt calls `describe` first. */
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
